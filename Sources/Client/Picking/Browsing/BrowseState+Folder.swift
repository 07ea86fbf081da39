internal import TerminalCells

// From folder to folder.

extension BrowseState {
    /// Shows another folder, with the cursor at a name.
    mutating func go(to path: [UInt8], sought: [UInt8]? = nil) {
        folder = path
        folderNumber = nextNumber()
        listing = nil
        filter = QueryLine()
        cursor = BrowseCursor()
        self.sought = sought
        moves += 1
        pending = nil
        click = nil
        filterRows()
    }

    /// Shows the folder above, with the cursor at the one from where it came.
    mutating func goUp() {
        guard let (parent, name) = FolderPath.parent(of: folder) else {
            message = "There is no folder above this one"
            return
        }
        go(to: parent, sought: name)
    }

    mutating func take(_ new: FolderListing, of number: Int) {
        guard number == folderNumber else { return }
        if new.isGone, let (parent, name) = FolderPath.parent(of: folder) {
            message = "'\(String(decoding: name, as: UTF8.self))' is not there"
            held = []
            overlay = nil
            return go(to: parent)
        }
        let isFirst = listing == nil
        listing = new
        filterRows()
        if !isFirst { return keepCursor() }
        if filter.isEmpty {
            cursor.name = sought
            keepCursor()
            cursor.top = cursor.place - height / 2
            fitCursor()
        } else {
            landOnBest()
        }
        sought = nil
    }

    /// Changes what is searched for in the folder.
    mutating func editFilter(_ change: (inout QueryLine) -> Void) {
        let before = filter.text
        change(&filter)
        if filter.text == before { return }
        moves += 1
        sought = nil
        filterRows()
        landOnBest()
    }

    mutating func toggleHidden() {
        showsHidden.toggle()
        filterRows()
        keepCursor()
    }

    // MARK: A path, letter by letter

    /// Takes what is typed into the line of the folder: names to be searched for, and a slash behind one that leads in.
    mutating func typePath(_ text: String) {
        var rest = text[...]
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "/" }
            rest = rest.dropFirst(name.count)
            if !name.isEmpty { editFilter { $0.insert(String(name)) } }
            guard !rest.isEmpty else { return }
            rest.removeFirst()
            let number = folderNumber
            takeSlash()
            // What is typed after a name that leads nowhere was meant for another folder.
            if message != nil { return }
            if folderNumber != number {
                if !rest.isEmpty { held.insert(.text(String(rest)), at: 0) }
                return
            }
        }
    }

    private mutating func takeSlash() {
        switch filter.text {
        case "":
            if folder != Self.top { go(to: Self.top) }
        case "~" where options.home != nil: go(to: FolderPath.normalized(options.home ?? []))
        case ".": editFilter { $0.clear() }
        case "..":
            editFilter { $0.clear() }
            goUp()
        default: isUnlisted ? goToTyped() : goIn()
        }
    }

    /// Whether what is typed may be the name of a folder that has no row, since there are too many.
    var isUnlisted: Bool {
        guard listing?.isCut == true, !filter.isEmpty else { return false }
        guard case .entry(let entry)? = rowAtCursor, entry.isFolder else { return true }
        return entry.folded != FolderEntry.fold(filter.text)
    }

    /// Shows the folder of the typed name, if there is one.
    private mutating func goToTyped() {
        go(to: FolderPath.path(folder, Array(filter.text.utf8)))
    }

    private static let top = [UInt8(ascii: "/")]

    /// Shows the folder under the cursor.
    mutating func goIn() {
        guard case .entry(let entry)? = rowAtCursor else {
            if isUnlisted { return goToTyped() }
            if !filter.isEmpty { message = nothingFound }
            return
        }
        if entry.isFolder {
            go(to: FolderPath.path(folder, entry.name))
        } else {
            message = "'\(entry.text)' is no folder"
        }
    }

    var nothingFound: String {
        "Nothing here has '\(filter.text)' in its name; Alt-N makes a folder"
    }
}
