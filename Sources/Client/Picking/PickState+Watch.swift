internal import PickerClient
internal import TerminalCells

// A watch: what it was called with, until something is searched for. Its rows scroll; there is no cursor to be seen, and
// nothing is chosen or done.

extension PickState {
    /// What the line asks for. In a watch, that it is empty asks for what the watch was called with, unless the line is
    /// being typed.
    func readLine() -> QueryReading {
        let isWatch = options.mode == .watch
        if isWatch, !isSearching, typed.isEmpty { return options.base }
        var reading = QueryReading(typed.text, options, attributes: attributes)
        if isWatch, let filter = options.base.filter {
            reading.filter = .all([filter] + [reading.filter].compactMap { $0 })
        }
        return reading
    }

    /// What is shown, if the line is not.
    var title: String {
        if !typed.isEmpty { return "/" + typed.text }
        var parts = ["documents"]
        if let search = options.base.search {
            switch options.base.match {
            case .fuzzy: parts.append("like '\(search)'")
            case .words: parts.append("with the words '\(search)'")
            case .contains: parts.append("with '\(search)'")
            }
        }
        if let filter = options.base.filter { parts.append(filter.text) }
        return parts.joined(separator: " · ")
    }

    /// The line above the list.
    var header: String? {
        if let header = options.header { return header }
        return options.showsNewRow && reading.search == nil ? "+ new document" : nil
    }

    /// What a key asks for; nil for a key without a meaning here.
    func meaning(of press: KeyPress) -> PickKey? {
        guard let key = PickKey(press) else { return nil }
        if options.mode == .watch { return key.isOfWatch ? key : nil }
        // In a grid they lead to other tiles; the caret has keys of its own.
        if isGrid, press.modifiers.isEmpty {
            if press.code == .left { return .leftTile }
            if press.code == .right { return .rightTile }
        }
        return key == .quit ? nil : key
    }

    /// Letters, while the line is not being typed.
    mutating func takeLetters(_ text: String) {
        for letter in text {
            // What follows the slash is the search.
            if isSearching {
                edit { $0.insert(String(letter)) }
                continue
            }
            switch letter {
            case "q": outcome = .cancelled
            case "/": beginSearch()
            case "j": move(by: 1)
            case "k": move(by: -1)
            case " ": move(by: shape.count)
            case "g": sendToTop()
            case "G": sendToEnd()
            case "?": overlay = .help(scroll: 0)
            default: break
            }
            if outcome != nil || overlay != nil { return }
        }
    }

    // MARK: The search

    /// Has the line typed: it begins with what was searched for before.
    private mutating func beginSearch() {
        isSearching = true
        if typed.isEmpty { typed = QueryLine(Self.line(for: options.base)) }
        read()
    }

    /// Leaves the line, and keeps what it says.
    mutating func keepSearch() {
        isSearching = false
        read()
        message = fault?.message
    }

    /// Leaves the line, and shows what the watch was called with.
    mutating func endSearch() {
        isSearching = false
        typed.clear()
        read()
    }

    /// A search as it is typed.
    private static func line(for base: QueryReading) -> String {
        guard let search = base.search else { return "" }
        switch base.match {
        case .fuzzy: return search
        case .contains: return quoted(search)
        case .words:
            return search.split(whereSeparator: \.isWhitespace).map { quoted(String($0)) }
                .joined(separator: " ")
        }
    }

    private static func quoted(_ text: String) -> String {
        let marked = text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }
        return "\"" + marked.joined() + "\""
    }

    // MARK: Scrolling

    /// Scrolls so many rows down.
    mutating func scroll(by count: Int) {
        let top = self.top
        let last = max(0, (rows?.total ?? 0) - shape.lines)
        let new = max(0, min(top + count, last))
        if new == top { return }
        // At the start it stays there, whatever comes in.
        if new == 0 { return sendToTop() }
        cursor.offset -= cursor.row
        cursor.row = 0
        cursor.place = top
        send(to: new)
        cursor.row = 0
    }
}
