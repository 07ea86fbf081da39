import Glibc
import PickerClient
import SystemInterface

// The live list on a terminal: a title, the rows that fit, and how many there are beyond them. The
// daemon is asked for no more rows than fit. Dates are said in a form that stays right while the
// screen stands still, so that nothing has to be drawn when nothing happens.

/// `watch` on a terminal.
final class WatchScreen {
    private let live: LiveRun
    private let query: ListQuery
    private let palette: Palette
    private let terminal = Terminal.output
    private let list: LiveList
    private var region = ScreenRegion()
    private var isPainting = false
    /// About the connection, if it is not well.
    private var trouble: String?

    init(_ live: LiveRun, _ query: ListQuery, _ palette: Palette) {
        self.live = live
        self.query = query
        self.palette = palette
        list = live.session.openList(Self.query(query, terminal.size))
    }

    private static func query(_ query: ListQuery, _ size: (rows: Int, columns: Int))
        -> ListQuery
    {
        var query = query
        // Without the title, the line about the rest, and the one that the prompt comes back on.
        query.count = min(query.count ?? .max, max(1, size.rows - 3))
        return query
    }

    func run() throws {
        list.onChange = { [weak self] _ in self?.paintSoon() }
        list.onError = { [weak self] error in
            if error.code != .disconnected { self?.live.fail(error) }
        }
        list.onReopen = { [weak self] _ in self?.paintSoon() }
        live.session.onState = { [weak self] in self?.enter($0) }
        try live.handle([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) {
            [weak self] in self?.receive(signal: $0)
        }
        try send("\u{1b}[?25l")
        do {
            try live.run()
        } catch {
            restore()
            throw error
        }
        restore()
    }

    private func receive(signal number: Int32) {
        switch number {
        case SIGWINCH: resize()
        case SIGCONT:
            live.attempt { try send("\u{1b}[?25l") }
            resize()
        case SIGTSTP:
            restore()
            _ = raise(SIGSTOP)
        default:
            restore()
            SignalPipe.die(by: number)
        }
    }

    private func resize() {
        live.attempt { try send(region.clear(columns: terminal.size.columns)) }
        let query = Self.query(self.query, terminal.size)
        if query != list.query { list.update(to: query) }
        paintSoon()
    }

    private func enter(_ state: ReconnectingSession.State) {
        switch state {
        case .connected, .closed: trouble = nil
        case .lost(let error): trouble = "\(error)"
        case .retrying: break
        }
        paintSoon()
    }

    /// One drawing for all that happens in a turn of the loop.
    private func paintSoon() {
        if isPainting { return }
        isPainting = true
        live.loop.atEndOfTurn { [weak self] in
            guard let self else { return }
            isPainting = false
            live.attempt { try self.send(self.region.update(to: self.frame())) }
        }
    }

    private func frame() -> [String] {
        let size = terminal.size
        // The last column stays free: writing there makes some terminals fold.
        let columns = max(1, size.columns - 1)
        let dates = DateText(now: SystemClock.wallSeconds(), style: .clock)
        var rows = ItemRows(dates: dates, palette: palette, isSteady: true)
        for item in list.items.prefix(max(1, size.rows - 3)) { rows.add(item) }
        var lines = [palette.bold(DisplayWidth.truncating(title(), to: columns))]
        if let trouble {
            let text = VisibleText.escaping("\(trouble); trying to connect again")
            lines[0] = palette.yellow(DisplayWidth.truncating(text, to: columns))
        }
        lines += rows.lines(limit: columns)
        let rest = list.total - list.items.count
        if rest > 0 {
            lines.append(palette.dim(DisplayWidth.truncating("… and \(rest) more", to: columns)))
        }
        return lines
    }

    private func title() -> String {
        let count = list.total - (query.hasNewRow && list.total > 0 ? 1 : 0)
        var parts = [count == 1 ? "1 document" : "\(count) documents"]
        if !query.sort.isEmpty {
            parts.append("by \(VisibleText.escaping(query.sort.joined(separator: ",")))")
        }
        if let search = query.search {
            parts.append("with '\(VisibleText.escaping(search))'")
        }
        if let filter = query.filter { parts.append(VisibleText.escaping(filter.text)) }
        if !list.isComplete { parts.append("…") }
        return parts.joined(separator: " · ")
    }

    private func send(_ text: String) throws(OutputClosed) {
        if text.isEmpty { return }
        try Output.standard.write(text)
        try Output.standard.flush()
    }

    /// The cursor back, below what is shown.
    private func restore() {
        try? send(region.leave() + "\u{1b}[?25h")
    }
}
