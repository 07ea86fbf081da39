internal import ListRequests
internal import PickerModel
internal import WireProtocol

/// A request for statistics: the query of a list, and the attribute whose values are wanted.
struct StatisticsRequest {
    /// Its order and window have no effect but are checked.
    let list: ListRequest
    let attribute: Attribute?

    init(
        reading params: ParameterReader, knowing attributes: AttributeDirectory
    ) throws(ProtocolError) {
        list = try ListRequest(reading: params, knowing: attributes)
        guard let name = try params.optionalString("attribute") else {
            attribute = nil
            return
        }
        guard let known = attributes.attribute(named: name) else {
            let names = attributes.known.map(\.name)
            throw .invalidParams(
                at: "attribute",
                "'attribute' is \(ProtocolError.quoted(name)), which no plugin contributes; "
                    + (names.isEmpty
                        ? "there are no attributes now"
                        : "attributes.list tells all" + NearestWord.hint(for: name, among: names)))
        }
        attribute = known
    }

    /// Whether it depends on attributes.
    var needsAttributes: Bool { attribute != nil || !list.neededAttributes.isEmpty }
}
