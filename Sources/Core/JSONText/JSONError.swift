/// What was wrong with a JSON text, and where.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// The text breaks the grammar of RFC 8259.
        case syntax
        /// The text is not UTF-8, or an escape names half of a surrogate pair.
        case encoding
        /// Objects and arrays are nested deeper than the limit.
        case depth
        /// There are more bytes than the limit.
        case size
        /// An object has the same key twice.
        case duplicateKey
        /// A key holds U+0000, which json-c would cut it at.
        case zeroInKey
        /// json-c refused a text that passed the scanner (out of memory, or a newer grammar).
        case parser
    }

    package let reason: Reason
    /// Offset of the first wrong byte, counted from the start of the bytes that were given.
    package let offset: Int
    /// What is wrong, without the place: "expected ',' or '}'".
    package let message: String

    package init(_ reason: Reason, at offset: Int, _ message: String) {
        self.reason = reason
        self.offset = offset
        self.message = message
    }

    package var description: String { "\(message) at byte \(offset)" }
}

/// How much of a text is taken before it is refused.
package struct JSONLimits: Hashable, Sendable {
    /// Levels of objects and arrays; a lone `{}` has one.
    package var depth: Int
    package var bytes: Int

    package init(depth: Int = 32, bytes: Int = 1 << 20) {
        self.depth = depth
        self.bytes = bytes
    }

    /// What the wire takes: 1 MiB, 32 levels.
    package static let wire = JSONLimits()
}

/// The sort of a JSON value, told by its first byte.
package enum JSONKind: String, Hashable, Sendable {
    case null, bool, number, string, array, object

    /// The word with its article, for messages: "an object".
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
