import PickerClient
import Picking
import Previews
import SystemInterface
import TerminalCells

// A picker on the terminal of this program, from its first frame until the terminal is as it was before.

/// Runs a picker.
final class PickRun {
    private let loop: PollLoop
    private let session: PickSession
    private let screen: PickScreen
    private let options: PickOptions
    private let previews = PreviewHost()
    private var images: ImageSupport
    private var outcome: PickOutcome?
    /// Whether there have been rows.
    private var hasStarted = false

    /// `ending` is what is readable, or ends, when nobody waits for the outcome any more.
    ///
    /// - Throws: if there is no terminal, or no daemon.
    init(
        _ parameters: PickSession.Parameters, _ layout: PickLayout, _ features: TerminalFeatures,
        to path: String, until ending: DescriptorBox? = nil
    ) throws {
        images = ImageSupport(features, CurrentProcess.environment())
        options = parameters.options
        let loop = PollLoop()
        self.loop = loop
        screen = try PickScreen(layout, features, until: ending, on: loop)
        var parameters = parameters
        parameters.options.terminal = features
        let previews = self.previews
        parameters.previewing = { previews.show($0, on: loop, $1) }
        parameters.picturing = { previews.picture($0, on: loop, $1) }
        session = PickSession(parameters, on: try ReconnectingSession(to: path, on: loop))
    }

    /// Runs it to its end.
    /// - Returns: what was picked, once the terminal is as it was before.
    func run() throws -> PickOutcome {
        let (session, screen) = (session, screen)
        let painter = screen.painter
        screen.onInput = { [unowned painter] in session.send(.input($0, seen: painter.seen)) }
        screen.onReport = { [weak self] in self?.take($0) }
        screen.onSize = { session.send(.resized($0)) }
        screen.onEnd = { session.send(.signal($0)) }
        try screen.watch()
        let dates = DateText(now: SystemClock.wallSeconds(), style: .clock)
        let texts = PickTexts(size: SizeText.text, date: dates.text)
        painter.makeFrame = {
            session.state.map { PickDrawing.frame(of: $0, texts) }
                ?? ScreenFrame(grid: CellGrid(rows: 0, columns: 0))
        }
        painter.onFrame = { session.send(.drawn(frame: $0)) }
        session.onState = { [weak self] in self?.follow($0) }
        session.begin(PickState(options, size: screen.size))
        screen.isAlone = options.mode == .watch
        screen.enter()
        loop.run { outcome != nil }
        screen.end(keeping: options.mode == .watch)
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
        screen.takesKeys = outcome == nil
        // A frame's number changes the state, but not what is seen of it.
        if !screen.painter.isNumbering { screen.painter.paintSoon() }
        if state.mayShowImages { askForImages() }
        if !hasStarted, state.isAnswered, state.rows?.isComplete ?? false {
            hasStarted = true
            // Behind the frame with the first rows.
            loop.schedule(after: .zero) {
                FreedMemory.returnAll()
                FreedMemory.unmapProgram()
            }
        }
    }

    private func askForImages() {
        guard let question = images.question() else { return }
        screen.isAsked = true
        screen.painter.ask(question)
    }

    private func take(_ report: TerminalReport) {
        let features = images.take(report, cell: screen.cell)
        screen.isAsked = images.isAsked
        if let features { session.send(.terminal(features)) }
    }
}
