internal import PickerClient
internal import TerminalCells

/// What is shown of the document under the cursor.
package struct PickPreview: Equatable, Sendable {
    /// The document as it was when this was asked for: of another one, or another state of it, other text is shown.
    struct Target: Hashable, Sendable {
        let key: String
        let path: [UInt8]
        let size: Int64?
        let modified: Double?
        let type: String?
        let area: TerminalSize
        let search: String
        let terminal: TerminalFeatures

        /// Nil for what has no path.
        init?(
            _ item: ListItem, in area: TerminalSize, search: String = "",
            on terminal: TerminalFeatures
        ) {
            guard let path = item.absolutePathBytes else { return nil }
            (key, self.path) = (item.key, path)
            (size, modified, type) = (item.size, item.modified, item.type)
            (self.area, self.search, self.terminal) = (area, search, terminal)
        }

        /// The request for it.
        func request(
            _ number: Int, terms: [String] = [], command: String? = nil
        ) -> PreviewRequest {
            PreviewRequest(
                number: number, path: path, size: size, modified: modified, type: type,
                area: area, terms: terms, query: search, command: command, key: key,
                terminal: terminal)
        }
    }

    package internal(set) var isShown: Bool
    /// What is drawn: of the former state of a file until there is that of the new one.
    package internal(set) var content = PreviewContent.loading
    /// Whether lines that are too long go on in the next row.
    package private(set) var isWrapped = false
    /// The first line that is drawn.
    package internal(set) var scroll = 0
    /// The number of the request.
    var number = 0
    var target: Target?
    /// The number of the request to which the content belongs.
    private(set) var shownNumber = 0

    init(isShown: Bool) { self.isShown = isShown }

    mutating func toggle() { isShown.toggle() }

    mutating func toggleWrap() { isWrapped.toggle() }

    /// Asks for another document, or another state of the same.
    mutating func show(_ target: Target?, numberedAfter last: inout Int) {
        if target == self.target { return }
        if target?.path != self.target?.path {
            content = .loading
            scroll = 0
        }
        self.target = target
        if target == nil { return }
        last += 1
        number = last
    }

    mutating func take(_ content: PreviewContent, of request: Int) {
        guard target != nil, request == number else { return }
        if content == .loading { return }
        let isFirst = self.content == .loading
        self.content = content
        shownNumber = request
        // The match is shown with some lines before it.
        if isFirst, case .text(_, let match?, _) = content { scroll = max(0, match - 3) }
        scroll = min(scroll, max(0, lines - 1))
    }

    private var lines: Int {
        if case .text(let lines, _, _) = content { lines.count } else { 0 }
    }

    /// A wrapped line takes any number of the rows, so the last one may then be the first that is drawn.
    mutating func scroll(by count: Int, rows: Int) {
        scroll = max(0, min(scroll + count, max(0, lines - max(1, isWrapped ? 1 : rows))))
    }
}
