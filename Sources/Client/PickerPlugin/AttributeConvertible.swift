/// What the value of an attribute may be: `Bool`, the integers, `Double`, and texts.
///
/// No other type can conform in a way that is of use: what is sent is one of these.
public protocol AttributeConvertible {
    /// The value as it is sent.
    var attributeValue: AttributeValue { get }
}

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
    /// For attributes of the type `boolean`.
    case boolean(Bool)
    /// For attributes of the types `integer`, `number`, and `time`, as seconds since 1970.
    case integer(Int64)
    /// For attributes of the types `number`, and `time`, as seconds since 1970. It must be finite.
    case number(Double)
    /// For attributes of the type `text`. Of a longer one, the first 1,024 bytes are sent.
    case text(String)
}

extension AttributeValue: AttributeConvertible {
    /// The value itself.
    public var attributeValue: AttributeValue { self }
}

extension Bool: AttributeConvertible {
    /// A boolean.
    public var attributeValue: AttributeValue { .boolean(self) }
}

extension Int: AttributeConvertible {
    /// An integer.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Int64: AttributeConvertible {
    /// An integer.
    public var attributeValue: AttributeValue { .integer(self) }
}

extension Int32: AttributeConvertible {
    /// An integer.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt32: AttributeConvertible {
    /// An integer.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension UInt16: AttributeConvertible {
    /// An integer.
    public var attributeValue: AttributeValue { .integer(Int64(self)) }
}

extension Double: AttributeConvertible {
    /// A number.
    public var attributeValue: AttributeValue { .number(self) }
}

extension String: AttributeConvertible {
    /// A text.
    public var attributeValue: AttributeValue { .text(self) }
}

extension Substring: AttributeConvertible {
    /// A text.
    public var attributeValue: AttributeValue { .text(String(self)) }
}
