/// An error in a JSON text, and its position.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The text violates the grammar of RFC 8259.
        case syntax
        /// The text is not UTF-8, or an escape is half of a surrogate pair.
        case encoding
        /// Objects and arrays are nested deeper than the limit.
        case depth
        /// There are more bytes than the limit.
        case size
        /// An object has the same key twice.
        case duplicateKey
        /// A key contains U+0000, where json-c would truncate it.
        case zeroInKey
        /// json-c refused a text that passed the scanner (out of memory, or a newer grammar).
        case parser
    }

    package let reason: Reason
    /// The offset of the first invalid byte, from the start of the input.
    package let offset: Int
    /// The error without its position: "expected ',' or '}'".
    package let message: String

    package init(_ reason: Reason, at offset: Int, _ message: String) {
        self.reason = reason
        self.offset = offset
        self.message = message
    }

    package var description: String { "\(message) at byte \(offset)" }
}

/// The limits of a text.
package struct JSONLimits: Hashable, Sendable {
    /// Levels of objects and arrays; a lone `{}` has one.
    package var depth: Int
    package var bytes: Int

    package init(depth: Int = 32, bytes: Int = 1 << 20) {
        self.depth = depth
        self.bytes = bytes
    }

    /// The limits of the wire: 1 MiB, 32 levels.
    package static let wire = JSONLimits()
}

/// The kind of a JSON value, determined by its first byte.
package enum JSONKind: String, Hashable, Sendable {
    case null, bool, number, string, array, object

    /// The kind with its article, for messages: "an object".
    package var described: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
