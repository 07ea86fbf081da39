import Glibc
import PickerClient
import SystemInterface

// The feed on a terminal: a page of rows, then a line that waits for a key. Rows that have been shown
// scroll away like any output; only the last line is ever rewritten. The terminal gives single keys
// meanwhile, and is put back however the program ends, but for SIGKILL.

/// `feed` on a terminal.
final class FeedPager {
    private let command: FeedCommand
    private let connection: PickerConnection
    private let feed: Feed
    private let terminal = Terminal.output
    private var keys: KeyInput?
    private var signals: SignalPipe?
    private var watch: PollWatch?
    /// How many items have been printed.
    private var shown = 0
    private var failure: (any Error)?
    private var isDone = false
    /// Whether the list begins with the item `new`, which people don't count.
    private let hasNewRow: Bool

    init(_ command: FeedCommand, _ query: ListQuery, on connection: PickerConnection) {
        self.command = command
        self.connection = connection
        hasNewRow = query.hasNewRow
        feed = Feed(query, pageSize: command.size, on: connection)
    }

    func run() throws {
        keys = KeyInput(descriptor: 0)
        defer { keys?.restore() }
        signals = try SignalPipe(
            [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT], on: connection.loop
        ) { [weak self] in self?.receive(signal: $0) }
        watch = connection.loop.watch(0, for: .readable) { [weak self] _ in self?.readKeys() }
        feed.onChange = { [weak self] _ in self?.attempt { try self?.show() } }
        attempt { try show() }
        connection.loop.run { isDone || failure != nil }
        watch?.cancel()
        try send("\r\u{1b}[K")
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
            for line in command.rows(of: state.items[shown...], limit: columns) {
                text += line + "\n"
            }
            shown = state.items.count
        }
        if state.nextPage == nil {
            isDone = true
        } else {
            text += command.common.palette.dim(DisplayWidth.truncating(prompt(state), to: columns))
        }
        try send(text)
    }

    private func prompt(_ state: FeedState) -> String {
        if let error = state.failure {
            return "\(VisibleText.escaping("\(error)")) · Enter: try again · q: quit"
        }
        if state.shouldLoadNext { return "…" }
        let hidden = hasNewRow ? 1 : 0
        return "\(shown - hidden) of \(state.count - hidden) · Enter: more · q: quit"
    }

    private func send(_ text: String) throws(OutputError) {
        try Output.standard.write(text)
        try Output.standard.flush()
    }

    // MARK: Input

    private func readKeys() {
        guard let typed = keys?.read() else {
            isDone = true
            return
        }
        for key in typed {
            switch key {
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: " "): feed.loadNextPage()
            // Ctrl-D is the end of input.
            case UInt8(ascii: "q"), UInt8(ascii: "Q"), 4: isDone = true
            default: break
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
            try? send("\r\u{1b}[K")
            SignalPipe.die(by: number)
        }
    }
}

/// A terminal that gives each key at once, and shows none.
private final class KeyInput {
    // Closed with this object, at the end of the program.
    private let box: DescriptorBox
    private var before = termios()

    /// Begins at once; nil if that fails.
    init?(descriptor: Int32) {
        box = DescriptorBox(OwnedDescriptor(adopting: descriptor))
        // The call fills in the object's own memory.
        guard unsafe tcgetattr(descriptor, &before) == 0 else { return nil }
        begin()
    }

    func begin() {
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // The structure is a local variable that outlives the call.
        _ = unsafe tcsetattr(box.number, TCSADRAIN, &raw)
    }

    /// As it was.
    func restore() {
        // The structure is the object's own and outlives the call.
        _ = unsafe tcsetattr(box.number, TCSADRAIN, &before)
    }

    /// What has been typed; nil at the end of input.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64)
        switch try? box.descriptor.read(into: &bytes) {
        case .bytes(let count): return Array(bytes[..<count])
        case .wouldBlock: return []
        case .closed, nil: return nil
        }
    }
}
