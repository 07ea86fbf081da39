internal import TerminalCells

// The rows, and the cursor among them.

extension BrowseState {
    /// Whether the first row is the folder itself: unless something is searched for.
    var hasHere: Bool { filter.isEmpty }

    var rowCount: Int { rows.count + (hasHere ? 1 : 0) }

    func row(at place: Int) -> BrowseRow? {
        if hasHere, place == 0 { return .here }
        let index = place - (hasHere ? 1 : 0)
        guard rows.indices.contains(index), let listing else { return nil }
        return .entry(listing.entries[rows[index]])
    }

    var rowAtCursor: BrowseRow? { row(at: cursor.place) }

    /// The name in a row; nil for the folder itself.
    private func name(at place: Int) -> [UInt8]? {
        if case .entry(let entry)? = row(at: place) { entry.name } else { nil }
    }

    private func place(of name: [UInt8]) -> Int? {
        guard let listing else { return nil }
        let index = rows.firstIndex { listing.entries[$0].name == name }
        return index.map { $0 + (hasHere ? 1 : 0) }
    }

    /// Computes the rows anew.
    /// - Complexity: O(bytes) of all names.
    mutating func filterRows() {
        rows = []
        counts = BrowseCounts()
        guard let listing else { return }
        let sought = FolderEntry.fold(filter.text)
        let showsHidden = self.showsHidden || sought.first == UInt8(ascii: ".")
        for (index, entry) in listing.entries.enumerated() {
            if !showsHidden, entry.isHidden {
                counts.hidden += 1
            } else if entry.contains(sought) {
                rows.append(index)
                if entry.isFolder { counts.folders += 1 } else { counts.files += 1 }
            }
        }
    }

    /// Puts the cursor at the name that suits best to what is typed: the same, the same but for its case, one that begins
    /// so, the first; folders before files.
    mutating func landOnBest() {
        cursor = BrowseCursor()
        guard let listing, !filter.isEmpty else { return }
        let sought = FolderEntry.fold(filter.text)
        func first(_ suits: (FolderEntry) -> Bool) -> Int? {
            rows.firstIndex { suits(listing.entries[$0]) }
        }
        let typed = Array(filter.text.utf8)
        cursor.place =
            first { $0.isFolder && $0.name == typed }
            ?? first { $0.isFolder && $0.folded == sought }
            ?? first { $0.isFolder && $0.folded.starts(with: sought) } ?? 0
        cursor.name = name(at: cursor.place)
    }

    /// Keeps the cursor at its name, in the same row of the screen, in rows that have changed.
    mutating func keepCursor() {
        let row = cursor.place - cursor.top
        if let name = cursor.name {
            if let place = place(of: name) { cursor.place = place }
        } else if hasHere {
            cursor.place = 0
        }
        cursor.top = cursor.place - row
        fitCursor()
    }

    /// Keeps the cursor among the rows and on the screen, and the screen full of rows.
    mutating func fitCursor() {
        cursor.place = max(0, min(cursor.place, rowCount - 1))
        cursor.name = name(at: cursor.place)
        let lowest = max(0, cursor.place - height + 1)
        cursor.top = max(lowest, min(cursor.top, cursor.place))
        cursor.top = max(0, min(cursor.top, rowCount - height))
    }

    /// Sends it to a row by hand.
    mutating func send(to place: Int) {
        moves += 1
        cursor.place = max(0, min(place, rowCount - 1))
        cursor.name = name(at: cursor.place)
        fitCursor()
    }

    mutating func move(by count: Int) { send(to: cursor.place + count) }
}
