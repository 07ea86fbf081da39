import Glibc
import PickerClient
import TerminalCells

// A screen that is redrawn after each change: a title, which errors of the connection replace, and lines
// below it. It is drawn below the prompt, as high as its contents, and stays when the program ends.

/// The contents of a live screen.
protocol LiveScreenContent: AnyObject {
    /// One line, truncated to the width of the terminal.
    var title: String { get }

    /// The lines below the title, for a terminal with this number of rows; none is wider than `columns`.
    func lines(rows: Int, columns: Int) -> [String]

    /// Called when the terminal's size may have changed. The whole screen is drawn afterwards.
    func resize()
}

/// Draws on a terminal as long as a session runs.
final class LiveScreen {
    private static let hidingCursor = "\u{1b}[?25l"
    private static let showingCursor = "\u{1b}[?25h"

    private let live: LiveRun
    private let palette: Palette
    private let terminal = Terminal.output
    private weak var content: (any LiveScreenContent)?
    private var region = ScreenRegion()
    private var keys: KeyInput?
    private var isPainting = false
    /// The problem of the connection, if any.
    private var trouble: String?

    init(_ live: LiveRun, _ palette: Palette) {
        self.live = live
        self.palette = palette
    }

    /// The current size of the terminal.
    var size: (rows: Int, columns: Int) { terminal.size }

    /// Shows `content` until a signal or a failure ends the run.
    func run(showing content: any LiveScreenContent) throws {
        self.content = content
        live.session.onState = { [weak self] in self?.enter($0) }
        try live.handle([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) {
            [weak self] in self?.receive(signal: $0)
        }
        if Terminal(descriptor: 0).isTerminal {
            keys = KeyInput(descriptor: 0)
            keys?.follow(on: live.loop) { [live] typed in
                if typed?.contains(where: KeyInput.isQuit) ?? false { live.loop.stop() }
            }
        }
        do {
            try Output.standard.writeNow(Self.hidingCursor)
            try live.run()
        } catch {
            restore()
            throw error
        }
        restore()
    }

    /// Draws the changes of a list, and ends the run when the list fails.
    func follow(_ list: LiveList) {
        list.onChange = { [weak self] _ in self?.paintSoon() }
        list.onError = { [weak self] error in
            // The session restores a lost connection.
            if error.code != .disconnected { self?.live.fail(error) }
        }
    }

    /// Draws once for all changes in a turn of the loop.
    func paintSoon() {
        if isPainting { return }
        isPainting = true
        live.loop.atEndOfTurn { [weak self] in
            guard let self else { return }
            isPainting = false
            live.attempt {
                try Output.standard.writeNow(self.region.update(to: self.picture()))
            }
        }
    }

    private func receive(signal number: Int32) {
        switch number {
        case SIGWINCH, SIGCONT:
            let hiding = number == SIGCONT ? Self.hidingCursor : ""
            if number == SIGCONT { keys?.begin() }
            live.attempt {
                try Output.standard.writeNow(hiding + region.clear(columns: size.columns))
            }
            content?.resize()
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

    private func picture() -> [String] {
        guard let content else { return [] }
        let size = size
        // The last column stays free: some terminals wrap when it is written.
        let columns = max(1, size.columns - 1)
        var title = palette.bold(DisplayWidth.truncating(content.title, to: columns))
        if let trouble {
            let text = VisibleText.escaping("\(trouble); trying to connect again")
            title = palette.yellow(DisplayWidth.truncating(text, to: columns))
        }
        return [title] + content.lines(rows: size.rows, columns: columns)
    }

    /// Shows the cursor again, below the screen, and restores the key mode.
    private func restore() {
        keys?.restore()
        try? Output.standard.writeNow(region.leave() + Self.showingCursor)
    }
}
