// The sort order of a list.
//
// An order is a sequence of terms; the first that distinguishes two documents decides. All orders are total:
// the key, compared byte by byte and ascending, breaks ties (so `f10` comes before `f9`: the order is fixed,
// not meant for people). Orders that sort alike are equal values, because repeated fields are removed: all
// users of an equal order share one sorted list.

/// A total order of documents.
package struct SortOrder: Hashable, Sendable {
    package enum Field: Hashable, Sendable {
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
        /// By value; what has none comes last, also in reverse.
        case attribute(Attribute)

        /// Those that there always are, by their keys.
        package static let known: [(key: String, field: Field)] = [
            ("name", .name), ("modified", .modified), ("size", .size), ("type", .type),
            ("path", .path), ("liked", .liked), ("score", .score),
        ]

        /// The key in the form that clients send; that of an attribute says only which it is.
        package var key: String {
            if case .attribute(let attribute) = self { return "#\(attribute.number)" }
            return Self.known.first { $0.field == self }?.key ?? ""
        }
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

    static let knownKeys = (Field.known.map(\.key) + [dateKey]).map { "'\($0)'" }
        .joined(separator: ", ")

    /// An order with at least one term.
    package init(first: Term, _ others: Term...) {
        self.init(unchecked: [first] + others)
    }

    /// The order of an array of keys, the most significant first. `attribute` knows the attributes by their names.
    /// - Throws: `PickerModelError` for an empty array or an unknown key.
    package init(
        keys: [String], attribute: (String) -> Attribute? = { _ in nil }
    ) throws(PickerModelError) {
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
            let known = Field.known.first { $0.key == name }?.field
            guard let field = known ?? attribute(name).map({ .attribute($0) }) else {
                throw .unknownSortKey(key.count > 64 ? key.prefix(64) + "…" : key, index: index)
            }
            terms.append(Term(field, isReversed: isReversed))
            if index == keys.count - 1, field == .score || field.attribute != nil {
                terms.append(Term(.name))
            }
        }
        self.init(unchecked: terms)
    }

    private init(unchecked terms: [Term]) {
        var seen: Set<Field> = []
        self.terms = terms.filter { seen.insert($0.field).inserted }
    }

    /// The keys in the form that clients send.
    package var keys: [String] {
        terms.map { ($0.isReversed ? "-" : "") + $0.field.key }
    }

    /// Whether the order depends on the ranks of a search.
    package var hasScore: Bool { terms.contains { $0.field == .score } }

    /// The attributes by which it sorts.
    package var attributes: [Attribute] { terms.compactMap(\.field.attribute) }

    /// The order of documents without ranks.
    package var withoutScore: SortOrder {
        let others = terms.filter { $0.field != .score }
        return others.isEmpty ? .name : SortOrder(unchecked: others)
    }

    /// The order of documents that are equal in the first term; nil if that is the only one.
    var withoutFirst: SortOrder? {
        terms.count > 1 ? SortOrder(unchecked: Array(terms.dropFirst())) : nil
    }

    /// The order with each term reversed. Documents that are equal in all terms have the same order in both. Nil by an
    /// attribute: documents without a value are last in both.
    var reversed: SortOrder? {
        if !attributes.isEmpty { return nil }
        return SortOrder(unchecked: terms.map { Term($0.field, isReversed: !$0.isReversed) })
    }

    /// Whether the first document comes before the second.
    package var comparator: (Document, Document) -> Bool {
        { [self] left, right in compare(left, right) < 0 }
    }

    /// Negative, zero or positive if the first document comes before, with or after the second; `rank` is
    /// less for what comes first by score.
    /// - Complexity: O(n) in the length of the names, which are folded.
    package func compare(
        _ left: Document, _ right: Document, rank: (Document) -> UInt64 = { _ in 0 }
    ) -> Int {
        func sorted(_ document: Document) -> SortedDocument {
            let isNamed = terms.contains { $0.field == .name }
            return SortedDocument(
                document: document, name: isNamed ? document.foldedName : .empty,
                rank: hasScore ? rank(document) : 0)
        }
        return compare(sorted(left), sorted(right))
    }

    func compare(_ left: SortedDocument, _ right: SortedDocument) -> Int {
        for term in terms {
            if let attribute = term.field.attribute {
                let order = compare(left, right, by: attribute, term.isReversed)
                if order != 0 { return order }
                continue
            }
            let order = compare(left, right, by: term.field)
            if order != 0 { return term.isReversed ? -order : order }
        }
        return left.document.key.compareBytes(right.document.key)
    }

    private func compare(
        _ left: SortedDocument, _ right: SortedDocument, by field: SortOrder.Field
    ) -> Int {
        let (one, other) = (left.document, right.document)
        switch field {
        case .name:
            return left.name.compareKey(right.name)
        case .modified:
            return Self.order(one.modified, other.modified)
        case .size:
            return Self.order(one.size, other.size)
        case .type:
            return Self.order(one.type, other.type)
        case .path:
            let order = one.path.text.compareBytes(other.path.text)
            return order == 0 ? one.root.compareBytes(other.root) : order
        case .liked:
            return (one.isLiked ? 1 : 0) - (other.isLiked ? 1 : 0)
        case .score:
            return Self.order(left.rank, right.rank)
        case .attribute(let attribute):
            return compare(left, right, by: attribute, false)
        }
    }

    private func compare(
        _ left: SortedDocument, _ right: SortedDocument, by attribute: Attribute,
        _ isReversed: Bool
    ) -> Int {
        let one = left.document.attributes[attribute]
        let other = right.document.attributes[attribute]
        guard let one, let other else {
            return one == nil ? (other == nil ? 0 : 1) : -1
        }
        let order =
            if case .text(let text) = one, case .text(let second) = other {
                FoldedName(text).compareKey(FoldedName(second))
            } else {
                Self.order(one.word ?? 0, other.word ?? 0)
            }
        return isReversed ? -order : order
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
}

extension SortOrder.Field {
    package var attribute: Attribute? {
        if case .attribute(let attribute) = self { attribute } else { nil }
    }
}

/// A document with what it is compared by.
struct SortedDocument {
    let document: Document
    let name: FoldedName
    /// Less for what comes first by score.
    let rank: UInt64
}
