internal import JSONText

// Types that are read from and written to a JSON value without a container, in both directions.

/// A type with a JSON value that is neither an array nor an object.
protocol JSONScalar {
    /// Nil if the value is of another kind, or out of range.
    init?(json: JSONValue)
    var json: JSONValue { get }
}

extension Bool: JSONScalar {
    init?(json: JSONValue) {
        guard let value = json.boolValue else { return nil }
        self = value
    }

    var json: JSONValue { .bool(self) }
}

extension String: JSONScalar {
    init?(json: JSONValue) {
        guard let value = json.stringValue else { return nil }
        self = value
    }

    var json: JSONValue { .string(self) }
}

extension Double: JSONScalar {
    init?(json: JSONValue) {
        guard let value = json.doubleValue else { return nil }
        self = value
    }

    var json: JSONValue { JSONValue(self) }
}

extension Float: JSONScalar {
    init?(json: JSONValue) {
        guard let value = json.doubleValue, Float(value).isFinite else { return nil }
        self = Float(value)
    }

    var json: JSONValue { JSONValue(Double(self)) }
}

/// An integer; JSON has integers of any size.
protocol JSONInteger: JSONScalar, FixedWidthInteger {}

extension JSONInteger {
    init?(json: JSONValue) {
        if let value = json.integerValue {
            self.init(exactly: value)
        } else if case .number(let number) = json, let value = number.unsignedValue {
            self.init(exactly: value)
        } else {
            return nil
        }
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
