import Glibc
import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface
import TerminalCells

// A picker on the terminal of this program, from its first frame until the terminal is as it was before.

/// Runs a picker.
final class PickRun {
    private static let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// How long a terminal that was asked just now may take for its answer, which would be typed into the shell.
    private static let patience = Duration.milliseconds(50)

    private let loop: PollLoop
    private let session: PickSession
    private let device: TerminalDevice
    private let painter: ScreenPainter
    private let layout: PickLayout
    private let options: PickOptions
    private let previews = PreviewHost()
    private var images: ImageSupport
    private var keys: KeyReader?
    private var signals: SignalPipe?
    private var outcome: PickOutcome?

    /// - Throws: if there is no terminal, or no daemon.
    init(
        _ parameters: PickSession.Parameters, _ layout: PickLayout, _ features: TerminalFeatures,
        to path: String
    ) throws {
        device = try TerminalDevice(rescue: FrameWriter.rescue(layout.place(in: nil)))
        let layout = layout.fixed(in: device.size)
        self.layout = layout
        images = ImageSupport(features, CurrentProcess.environment())
        options = parameters.options
        let loop = PollLoop()
        self.loop = loop
        var parameters = parameters
        parameters.options.terminal = features
        let previews = self.previews
        parameters.previewing = { previews.show($0, on: loop, $1) }
        session = PickSession(parameters, on: try ReconnectingSession(to: path, on: loop))
        painter = ScreenPainter(
            layout.place(in: device.size), size: device.size, features: features, to: device.box,
            on: loop)
    }

    /// Runs it to its end.
    /// - Returns: what was picked, once the terminal is as it was before.
    func run() throws -> PickOutcome {
        // The signals first: one that comes right after the modes were changed must not leave them so.
        signals = try SignalPipe(
            Self.ends + [SIGWINCH, SIGTSTP, SIGCONT], on: loop
        ) { [weak self] in self?.take(signal: $0) }
        keys = KeyReader(device, on: loop) { [weak self] in
            self?.take($0)
        } end: { [weak self] in
            // Nobody is there to be told anything else.
            self?.session.send(.signal(SIGHUP))
        }
        let dates = DateText(now: SystemClock.wallSeconds(), style: .clock)
        let texts = PickTexts(size: SizeText.text, date: dates.text)
        painter.makeFrame = { [weak session] in
            session?.state.map { PickDrawing.frame(of: $0, texts) }
                ?? ScreenFrame(grid: CellGrid(rows: 0, columns: 0))
        }
        painter.onFrame = { [weak session] in session?.send(.drawn(frame: $0)) }
        session.onState = { [weak self] in self?.follow($0) }
        session.begin(PickState(options, size: layout.size(in: device.size)))
        enterScreen()
        loop.run { outcome != nil }
        waitForPlace()
        leaveScreen(keeping: options.mode == .watch)
        session.end(visiting: pickedKeys)
        previews.close()
        return outcome ?? .cancelled
    }

    private var pickedKeys: [String] {
        guard case .picked(let items)? = outcome else { return [] }
        return items.map(\.key)
    }

    private func follow(_ state: PickState) {
        if outcome == nil { outcome = state.outcome }
        // A frame's number changes the state, but not what is seen of it.
        if !painter.isNumbering { painter.paintSoon() }
        if state.mayShowImages { askForImages() }
    }

    private func askForImages() {
        guard let question = images.question() else { return }
        keys?.isAsked = true
        painter.ask(question)
    }

    private func take(_ report: TerminalReport) {
        let features = images.take(report, cell: device.cell)
        keys?.isAsked = images.isAsked
        if let features { session.send(.terminal(features)) }
    }

    private func take(_ input: TerminalInput) {
        // After the end, too, an answer ends the wait for it.
        if case .report(let report) = input { return take(report) }
        if case .cursorPosition(let place) = input { return painter.take(cursorRow: place.row) }
        if outcome != nil { return }
        switch input {
        case .key(KeyPress(.character("z"), .control)): suspend()
        case .key(KeyPress(.character("l"), .control)): painter.forget(size: device.size)
        case .mouse(var event):
            guard let row = painter.row(at: event.place.row) else { return }
            event.place.row = row
            session.send(.input(.mouse(event), seen: painter.seen))
        default: session.send(.input(input, seen: painter.seen))
        }
    }

    private func take(signal number: Int32) {
        switch number {
        case SIGWINCH:
            painter.forget(size: device.size)
            session.send(.resized(layout.size(in: device.size)))
        case SIGTSTP: suspend()
        case SIGCONT: goOn()
        default: session.send(.signal(number))
        }
    }

    // MARK: The screen

    private func enterScreen() {
        guard device.begin() else { return }
        keys?.begin()
        painter.begin()
    }

    private func waitForPlace() {
        guard painter.isActive, painter.isAsking else { return }
        var isOver = false
        let timer = loop.schedule(after: Self.patience) { isOver = true }
        loop.run { isOver || !painter.isAsking }
        timer.cancel()
    }

    private func leaveScreen(keeping: Bool = false) {
        keys?.stop()
        painter.leave(keeping: keeping)
        keys?.takeAnswers()
        device.restore()
    }

    /// Stops this program and those that it is in a pipe with, as Ctrl-Z does elsewhere.
    private func suspend() {
        leaveScreen()
        signal(SIGTSTP, SIG_DFL)
        if options.mode == .watch {
            // It is in no pipe.
            raise(SIGSTOP)
        } else {
            // Nothing happens where no shell would have it go on.
            kill(0, SIGTSTP)
        }
        signals?.handle(SIGTSTP)
        goOn()
    }

    /// Shows the screen again, unless this program is in the background.
    private func goOn() {
        let wasActive = painter.isActive
        guard device.begin() else {
            if wasActive { leaveScreen() }
            return
        }
        keys?.begin()
        painter.begin()
        painter.forget(size: device.size)
        session.send(.resized(layout.size(in: device.size)))
    }
}
