import PickerClient
import Picking
import Previews
import StateFeedback
import SystemInterface
import TerminalCells

// Folders on the terminal of this program, from the first frame until the terminal is as it was before. The disk is
// read by a thread of its own, and the daemon is not asked for anything: folders are none of its documents.

/// Has a folder chosen, or a folder and a name.
final class BrowseRun {
    private let loop = PollLoop()
    private let screen: PickScreen
    private let options: BrowseOptions
    private let folders: FolderReader
    private var system: FeedbackSystem<BrowseState, BrowseEvent>?
    private var outcome: BrowseOutcome?

    /// `ending` is what is readable, or ends, when nobody waits for the outcome any more.
    ///
    /// - Throws: if there is no terminal.
    init(
        _ options: BrowseOptions, _ layout: PickLayout, _ features: TerminalFeatures,
        until ending: DescriptorBox? = nil
    ) throws(SystemError) {
        self.options = options
        screen = try PickScreen(layout, features, until: ending, on: loop)
        folders = try FolderReader(on: loop)
    }

    /// Runs it to its end.
    /// - Returns: what was accepted, once the terminal is as it was before.
    func run() throws(SystemError) -> BrowseOutcome {
        let painter = screen.painter
        screen.onInput = { [weak self] in self?.send(.input($0, seen: painter.seen)) }
        screen.onSize = { [weak self] in self?.send(.resized($0)) }
        screen.onEnd = { [weak self] in self?.send(.signal($0)) }
        try screen.watch()
        painter.makeFrame = { [weak self] in
            self?.system.map { BrowseDrawing.frame(of: $0.state) }
                ?? ScreenFrame(grid: CellGrid(rows: 0, columns: 0))
        }
        painter.onFrame = { [weak self] in self?.send(.drawn(frame: $0)) }
        let (folders, loop) = (folders, loop)
        system = FeedbackSystem(
            initial: BrowseState(options, size: screen.size), reduce: BrowseState.reduce,
            feedback: [
                .react(to: \.wantedFolder) { wanted, send in
                    folders.follow(wanted) { send(.listing($0, of: wanted.number)) }
                },
                .react(to: \.wantedRequest) { request, send in
                    folders.perform(request) { send(.answered(request: request.number, $0)) }
                },
                .react(to: \.wantedTimer) { request, send in
                    let delay = Duration.milliseconds(request.milliseconds)
                    let timer = loop.schedule(after: delay) { send(.timeOut(request.number)) }
                    return Cancellation { timer.cancel() }
                },
                .observe { [weak self] in self?.follow($0) },
            ])
        screen.enter()
        loop.run { outcome != nil }
        screen.end()
        system?.stop()
        folders.close()
        return outcome ?? .cancelled
    }

    private func send(_ event: BrowseEvent) { system?.send(event) }

    private func follow(_ state: BrowseState) {
        if outcome == nil { outcome = state.outcome }
        screen.takesKeys = outcome == nil
        // A frame's number changes the state, but not what is seen of it.
        if !screen.painter.isNumbering { screen.painter.paintSoon() }
    }
}
