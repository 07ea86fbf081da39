package import PickerClient
package import TerminalCells

/// What a picker shows, and what it wants of the daemon. It changes by `reduce` alone.
package struct PickState: Equatable {
    package let options: PickOptions
    package internal(set) var size: TerminalSize
    /// What is typed.
    package internal(set) var line: String
    package internal(set) var rows: RowsUpdate?
    /// The place of the row under the cursor among all documents.
    package internal(set) var cursor = 0
    package internal(set) var link = LinkState.connecting
    package internal(set) var message: String?
    package internal(set) var outcome: PickOutcome?
    /// Counts the queries.
    package internal(set) var queryNumber = 0

    package init(_ options: PickOptions, size: TerminalSize) {
        self.options = options
        self.size = size
        line = options.query
    }

    /// The state after an event. Each event may come in each state.
    package static func reduce(_ state: PickState, _ event: PickEvent) -> PickState {
        var state = state
        state.take(event)
        return state
    }

    private mutating func take(_ event: PickEvent) {
        switch event {
        case .input(let input, _): take(input)
        case .resized(let size): self.size = size
        case .rows(let rows):
            self.rows = rows
            cursor = max(0, min(cursor, rows.total - 1))
        case .link(let link): self.link = link
        case .refused(let why): message = why
        case .signal(let number): outcome = .signal(number)
        case .markedRows, .preview, .offered, .done, .range, .attributes, .timeOut, .drawn: break
        }
    }

    private mutating func take(_ input: TerminalInput) {
        switch input {
        case .text(let text), .paste(let text, _): type(line + text)
        case .key(let key):
            switch key.code {
            case .enter:
                outcome = itemAtCursor.map { .picked([$0]) } ?? .nothing
            case .escape: outcome = .cancelled
            case .up: cursor = max(0, cursor - 1)
            case .down: cursor = min(max(0, (rows?.total ?? 0) - 1), cursor + 1)
            case .backspace: type(String(line.dropLast()))
            case .character("c") where key.modifiers == .control: outcome = .cancelled
            default: break
            }
        case .mouse, .cursorPosition: break
        }
    }

    private mutating func type(_ text: String) {
        line = text
        queryNumber += 1
        cursor = 0
    }

    /// The document under the cursor.
    package var itemAtCursor: ListItem? {
        guard let rows, rows.items.indices.contains(cursor - rows.start) else { return nil }
        return rows.items[cursor - rows.start]
    }
}
