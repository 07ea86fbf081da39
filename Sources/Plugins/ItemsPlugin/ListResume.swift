internal import PickerModel
internal import WireProtocol

/// What a client says it has of a list that it had open before: the rows of a revision.
struct ListResume {
    /// With more rows than this a list is sent anew, so that the loop is not held.
    static let mostRows = 10_000

    let epoch: String
    let rev: Int
    /// Of the rows, in order; each once.
    let keys: [String]

    /// Nil if the request is for a list that is new to the client.
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

    /// The rows as the client has them, of which those in `unknown` may be out of date; nil if that can't
    /// be told: in another life of the daemon, too long ago, or of keys that never were.
    func rows(in documents: DocumentStore) -> (items: [PickerItem], unknown: Set<String>)? {
        guard epoch == documents.epoch, rev <= documents.rev, keys.count <= Self.mostRows,
            let changed = documents.keysChanged(after: rev)
        else { return nil }
        var items: [PickerItem] = []
        items.reserveCapacity(keys.count)
        var unknown: Set<String> = []
        for key in keys {
            if key == PickerItem.newKey {
                items.append(.newDocument)
            } else if changed.contains(key) {
                unknown.insert(key)
                items.append(.document(.unknown(key: key)))
            } else if let document = documents[key: key] {
                items.append(.document(document))
            } else {
                return nil
            }
        }
        return (items, unknown)
    }
}
