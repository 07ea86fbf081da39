// The sort order of a list.
//
// An order is a sequence of terms; the first that distinguishes two documents decides. All orders are total:
// the key, compared byte by byte and ascending, breaks ties (so `f10` comes before `f9`: the order is fixed,
// not meant for people). Orders that sort alike are equal values, because repeated fields are removed: all
// users of an equal order share one sorted list.

/// A total order of documents.
package struct SortOrder: Hashable, Sendable {
    package enum Field: String, CaseIterable, Sendable {
        /// By base letters, without case, numbers by value.
        case name
        case modified
        case size
        /// By the text of the media type.
        case type
        /// By the bytes of the relative path, then of the root.
        case path
        /// Documents that are not liked come first.
        case liked
        /// What a fuzzy search ranks best comes first. Without one, all documents are equal in this.
        case score
    }

    package struct Term: Hashable, Sendable {
        package let field: Field
        package let isReversed: Bool

        package init(_ field: Field, isReversed: Bool = false) {
            self.field = field
            self.isReversed = isReversed
        }
    }

    /// Each field at most once; at least one.
    package let terms: [Term]

    /// By name.
    package static let name = SortOrder(first: Term(.name))
    /// The newest first, then by name.
    package static let date = SortOrder(first: Term(.modified, isReversed: true), Term(.name))

    /// A key that means latest first, and then by name if it is the last key.
    private static let dateKey = "date"

    static let knownKeys = (Field.allCases.map(\.rawValue) + [dateKey]).map { "'\($0)'" }
        .joined(separator: ", ")

    /// An order with at least one term.
    package init(first: Term, _ others: Term...) {
        self.init(unchecked: [first] + others)
    }

    /// The order of an array of keys, the most significant first.
    /// - Throws: `PickerModelError` for an empty array or an unknown key.
    package init(keys: [String]) throws(PickerModelError) {
        guard !keys.isEmpty else { throw .emptySortOrder }
        var terms: [Term] = []
        for (index, key) in keys.enumerated() {
            let isReversed = key.utf8.first == UInt8(ascii: "-")
            let name = isReversed ? String(key.unicodeScalars.dropFirst()) : key
            if name == Self.dateKey {
                terms.append(Term(.modified, isReversed: !isReversed))
                if index == keys.count - 1 { terms.append(Term(.name)) }
                continue
            }
            guard let field = Field(rawValue: name) else {
                throw .unknownSortKey(key.count > 64 ? key.prefix(64) + "…" : key, index: index)
            }
            terms.append(Term(field, isReversed: isReversed))
            if field == .score, index == keys.count - 1 { terms.append(Term(.name)) }
        }
        self.init(unchecked: terms)
    }

    private init(unchecked terms: [Term]) {
        var seen: Set<Field> = []
        self.terms = terms.filter { seen.insert($0.field).inserted }
    }

    /// The keys in the form that clients send.
    package var keys: [String] {
        terms.map { ($0.isReversed ? "-" : "") + $0.field.rawValue }
    }

    /// Whether the order depends on the ranks of a search.
    package var hasScore: Bool { terms.contains { $0.field == .score } }

    /// The order of documents without ranks.
    package var withoutScore: SortOrder {
        let others = terms.filter { $0.field != .score }
        return others.isEmpty ? .name : SortOrder(unchecked: others)
    }

    /// Whether the first document comes before the second.
    package var comparator: (Document, Document) -> Bool {
        if self == .name {
            return { left, right in
                let order = left.foldedName.compareKey(right.foldedName)
                return order == 0 ? left.key.compareBytes(right.key) < 0 : order < 0
            }
        }
        let terms = terms
        return { left, right in SortOrder.compare(left, right, by: terms) < 0 }
    }

    /// Negative, zero or positive if the first document comes before, with or after the second.
    package func compare(_ left: Document, _ right: Document) -> Int {
        SortOrder.compare(left, right, by: terms)
    }

    /// Negative, zero or positive if the first document comes before, with or after the second; `rank` is
    /// less for what comes first by score.
    package func compare(
        _ left: Document, _ right: Document, rank: (Document) -> UInt64
    ) -> Int {
        for term in terms {
            let order =
                term.field == .score
                ? SortOrder.order(rank(left), rank(right))
                : SortOrder.compare(left, right, by: term.field)
            if order != 0 { return term.isReversed ? -order : order }
        }
        return left.key.compareBytes(right.key)
    }

    private static func compare(_ left: Document, _ right: Document, by terms: [Term]) -> Int {
        for term in terms {
            let order = compare(left, right, by: term.field)
            if order != 0 { return term.isReversed ? -order : order }
        }
        return left.key.compareBytes(right.key)
    }

    private static func compare(_ left: Document, _ right: Document, by field: Field) -> Int {
        switch field {
        case .name:
            return left.foldedName.compareKey(right.foldedName)
        case .modified:
            return order(left.modified, right.modified)
        case .size:
            return order(left.size, right.size)
        case .type:
            return order(left.type, right.type)
        case .path:
            let order = left.path.text.compareBytes(right.path.text)
            return order == 0 ? left.root.compareBytes(right.root) : order
        case .liked:
            return (left.isLiked ? 1 : 0) - (right.isLiked ? 1 : 0)
        case .score:
            return 0
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
}
