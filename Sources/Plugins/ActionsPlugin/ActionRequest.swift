internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// The parameters of `actions.run`.
struct ActionRequest {
    /// The most documents of one request.
    static let mostKeys = 1000

    let action: String
    let keys: [String]
    let arguments: JSONFragment?
    let isConfirmed: Bool
    let wantsProgress: Bool

    init(reading params: ParameterReader) throws(ProtocolError) {
        action = try params.string("action")
        keys = try Self.keys(params)
        arguments = try params.optionalObject("args") == nil ? nil : params.optionalFragment("args")
        isConfirmed = try params.optionalBool("confirm") ?? false
        wantsProgress = try params.optionalBool("progress") ?? false
    }

    /// Different keys, none of them that of the item for a new document.
    static func keys(_ params: ParameterReader) throws(ProtocolError) -> [String] {
        let keys = try params.strings("keys", limit: mostKeys)
        var seen: Set<String> = []
        for (index, key) in keys.enumerated() {
            if key == ItemContent.newKey {
                throw .invalidParams(
                    at: "keys[\(index)]",
                    "'new' is no document yet: give the keys of documents")
            }
            if !seen.insert(key).inserted {
                throw .invalidParams(
                    at: "keys[\(index)]",
                    "the key \(ProtocolError.quoted(key)) is there twice: name each document once")
            }
        }
        return keys
    }

    /// Checks that the action can be asked for in this way.
    func check(_ offered: OfferedAction) throws(ProtocolError) {
        if offered.isForDocuments, keys.isEmpty {
            throw .invalidParams(at: "keys", "'keys' must have at least one key")
        }
        if !offered.isForDocuments, !keys.isEmpty {
            throw .invalidParams(
                at: "keys", "'\(offered.id)' is for no documents: 'keys' must be empty")
        }
        if !offered.takesMany, keys.count > 1 {
            throw .invalidParams(
                at: "keys", "'\(offered.id)' takes one document at a time, not \(keys.count)")
        }
        if offered.writes, !isConfirmed {
            throw .invalidParams(
                at: "confirm", "'\(offered.id)' changes files: 'confirm' must be true")
        }
    }
}
