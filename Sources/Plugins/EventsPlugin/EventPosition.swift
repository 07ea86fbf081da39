internal import JSONText
internal import WireProtocol

/// A place in the order of all events, as clients name it: `"epoch:seq"`.
struct EventPosition {
    var epoch: String
    /// The number of the last event that the client has; 0 for none.
    var sequence: Int

    /// The position in the member `name`; nil if that is absent or null.
    /// - Throws: invalidParams for anything that is none.
    init?(_ name: String, in params: ParameterReader) throws(ProtocolError) {
        guard let view = params.view(name) else { return nil }
        guard let text = view.stringValue, let colon = text.lastIndex(of: ":") else {
            throw Self.malformed(name, params)
        }
        let digits = text[text.index(after: colon)...]
        // Int takes a sign, too.
        guard colon != text.startIndex, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let sequence = Int(digits)
        else { throw Self.malformed(name, params) }
        epoch = String(text[..<colon])
        self.sequence = sequence
    }

    private static func malformed(_ name: String, _ params: ParameterReader) -> ProtocolError {
        params.invalid(
            name,
            mustBe: "\"epoch:seq\", the epoch that events.subscribe answered and the number of the "
                + "last event received")
    }
}
