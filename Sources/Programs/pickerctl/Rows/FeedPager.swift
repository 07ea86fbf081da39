import Glibc
import PickerClient
import SystemInterface
import TerminalCells

// The feed on a terminal: a page of rows, then a prompt that waits for a key. Earlier rows scroll away like
// any output; only the last line is rewritten. Meanwhile the terminal is in a mode for single keys, which
// is reset however the program ends, except by SIGKILL.

/// `feed` on a terminal.
final class FeedPager {
    private let command: FeedCommand
    private let connection: PickerConnection
    private let feed: Feed
    private let terminal = Terminal.output
    private var keys: KeyInput?
    private var signals: SignalPipe?
    /// The number of printed items.
    private var shown = 0
    private var failure: (any Error)?
    private var isDone = false
    /// Whether the list begins with the item `new`, which is neither shown nor counted.
    private let hidesNewRow: Bool
    private var rows: ItemRows

    init(_ command: FeedCommand, _ query: ListQuery, on connection: PickerConnection) {
        self.command = command
        self.connection = connection
        hidesNewRow = query.hidesNewRow(command.options.withNew)
        rows = ItemRows(
            dates: DateText(now: SystemClock.wallSeconds()), palette: command.common.palette,
            isSteady: true)
        // The first page has one document less if it contains the hidden row.
        feed = Feed(query, pageSize: command.size, on: connection)
    }

    func run() throws {
        defer { keys?.restore() }
        // Before the terminal mode is changed: a signal in between would leave it changed.
        signals = try SignalPipe(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT], on: connection.loop
        ) { [weak self] in self?.receive(signal: $0) }
        keys = KeyInput(descriptor: 0)
        keys?.follow(on: connection.loop) { [weak self] in self?.take($0) }
        feed.onChange = { [weak self] _ in self?.attempt { try self?.show() } }
        attempt { try show() }
        connection.loop.run { isDone || failure != nil }
        keys?.stop()
        try Output.standard.writeNow("\r\u{1b}[K")
        if let failure { throw failure }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch { if failure == nil { failure = error } }
    }

    // MARK: Output

    private func show() throws {
        let state = feed.state
        if let error = state.failure, error.code == .disconnected { throw error }
        var text = "\r\u{1b}[K"
        let columns = max(1, terminal.size.columns - 1)
        if state.items.count > shown {
            for item in state.items[shown...] where !(hidesNewRow && item.isNew) { rows.add(item) }
            for line in rows.takeLines(limit: columns) { text += line + "\n" }
            shown = state.items.count
        }
        if state.nextPage == nil {
            isDone = true
        } else {
            text += command.common.palette.dim(DisplayWidth.truncating(prompt(state), to: columns))
        }
        try Output.standard.writeNow(text)
    }

    private func prompt(_ state: FeedState) -> String {
        if let error = state.failure {
            return "\(VisibleText.escaping("\(error)")) · Enter: try again · q: quit"
        }
        if state.shouldLoadNext { return "…" }
        let hidden = hidesNewRow ? 1 : 0
        return "\(shown - hidden) of \(state.count - hidden) · Enter: more · q: quit"
    }

    // MARK: Input

    private func take(_ typed: [UInt8]?) {
        guard let typed else {
            isDone = true
            return
        }
        for key in typed {
            switch key {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " "): feed.loadNextPage()
            default: if KeyInput.isQuit(key) { isDone = true }
            }
        }
    }

    private func receive(signal number: Int32) {
        switch number {
        case SIGCONT:
            keys?.begin()
            attempt { try show() }
        case SIGTSTP:
            keys?.restore()
            _ = raise(SIGSTOP)
        default:
            keys?.restore()
            try? Output.standard.writeNow("\r\u{1b}[K")
            SignalPipe.die(by: number)
        }
    }
}
