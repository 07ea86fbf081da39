internal import JSONText

// Types that are read from and written to a JSON value without a container, in both directions.

/// A type with a JSON value that is neither an array nor an object.
protocol JSONScalar {
    /// Nil if the value is of another kind, or out of range.
    static func read(from json: JSONValue) -> Self?
    var json: JSONValue { get }
}

extension Bool: JSONScalar {
    static func read(from json: JSONValue) -> Bool? { json.boolValue }
    var json: JSONValue { .bool(self) }
}

extension String: JSONScalar {
    static func read(from json: JSONValue) -> String? { json.stringValue }
    var json: JSONValue { .string(self) }
}

extension Double: JSONScalar {
    static func read(from json: JSONValue) -> Double? { json.doubleValue }
    var json: JSONValue { JSONValue(self) }
}

extension Float: JSONScalar {
    static func read(from json: JSONValue) -> Float? {
        json.doubleValue.map { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    var json: JSONValue { JSONValue(Double(self)) }
}

/// An integer; JSON has integers of any size.
protocol JSONInteger: JSONScalar, FixedWidthInteger {}

extension JSONInteger {
    static func read(from json: JSONValue) -> Self? {
        if let value = json.integerValue { return Self(exactly: value) }
        guard case .number(let number) = json else { return nil }
        return number.unsignedValue.flatMap { Self(exactly: $0) }
    }

    var json: JSONValue {
        if let value = Int64(exactly: self) { return .integer(value) }
        return JSONNumber("\(self)").map { .number($0) } ?? .null
    }
}

extension Int: JSONInteger {}
extension Int8: JSONInteger {}
extension Int16: JSONInteger {}
extension Int32: JSONInteger {}
extension Int64: JSONInteger {}
extension UInt: JSONInteger {}
extension UInt8: JSONInteger {}
extension UInt16: JSONInteger {}
extension UInt32: JSONInteger {}
extension UInt64: JSONInteger {}
