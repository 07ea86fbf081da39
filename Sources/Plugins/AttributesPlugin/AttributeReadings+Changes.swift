internal import AttributeStorage
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

// Values that change while their files stay as they are, of which their plugin tells.
extension AttributeReadings {
    /// The most documents of one request.
    static let mostChanged = 1000

    /// What a plugin's process says has changed: a group of its own attributes, of some documents or all.
    /// - Throws: permissionDenied, invalidParams.
    func takeChange(_ params: ParameterReader, by plugin: String?) throws(ProtocolError) {
        let group = try params.string("group")
        let keys = try params.optionalStrings("keys", limit: Self.mostChanged)
        guard let plugin else {
            throw .permissionDenied(
                "only the process of a plugin can say that its attributes have changed")
        }
        let offers = directory.offers.filter { $0.plugin == plugin }
        guard let offer = offers.first(where: { $0.group == group }) else {
            let groups = Set(offers.map(\.group)).sorted()
            throw .invalidParams(
                at: "group",
                "the manifest of '\(plugin)' has no group \(ProtocolError.quoted(group)); "
                    + (groups.isEmpty
                        ? "it has none now"
                        : "it has " + groups.map { "'\($0)'" }.joined(separator: ", ")
                            + NearestWord.hint(for: group, among: groups)))
        }
        forget(offer, keys.map { $0.compactMap { context.documents.table.key($0) } })
    }

    private func forget(_ offer: AttributeOffer, _ keys: [KeyNumber]?) {
        let extractor = Extractor(
            plugin: offer.plugin, version: offer.version, group: offer.group)
        let table = context.documents.table
        let files = keys.map { keys in
            keys.compactMap { key in table.row(of: key).map { table.version(of: $0) } }
        }
        // What was read before the change, too.
        reading(of: offer)?.store()
        cache.forget(extractor, files)
        reading(of: offer)?.valuesChanged(of: keys)
        background?.group(of: offer)?.valuesChanged(of: keys)
    }
}
