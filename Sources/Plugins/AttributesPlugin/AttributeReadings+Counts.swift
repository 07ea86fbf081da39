internal import JSONText
internal import PickerModel

// How many documents are still to be read.
extension AttributeReadings {
    /// The documents that are still to be read for somebody, by attribute; nil while that is being found out.
    func pendingCounts(for use: AttributeUse) -> [Attribute: Int]? {
        // Attributes of one reading have the same, unless some are only shown.
        var counted: [GroupUse: Int] = [:]
        var pending: [Attribute: Int] = [:]
        for attribute in use.waitedFor {
            pending[attribute] = pendingCount(of: attribute, in: use.wish.range.collections)
            guard let group = groups.values.first(where: { $0.has(attribute) }) else { continue }
            let areNeeded = use.wish.needed.contains(attribute)
            let name = GroupUse(group: ObjectIdentifier(group), areNeeded: areNeeded)
            guard
                let count = counted[name] ?? group.pendingCount(areNeeded: areNeeded, for: use)
            else { return nil }
            counted[name] = count
            pending[attribute, default: 0] += count
        }
        return pending
    }

    private struct GroupUse: Hashable {
        let group: ObjectIdentifier
        let areNeeded: Bool
    }

    /// The documents of some collections, or all, that are still to be given a value for which nothing is read.
    private func pendingCount(of attribute: Attribute, in set: CollectionSet? = nil) -> Int {
        if let frecency, frecency.has(attribute) { return frecency.pendingCount }
        return sourced?.pendingCount(of: attribute, in: set) ?? 0
    }

    func write(to writer: inout JSONWriter) {
        // Attributes of one reading have the same.
        let counts = groups.mapValues { (pending: $0.pendingCount, failed: $0.failedCount) }
        writer.array { writer in
            for (name, attribute, offer) in directory.known {
                let (pending, failed) = counts[ObjectIdentifier(offer)] ?? (0, 0)
                writer.object { writer in
                    writer.member("name", name)
                    writer.member("type", attribute.kind.rawValue)
                    writer.member("plugin", offer.plugin)
                    writer.member("known", directory.knownCount(of: attribute))
                    writer.member("pending", pending + pendingCount(of: attribute))
                    writer.member("failed", failed)
                }
            }
        }
    }
}
