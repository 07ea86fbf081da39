/// One row of the list: the offer to make a new document, or a document.
package struct PickerItem: Hashable, Sendable {
    /// No document has this row.
    private static let noRow = UInt32.max
    let number: UInt32

    init(number: UInt32) { self.number = number }

    package init(_ row: DocumentRow) {
        self.init(number: row.number)
    }

    package static let newDocument = PickerItem(number: noRow)

    /// The document's row; nil for the offer of a new one.
    package var row: DocumentRow? { number == Self.noRow ? nil : DocumentRow(number) }
}

/// A row of the list as it is sent: it remains what it was when the document changes.
package enum ItemContent: Hashable, Sendable {
    case newDocument
    case document(Document)

    /// The key of the item `newDocument`, which no document has.
    package static let newKey = "new"

    /// Identifies the item in its list.
    package var key: String {
        switch self {
        case .newDocument: ItemContent.newKey
        case .document(let document): document.key
        }
    }
}

extension DocumentTable {
    /// What an item is now.
    /// - Complexity: O(n) in the length of the path.
    package func content(of item: PickerItem) -> ItemContent {
        item.row.map { .document(document(of: $0)) } ?? .newDocument
    }
}

extension RowBitset {
    /// Which of up to 64 items are in the set, the first in the lowest bit; `new` says so of the offer of a new document.
    func bits(of items: borrowing Span<PickerItem>, new: Bool) -> UInt64 {
        let words = words.span
        var bits: UInt64 = 0
        for index in 0..<items.count {
            guard let row = items[index].row else {
                if new { bits |= 1 << UInt64(index) }
                continue
            }
            let word = Int(row.number >> 6)
            guard word < words.count else { continue }
            bits |= (words[word] >> UInt64(row.number & 63) & 1) << UInt64(index)
        }
        return bits
    }
}
