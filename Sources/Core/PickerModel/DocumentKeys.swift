/// Keys of documents, of which a filter keeps those that there are.
package struct DocumentKeys: Hashable, Sendable {
    /// The approximate cost of looking for one of them, in comparisons.
    static let steps = 4

    package let texts: Set<String>
    /// The numbers of those that are the daemon's own, which rows have instead of texts.
    private let numbers: Set<UInt64>
    private let hasOthers: Bool

    /// - Complexity: O(n).
    package init(_ keys: some Sequence<String>) {
        texts = Set(keys)
        numbers = Set(texts.compactMap { KeyNumber.mintedNumber(of: $0) })
        hasOthers = numbers.count < texts.count
    }

    package var count: Int { texts.count }

    /// - Complexity: O(1).
    package func contains(_ key: String) -> Bool { texts.contains(key) }

    /// - Complexity: O(1).
    func contains(_ key: KeyNumber, of table: DocumentTable) -> Bool {
        if key.isMinted { return numbers.contains(key.number) }
        return hasOthers && texts.contains(table.text(of: key))
    }

    /// The rows of those that are documents of the table.
    /// - Complexity: O(n), and a bit for each row of the table.
    func rows(of table: DocumentTable) -> RowBitset {
        var rows = RowBitset(bound: table.rowEnd)
        for text in texts {
            guard let key = table.key(text), let row = table.row(of: key) else { continue }
            rows.insert(row.index)
        }
        return rows
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(texts.count) }

    package static func == (left: DocumentKeys, right: DocumentKeys) -> Bool {
        left.texts == right.texts
    }
}
