/// Which documents the last few revisions changed, so that who knows an older revision can be told what
/// differs. Bounded: of what lies further back it only knows that it does not know.
struct RecentChanges {
    private struct Entry {
        var rev: Int
        var key: String
    }

    /// How many changes of documents are kept.
    let limit: Int
    /// All changes after this revision are known.
    private(set) var start = 0
    private var ring: [Entry] = []
    /// Where the oldest is, once the ring is full.
    private var oldest = 0

    init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    /// Notes that revision `rev`, which is the latest, changed the documents with these keys.
    /// - Complexity: O(k) for k keys.
    mutating func note(_ keys: some Sequence<String>, rev: Int) {
        for key in keys {
            if ring.count < limit {
                ring.append(Entry(rev: rev, key: key))
                continue
            }
            start = ring[oldest].rev
            ring[oldest] = Entry(rev: rev, key: key)
            oldest = oldest + 1 == limit ? 0 : oldest + 1
        }
    }

    /// The keys of what changed after `rev`; nil if that is not known any more.
    /// - Complexity: O(k) for k changes.
    func keys(after rev: Int) -> Set<String>? {
        guard rev >= start else { return nil }
        var keys: Set<String> = []
        // The latest first.
        for step in 0..<ring.count {
            let entry = ring[(oldest + ring.count - 1 - step) % ring.count]
            if entry.rev <= rev { break }
            keys.insert(entry.key)
        }
        return keys
    }
}
