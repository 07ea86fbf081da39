// Numbers that sort as documents do.
//
// To compare two documents is to follow pointers to both, and to count references to what is found there;
// nearly all of the time that sorting takes goes into that. Two numbers for each document, made by one look
// at it, tell most of them apart. Names and paths of one folder often begin alike ("IMG_2024…"): what all
// of them begin with is left out of the numbers.

/// Makes numbers of documents that compare as these do in an order, as far as numbers go.
struct OrderKeys {
    private let terms: ArraySlice<SortOrder.Term>
    /// What the texts of all documents seen so far begin with; nil before the first.
    private var beginning: [UInt8]?

    init(for order: SortOrder) {
        let first = order.terms[0].field
        // What one number says all of leaves the other to the next term.
        terms = order.terms.prefix(Self.isOneNumber(first) ? 2 : 1)
    }

    private static func isOneNumber(_ field: SortOrder.Field) -> Bool {
        switch field {
        case .size, .type, .liked: true
        case .name, .path, .modified: false
        }
    }

    /// Learns what the texts begin with. To be called with each document before any `entry`.
    mutating func meet(_ document: Document) {
        for term in terms {
            switch term.field {
            case .name: meet(document.foldedName.sortKey)
            case .path: meet(document.path.text.utf8)
            case .size, .type, .liked, .modified: break
            }
        }
    }

    private mutating func meet(_ text: some Collection<UInt8>) {
        guard let known = beginning else {
            beginning = Array(text)
            return
        }
        if known.isEmpty { return }
        var count = 0
        for (byte, other) in zip(text, known) {
            if byte != other { break }
            count += 1
        }
        if count < known.count { beginning = Array(known[..<count]) }
    }

    /// The document at `place`, with its numbers.
    func entry(_ document: Document, at place: Int) -> OrderEntry {
        var first: UInt64 = 0
        var second: UInt64 = 0
        for term in terms {
            let isFirst = term == terms[0]
            let flip: UInt64 = term.isReversed ? .max : 0
            switch term.field {
            case .name, .path:
                let (high, low) =
                    term.field == .name
                    ? words(document.foldedName.sortKey) : words(document.path.text.utf8)
                if isFirst {
                    (first, second) = (high ^ flip, low ^ flip)
                } else {
                    second = high ^ flip
                }
            case .modified:
                let seconds = UInt64(bitPattern: document.modified.seconds) ^ (1 << 63)
                if isFirst {
                    first = seconds ^ flip
                    second = UInt64(document.modified.nanoseconds) ^ flip
                } else {
                    second = seconds ^ flip
                }
            case .size, .type, .liked:
                let number =
                    switch term.field {
                    case .size: document.size
                    case .type: UInt64(document.type.rank)
                    default: UInt64(document.isLiked ? 1 : 0)
                    }
                if isFirst { first = number ^ flip } else { second = number ^ flip }
            }
        }
        return OrderEntry(first: first, second: second, place: UInt32(place))
    }

    /// The sixteen bytes behind what all begin with.
    private func words(_ text: some Collection<UInt8>) -> (UInt64, UInt64) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var shift = 56
        for byte in text.dropFirst(beginning?.count ?? 0).prefix(16) {
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

/// Where a document is, and what tells it from most others.
struct OrderEntry {
    let first: UInt64
    let second: UInt64
    let place: UInt32
}
