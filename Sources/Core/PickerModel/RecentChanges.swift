/// The documents changed by the last few revisions, so that a client with an older revision can be sent the
/// difference. Limited: beyond the limit it only knows that changes are missing.
struct RecentChanges {
    private struct Entry {
        var rev: Int
        var key: KeyNumber
        /// The text of a key that is not the daemon's own, whose number may become another key's.
        var text: String?
    }

    /// The number of changes kept.
    let limit: Int
    /// The revision after which all changes are known.
    private(set) var start = 0
    private var ring: [Entry] = []
    /// The index of the oldest entry, once the ring is full.
    private var oldest = 0

    /// No changes after a revision.
    init(limit: Int, from start: Int = 0) {
        precondition(limit > 0)
        self.limit = limit
        self.start = start
    }

    /// All that have keys of the daemon's own, in rising order.
    var minted: [(rev: Int, key: KeyNumber)] {
        (ring[oldest...] + ring[..<oldest]).compactMap { $0.text == nil ? ($0.rev, $0.key) : nil }
    }

    /// Records that `rev`, the latest revision, changed the documents with these keys. `text` returns the text of one.
    /// - Complexity: O(k) for k keys, of which at most `limit` are looked at.
    mutating func record(_ keys: [KeyNumber], rev: Int, text: (KeyNumber) -> String) {
        for key in keys.suffix(limit) {
            let entry = Entry(rev: rev, key: key, text: key.isMinted ? nil : text(key))
            if ring.count < limit {
                ring.append(entry)
                continue
            }
            start = ring[oldest].rev
            ring[oldest] = entry
            oldest = oldest + 1 == limit ? 0 : oldest + 1
        }
        if keys.count > limit { start = rev }
    }

    /// The keys of documents changed after `rev`; nil if they are no longer known.
    /// - Complexity: O(k) for k changes.
    func keys(after rev: Int) -> Set<String>? {
        guard rev >= start else { return nil }
        var keys: Set<String> = []
        // Newest first.
        for step in 0..<ring.count {
            let entry = ring[(oldest + ring.count - 1 - step) % ring.count]
            if entry.rev <= rev { break }
            keys.insert(entry.text ?? KeyNumber.text(ofMinted: entry.key.number))
        }
        return keys
    }
}
