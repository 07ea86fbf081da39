import Glibc
import PickerClient
import SystemInterface

// A live layout on a terminal: a title, and the drawing as far as it fits. The cells of a force layout are
// drawn so small that all of them are there; of the others, the first rows are.

/// `layout --watch`.
final class LayoutScreen {
    private let live: LiveRun
    private let palette: Palette
    private let terminal = Terminal.output
    private let list: LiveList
    private let layout: LiveLayout
    private var region = ScreenRegion()
    private var isPainting = false
    /// About the connection, if it is not well.
    private var trouble: String?

    init(_ live: LiveRun, _ query: ListQuery, _ layout: LayoutQuery, _ palette: Palette) {
        self.live = live
        self.palette = palette
        list = live.session.openList(query)
        self.layout = LiveLayout(of: list, layout)
    }

    func run() throws {
        list.onChange = { [weak self] _ in self?.paintSoon() }
        list.onError = { [weak self] error in
            // A lost connection is the session's to mend.
            if error.code != .disconnected { self?.live.fail(error) }
        }
        layout.onChange = { [weak self] in self?.paintSoon() }
        layout.onFinish = { [weak self] _ in self?.paintSoon() }
        layout.onError = { [weak self] in self?.live.fail($0) }
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
        case SIGWINCH, SIGCONT:
            live.attempt {
                try send("\u{1b}[?25l" + region.clear(columns: terminal.size.columns))
            }
            paintSoon()
        case SIGTSTP:
            restore()
            _ = raise(SIGSTOP)
        default:
            restore()
            SignalPipe.die(by: number)
        }
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
            live.attempt { try self.send(self.region.update(to: self.picture())) }
        }
    }

    private func picture() -> [String] {
        let size = terminal.size
        // The last column stays free: writing there makes some terminals fold.
        let columns = max(1, size.columns - 1)
        var title = palette.bold(DisplayWidth.truncating(self.title, to: columns))
        if let trouble {
            let text = VisibleText.escaping("\(trouble); trying to connect again")
            title = palette.yellow(DisplayWidth.truncating(text, to: columns))
        }
        // Without the title, and the line that the prompt comes back on.
        return [title]
            + LayoutDrawing.lines(
                LayoutPicture(layout), columns: columns, rows: max(1, size.rows - 2),
                fits: layout.query.kind == .force)
    }

    private var title: String {
        let count = layout.frames.count
        var parts = [layout.query.kind.rawValue, count == 1 ? "1 item" : "\(count) items"]
        if layout.query.kind == .force {
            let moved = (layout.movement * 10).rounded() / 10
            parts.append(
                layout.isFinished
                    ? "at rest after \(layout.tick) ticks"
                    : "tick \(layout.tick), moving \(moved) px")
        }
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
