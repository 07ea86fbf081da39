internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// A request to mark documents.
struct MarkRequest {
    enum Target {
        case keys([String])
        /// All dropped documents.
        case everything
    }

    /// The most documents of one request.
    static let mostKeys = 1000

    let wish: MarkWish
    let target: Target
    /// Writes the answer, given the resulting marks of the documents.
    let write: (inout JSONWriter, [Marks]) -> Void

    var count: Int {
        switch target {
        case .keys(let keys): keys.count
        case .everything: 1
        }
    }

    /// `{key | keys, liked?}`
    static func like(_ params: ParameterReader) throws(ProtocolError) -> MarkRequest {
        let keys = try keys(params)
        let isLiked = try params.optionalBool("liked")
        if params.has("keys"), isLiked == nil {
            throw .invalidParams(
                at: "liked", "'liked' must be true or false for several documents: say which")
        }
        return MarkRequest(wish: .like(isLiked), target: .keys(keys)) { writer, marks in
            writer.object { writer in
                writer.member("liked", marks.first?.contains(.liked) ?? isLiked ?? false)
            }
        }
    }

    /// `{key | keys}`
    static func drop(_ params: ParameterReader) throws(ProtocolError) -> MarkRequest {
        MarkRequest(wish: .drop, target: .keys(try keys(params)), write: writeNothing)
    }

    /// `{key | keys}`
    static func visit(
        _ params: ParameterReader, at now: Double
    ) throws(ProtocolError) -> MarkRequest {
        MarkRequest(wish: .visit(now), target: .keys(try keys(params)), write: writeNothing)
    }

    /// A visit that no client has asked to be counted.
    static func visit(of key: String, at now: Double) -> MarkRequest {
        MarkRequest(wish: .visit(now), target: .keys([key]), write: writeNothing)
    }

    /// `{key | keys | all:true}`
    static func restore(_ params: ParameterReader) throws(ProtocolError) -> MarkRequest {
        guard params.has("all") else {
            return MarkRequest(wish: .restore, target: .keys(try keys(params)), write: writeNothing)
        }
        guard try params.bool("all") else {
            throw .invalidParams(at: "all", "'all' must be true, or left out: name 'key' then")
        }
        for name in ["key", "keys"] where params.has(name) {
            throw .invalidParams(at: name, "give 'all' or '\(name)', not both")
        }
        return MarkRequest(wish: .restore, target: .everything, write: writeNothing)
    }

    private static func keys(_ params: ParameterReader) throws(ProtocolError) -> [String] {
        guard params.has("keys") else {
            let key = try params.string("key")
            try requireDocument(key, at: "key")
            return [key]
        }
        if params.has("key") {
            throw .invalidParams(at: "keys", "give 'key' or 'keys', not both")
        }
        let keys = try params.strings("keys", limit: mostKeys)
        if keys.isEmpty { throw params.invalid("keys", mustBe: "at least one key") }
        for (index, key) in keys.enumerated() { try requireDocument(key, at: "keys[\(index)]") }
        return keys
    }

    private static func requireDocument(
        _ key: String, at place: String
    ) throws(ProtocolError) {
        if key == ItemContent.newKey {
            throw .invalidParams(
                at: place, "'new' is no document yet: give the key of a document")
        }
    }

    private static func writeNothing(_ writer: inout JSONWriter, _: [Marks]) {
        writer.object { _ in }
    }
}
