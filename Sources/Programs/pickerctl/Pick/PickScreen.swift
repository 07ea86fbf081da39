import Glibc
import PickerClient
import SystemInterface
import TerminalCells

/// The terminal of this program while something is picked on it: its modes, its screen, its keys, and the signals that
/// are about it. On each way out it is left as it was before.
final class PickScreen {
    private static let ends = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
    /// How long a terminal that was asked just now may take for its answer, which would be typed into the shell.
    private static let patience = Duration.milliseconds(50)

    /// Called with what was typed, but for what is about the screen itself.
    var onInput: (TerminalInput) -> Void = { _ in }
    /// Called with an answer of the terminal, after the end, too: it ends the wait for it.
    var onReport: (TerminalReport) -> Void = { _ in }
    /// Called with another size.
    var onSize: (TerminalSize) -> Void = { _ in }
    /// Called when a signal asks for the end, or the terminal is gone.
    var onEnd: (Int32) -> Void = { _ in }

    /// Whether what is typed counts; not once it is known how it ends.
    var takesKeys = true
    /// Whether it is in no pipe, so that Ctrl-Z stops this program alone.
    var isAlone = false
    let painter: ScreenPainter
    private let device: TerminalDevice
    private let layout: PickLayout
    private let loop: PollLoop
    private var keys: KeyReader?
    private var signals: SignalPipe?
    private let ending: DescriptorBox?

    /// `ending` is what is readable, or ends, when nobody waits for what is picked any more.
    ///
    /// - Throws: if there is no terminal.
    init(
        _ layout: PickLayout, _ features: TerminalFeatures, until ending: DescriptorBox?,
        on loop: PollLoop
    ) throws(SystemError) {
        device = try TerminalDevice(rescue: FrameWriter.rescue(layout.place(in: nil)))
        self.layout = layout.fixed(in: device.size)
        self.loop = loop
        self.ending = ending
        painter = ScreenPainter(
            self.layout.place(in: device.size), size: device.size, features: features,
            to: device.box, on: loop)
    }

    /// The rows and columns for frames.
    var size: TerminalSize { layout.size(in: device.size) }

    /// Watches for signals and keys from now on.
    func watch() throws(SystemError) {
        // The signals first: one that comes right after the modes were changed must not leave them so.
        signals = try SignalPipe(
            Self.ends + [SIGWINCH, SIGTSTP, SIGCONT], on: loop
        ) { [weak self] in self?.take(signal: $0) }
        keys = KeyReader(device, on: loop) { [weak self] in
            self?.take($0)
        } end: { [weak self] in
            // Nobody is there to be told anything else.
            self?.onEnd(SIGHUP)
        }
        guard let ending else { return }
        var watch: PollWatch?
        watch = loop.watch(ending.number, for: .readable) { [weak self] _ in
            watch?.cancel()
            watch = nil
            self?.onEnd(SIGHUP)
        }
    }

    /// The pixels of a cell, if that is known.
    var cell: CellPixels? { device.cell }

    /// Whether the terminal was asked something, and has not answered yet.
    var isAsked = false {
        didSet { keys?.isAsked = isAsked }
    }

    private func take(_ input: TerminalInput) {
        // After the end, too, an answer ends the wait for it.
        if case .report(let report) = input { return onReport(report) }
        if case .cursorPosition(let place) = input { return painter.take(cursorRow: place.row) }
        guard takesKeys else { return }
        switch input {
        case .key(KeyPress(.character("z"), .control)): suspend()
        case .key(KeyPress(.character("l"), .control)): painter.forget(size: device.size)
        case .mouse(var event):
            guard let row = painter.row(at: event.place.row) else { return }
            event.place.row = row
            onInput(.mouse(event))
        default: onInput(input)
        }
    }

    private func take(signal number: Int32) {
        switch number {
        case SIGWINCH:
            painter.forget(size: device.size)
            onSize(size)
        case SIGTSTP: suspend()
        case SIGCONT: goOn()
        default: onEnd(number)
        }
    }

    /// Shows frames, unless this program is in the background.
    func enter() {
        guard device.begin() else { return }
        keys?.begin()
        painter.begin()
    }

    /// Gives the terminal back, at the end; what was asked of it just now is waited for. The last frame stays there with
    /// `keeping`.
    func end(keeping: Bool = false) {
        if painter.isActive, painter.isAsking {
            var isOver = false
            let timer = loop.schedule(after: Self.patience) { isOver = true }
            loop.run { isOver || !painter.isAsking }
            timer.cancel()
        }
        leave(keeping: keeping)
    }

    private func leave(keeping: Bool = false) {
        keys?.stop()
        painter.leave(keeping: keeping)
        keys?.takeAnswers()
        device.restore()
    }

    /// Stops this program and those that it is in a pipe with, as Ctrl-Z does elsewhere.
    private func suspend() {
        leave()
        signal(SIGTSTP, SIG_DFL)
        if isAlone {
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
            if wasActive { leave() }
            return
        }
        keys?.begin()
        painter.begin()
        painter.forget(size: device.size)
        onSize(size)
    }
}
