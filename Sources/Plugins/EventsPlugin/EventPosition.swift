internal import JSONText
internal import WireProtocol

extension ParameterReader {
    /// The position `"epoch:seq"` in the member `name`: the number of the last event that the client has,
    /// or 0. Nil if the member is absent or null.
    ///
    /// - Throws: `invalidParams` for an invalid position.
    func eventPosition(_ name: String) throws(ProtocolError) -> EpochNumber? {
        guard let view = view(name) else { return nil }
        guard let position = view.stringValue.flatMap(EpochNumber.init) else {
            throw invalid(
                name,
                mustBe: "\"epoch:seq\", the epoch that events.subscribe answered and the number of "
                    + "the last event received")
        }
        return position
    }
}
