package import JSONText

/// The `id` of a request, and the name of the subscription that it opened.
package enum RequestID: Hashable, Sendable {
    case integer(Int64)
    case string(String)

    /// The longest text, in bytes.
    package static let longestText = 1024

    /// - Returns: nil unless the value is a string or an integer within Int64. `1.0` is refused: a reply must
    ///   repeat the id exactly.
    package init?(_ view: JSONView) {
        switch view.kind {
        case .number:
            guard let value = view.integerValue(asWritten: ()) else { return nil }
            self = .integer(value)
        case .string:
            guard let text = view.stringValue else { return nil }
            self = .string(text)
        default: return nil
        }
    }

    package var value: JSONValue {
        switch self {
        case .integer(let value): .integer(value)
        case .string(let text): .string(text)
        }
    }
}

extension RequestID: WireWritable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .integer(let value): writer.integer(value)
        case .string(let text): writer.string(text)
        }
    }
}

extension RequestID: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(stringLiteral text: String) { self = .string(text) }
}

extension RequestID: CustomStringConvertible {
    package var description: String {
        switch self {
        case .integer(let value): String(value)
        case .string(let text): ProtocolError.quoted(text)
        }
    }
}
