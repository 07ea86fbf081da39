package import JSONText

/// The text of one JSON value, validated and otherwise unchanged.
public struct RawJSON: Hashable, Sendable {
    package let fragment: JSONFragment

    static let null = RawJSON(JSONFragment.null)

    package init(_ fragment: JSONFragment) { self.fragment = fragment }

    package init(_ object: JSONObject) { fragment = JSONFragment(.object(object)) }

    /// - Throws: ``ClientError/Code/badArgument`` if `text` is not one JSON value of at most 1 MiB
    ///   and 32 levels.
    public init(_ text: String) throws(ClientError) {
        do {
            fragment = try JSONFragment(validating: text)
        } catch {
            throw ClientError(.badArgument, "not JSON: \(error)")
        }
    }

    /// The JSON, on one line.
    public var text: String { String(decoding: fragment.bytes, as: UTF8.self) }
}

extension RawJSON: CustomStringConvertible {
    /// The JSON, on one line.
    public var description: String { text }
}
