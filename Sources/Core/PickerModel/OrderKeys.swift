// Numbers that sort like the documents.
//
// Comparing two documents follows pointers to both and counts references to their parts; that takes nearly all
// of the time of a sort. Two numbers per document, computed by one access, distinguish most documents. Names
// and paths in one folder often begin alike ("IMG_2024…"): the numbers omit the common prefix.

/// Computes numbers that compare like the documents in an order, as far as they reach.
struct OrderKeys {
    private let terms: ArraySlice<SortOrder.Term>
    /// The common prefix of all texts seen so far; nil before the first.
    private var commonPrefix: [UInt8]?
    /// The number of a document in an order by score.
    private let rank: (Document) -> UInt64

    init(for order: SortOrder, rank: @escaping (Document) -> UInt64 = { _ in 0 }) {
        self.rank = rank
        let first = order.terms[0].field
        // A field that fits one number leaves the other to the next term.
        terms = order.terms.prefix(Self.isOneNumber(first) ? 2 : 1)
    }

    private static func isOneNumber(_ field: SortOrder.Field) -> Bool {
        switch field {
        case .size, .type, .liked, .score: true
        case .name, .path, .modified: false
        }
    }

    /// Updates the common prefix. Called with each document before any `entry`.
    mutating func updatePrefix(with document: Document) {
        for term in terms {
            switch term.field {
            case .name: updatePrefix(with: document.foldedName.sortKey)
            case .path: updatePrefix(with: document.path.text.utf8)
            case .size, .type, .liked, .modified, .score: break
            }
        }
    }

    private mutating func updatePrefix(with text: some Collection<UInt8>) {
        guard let known = commonPrefix else {
            commonPrefix = Array(text)
            return
        }
        if known.isEmpty { return }
        var count = 0
        for (byte, other) in zip(text, known) {
            if byte != other { break }
            count += 1
        }
        if count < known.count { commonPrefix = Array(known[..<count]) }
    }

    /// The entry of the document at `place`.
    func entry(_ document: Document, at place: Int) -> OrderEntry {
        var first: UInt64 = 0
        var second: UInt64 = 0
        for term in terms {
            let flip: UInt64 = term.isReversed ? .max : 0
            let (high, low) = numbers(of: document, by: term.field)
            if term == terms[0] {
                (first, second) = (high ^ flip, low ^ flip)
            } else {
                second = high ^ flip
            }
        }
        return OrderEntry(first: first, second: second, place: UInt32(place))
    }

    /// Two numbers for one field; the second is 0 if the first has all of it.
    private func numbers(of document: Document, by field: SortOrder.Field) -> (UInt64, UInt64) {
        switch field {
        case .name: words(document.foldedName.sortKey)
        case .path: words(document.path.text.utf8)
        case .modified:
            (
                UInt64(bitPattern: document.modified.seconds) ^ (1 << 63),
                UInt64(document.modified.nanoseconds)
            )
        case .size: (document.size, 0)
        case .type: (UInt64(document.type.rank), 0)
        case .liked: (document.isLiked ? 1 : 0, 0)
        case .score: (rank(document), 0)
        }
    }

    /// The sixteen bytes after the common prefix.
    private func words(_ text: some Collection<UInt8>) -> (UInt64, UInt64) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var shift = 56
        for byte in text.dropFirst(commonPrefix?.count ?? 0).prefix(16) {
            if shift >= 0 {
                high |= UInt64(byte) << UInt64(shift)
            } else {
                low |= UInt64(byte) << UInt64(shift + 64)
            }
            shift -= 8
        }
        return (high, low)
    }
}

/// A document's index, and the numbers that distinguish it from most others.
struct OrderEntry {
    let first: UInt64
    let second: UInt64
    let place: UInt32
}
