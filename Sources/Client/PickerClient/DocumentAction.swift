internal import WireProtocol

/// Something that can be done to documents.
public struct DocumentAction: Hashable, Sendable {
    /// `<plugin>.<id>`
    public let id: String
    /// For people.
    public let title: String
    /// Whether it takes several documents at once.
    public let takesMany: Bool
    /// Whether it changes files, and so has to be confirmed.
    public let writes: Bool

    init(reading reader: ParameterReader) throws(ProtocolError) {
        id = try reader.string("id")
        title = try reader.string("title")
        takesMany = try reader.bool("many")
        writes = try reader.bool("writes")
    }
}

/// What an action has done to one document.
public struct ActionResult: Hashable, Sendable {
    /// Why nothing was done; nil if it was done.
    public let error: String?
    /// The URI of the file's new place, if it was moved.
    public let uri: String?

    init(reading reader: ParameterReader) throws(ProtocolError) {
        error = try reader.optionalString("error")
        uri = try reader.optionalString("uri")
        if error == nil, !(try reader.bool("ok")) {
            throw reader.invalid("ok", mustBe: "true, or else there is an 'error'")
        }
    }
}
