internal import JSONText
internal import WireProtocol

extension ParameterReader {
    /// The place in the order of all events that the member `name` says, `"epoch:seq"`: the number of the last
    /// event that the client has, 0 for none. Nil if the member is absent or null.
    ///
    /// - Throws: invalidParams for anything that is none.
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
