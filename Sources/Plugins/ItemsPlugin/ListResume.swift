internal import PickerModel
internal import WireProtocol

/// The rows that a reconnecting client still has from an earlier revision of a list.
struct ListResume {
    /// A client with more rows than this gets a reset, so that comparing them does not block the loop.
    static let mostRows = 10_000

    let epoch: String
    let rev: Int
    /// The keys of the rows, in order and without duplicates.
    let keys: [String]

    /// Nil if the request does not resume a list.
    init?(reading params: ParameterReader) throws(ProtocolError) {
        let token = try params.optionalString("since")
        let keys = try params.optionalStrings("have", limit: ListWindow.largestCount)
        if token == nil, keys == nil { return nil }
        guard let keys else {
            throw .invalidParams(
                at: "have", "must go with 'since': the keys of the rows that the client has")
        }
        guard let token else {
            throw .invalidParams(
                at: "since", "must go with 'have': the token of the revision that the rows show")
        }
        guard let revision = EpochNumber(token) else {
            throw .invalidParams(
                at: "since", "must be the 'token' of an items.reset or items.delta")
        }
        epoch = revision.epoch
        rev = revision.number
        self.keys = keys
        var seen: Set<String> = []
        for (index, key) in keys.enumerated() where !seen.insert(key).inserted {
            throw .invalidParams(at: "have[\(index)]", "names a row that is there already")
        }
    }

    /// The client's rows; those in `unknown` may be stale. Nil if the state of the rows cannot be
    /// determined: the epoch is another, the revision is too old, or a key never existed. With `isMarked`, all
    /// may be stale: the client may not have read what is marked in them now.
    func rows(
        in documents: DocumentStore, isMarked: Bool
    ) -> (items: ShownRows, unknown: Set<String>)? {
        guard epoch == documents.epoch, rev <= documents.rev, keys.count <= Self.mostRows,
            let changed = documents.keysChanged(after: rev)
        else { return nil }
        let items = ShownRows([ShownRow](), of: documents.table)
        items.reserveCapacity(keys.count)
        var unknown: Set<String> = []
        for key in keys {
            if key == ItemContent.newKey {
                items.append(.newDocument)
            } else if isMarked || changed.contains(key) {
                unknown.insert(key)
                items.append(unknown: key)
            } else if let row = documents.row(key: key) {
                items.append(PickerItem(row))
            } else {
                return nil
            }
        }
        return (items, unknown)
    }
}
