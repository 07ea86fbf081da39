/// The change of one step, in the order of the request. A document is in one of the lists, or in none if only
/// its marks changed.
///
/// The lists are of rows, which remain readable until the turn is over; values are made of them on request.
package struct DocumentChange {
    /// A document before and after.
    package typealias Pair = (old: DocumentRow, new: DocumentRow)

    package private(set) var addedRows: [DocumentRow] = []
    package private(set) var removedRows: [DocumentRow] = []
    /// Same key and path; another file, or other contents or times.
    package private(set) var changedRows: [Pair] = []
    /// Same key, another path; the rest may differ too.
    package private(set) var movedRows: [Pair] = []
    /// Only the marks differ. These are the new rows.
    package private(set) var remarkedRows: [DocumentRow] = []
    /// The revision after the change.
    package let rev: Int
    /// Those of all rows that are in folders outside the roots.
    private var outsideRows: Set<DocumentRow> = []
    /// The table of the rows.
    package let table: DocumentTable

    init(rev: Int, of table: DocumentTable) {
        self.rev = rev
        self.table = table
    }

    mutating func record(_ old: DocumentRow?, _ new: DocumentRow?) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): addedRows.append(new)
        case (let old?, nil): removedRows.append(old)
        case (let old?, let new?):
            if !table.arePlacesEqual(old, new) {
                movedRows.append((old, new))
            } else if table.facts(of: old) != table.facts(of: new) {
                changedRows.append((old, new))
            } else {
                remarkedRows.append(new)
            }
        }
    }

    /// Notes that a row is, or was, in a folder outside the roots.
    mutating func recordOutside(_ row: DocumentRow) { outsideRows.insert(row) }

    /// What it is to the documents of the roots: one that left these is removed, and one that came to them is added.
    /// - Complexity: O(1) if none is outside.
    package var ofRoots: DocumentChange {
        if outsideRows.isEmpty { return self }
        func isInside(_ row: DocumentRow) -> Bool { !outsideRows.contains(row) }
        var change = DocumentChange(rev: rev, of: table)
        change.addedRows = addedRows.filter(isInside)
        change.removedRows = removedRows.filter(isInside)
        change.changedRows = changedRows.filter { isInside($0.new) }
        change.remarkedRows = remarkedRows.filter(isInside)
        for (old, new) in movedRows {
            switch (isInside(old), isInside(new)) {
            case (true, true): change.movedRows.append((old, new))
            case (true, false): change.removedRows.append(old)
            case (false, true): change.addedRows.append(new)
            case (false, false): break
            }
        }
        return change
    }

    /// Whether no document is in it.
    package var isEmpty: Bool {
        addedRows.isEmpty && removedRows.isEmpty && changedRows.isEmpty && movedRows.isEmpty
            && remarkedRows.isEmpty
    }

    // MARK: Values

    /// - Complexity: O(k) for k documents, each with its path; the same for the others.
    package var added: [Document] { addedRows.map { table.document(of: $0) } }
    package var removed: [Document] { removedRows.map { table.document(of: $0) } }
    package var changed: [(old: Document, new: Document)] { changedRows.map(values) }
    package var moved: [(old: Document, new: Document)] { movedRows.map(values) }

    private func values(_ pair: Pair) -> (old: Document, new: Document) {
        (table.document(of: pair.old), table.document(of: pair.new))
    }
}
