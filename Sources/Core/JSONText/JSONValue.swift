// A JSON value as Swift data. Numbers are lossless: those beyond Int64 and Double are kept as digits. Objects
// keep the order of their members. Equality is that of JSON: the order of members is ignored, 1 equals 1.0, and
// strings are equal if their bytes are.

/// Any JSON value.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number beyond Int64 and Double, as digits.
    case number(JSONNumber)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    package var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .integer, .number, .double: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    package var isNull: Bool { kind == .null }

    package var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    package var objectValue: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The number as an integer, if it is whole and within Int64, including 3.0 and 1e3.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The nearest Double of a number; nil for other values, and beyond Double's range.
    package var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .number(let value): value.doubleValue
        default: nil
        }
    }

    /// A member of an object; nil if it is missing or this is no object.
    /// - Complexity: O(members)
    package subscript(name: String) -> JSONValue? {
        objectValue?[name]
    }

    /// An element of an array; nil if it is missing or this is no array.
    package subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else {
            return nil
        }
        return elements[index]
    }

    package init(_ value: Int) { self = .integer(Int64(value)) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: Bool) { self = .bool(value) }

    /// Null if the number is not finite, which JSON cannot represent.
    package init(_ value: Double) {
        self = value.isFinite ? .double(value) : .null
    }

    /// The value as one line of JSON.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.finish()
    }
}

extension JSONValue: Equatable {
    package static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.double(let one), .double(let other)): one == other
        case (.integer(let one), .double(let other)): Int64(exactly: other) == one
        case (.double(let one), .integer(let other)): Int64(exactly: one) == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): sameText(one, other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}

extension JSONValue: CustomStringConvertible {
    package var description: String { String(decoding: bytes, as: UTF8.self) }
}

// Without a nil literal: in `object[key] = flag ? nil : value` it would silently mean null.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self.init(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// A repeated key keeps its last value.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        self = .object(object)
    }
}
