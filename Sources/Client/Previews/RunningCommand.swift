internal import Glibc
internal import PickerClient
internal import SystemInterface
internal import TerminalCells

/// A command that prints a preview, from its start until nothing is left of it.
///
/// It has a process group of its own. Its standard output and error are one pipe, of which at most `mostOutput` bytes
/// are read; then it is ended. When the shell has ended by itself, what it has left behind in its group is killed: the
/// preview is complete. When it is to end, the group gets SIGTERM, and SIGKILL after `grace`, or as soon as the shell
/// has ended and nobody has its output any more.
///
/// The shell is reaped last: until then its number, which is that of the group, can't become that of another group.
/// Whoever starts it keeps it until it is over.
final class RunningCommand {
    static let mostOutput = 1 << 20
    static let grace = Duration.milliseconds(300)
    private static let chunk = 32 << 10

    private enum Stage {
        case running
        /// It was told to end, and is killed when the timer is due.
        case ending(PollTimer)
        case killed
        case over
    }

    /// The number of the shell and of its process group.
    let process: Int32
    /// Called when there is more output, when that is cut, and when the shell has ended by itself.
    var onNews: () -> Void = {}
    /// Called once, when nothing is left of it.
    var onOver: () -> Void = {}
    private(set) var lines = PlainLines()
    /// Whether it printed more than is read.
    private(set) var isCut = false
    /// How the shell ended by itself.
    private(set) var end: ChildEnd?

    private let loop: PollLoop
    private var stage = Stage.running
    private var output: DescriptorBox?
    private var outputWatch: PollWatch?
    private let shell: DescriptorBox
    private var shellWatch: PollWatch?
    private var hasShellEnded = false
    private var taken = 0

    /// Starts it.
    /// - Throws: the system's error; then nothing runs.
    init(_ command: ChildProcess, on loop: PollLoop) throws(SystemError) {
        self.loop = loop
        let (output, theirs) = try OwnedDescriptor.pipe().boxed()
        let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDONLY)
        process = try command.start(
            input: nothing.number, output: theirs.number, error: theirs.number)
        do throws(SystemError) {
            shell = DescriptorBox(try ChildProcess.watch(process))
        } catch {
            // As good as impossible: the start had more descriptors. It is reaped when this program has ended.
            ChildProcess.signal(SIGKILL, group: process)
            throw error
        }
        self.output = output
        outputWatch = loop.watch(output.number, for: .readable) { [unowned self] _ in look() }
        shellWatch = loop.watch(shell.number, for: .readable) { [unowned self] _ in shellEnded() }
    }

    /// Whether it has not been told to end, and has not ended.
    var isRunning: Bool {
        if case .running = stage { true } else { false }
    }

    /// Has it end, unless it does so already.
    func stop() {
        guard isRunning else { return }
        // From now on the loop tells only when nobody has the output any more.
        outputWatch?.events = []
        ChildProcess.signal(SIGTERM, group: process)
        stage = .ending(loop.schedule(after: Self.grace) { [unowned self] in kill() })
    }

    /// Waits for its end until a time of the loop's clock, then kills it and waits for that, at most a second: for the
    /// end of the program. It was told to end before.
    func wait(until deadline: Int64) {
        if case .over = stage { return }
        var milliseconds: Int32 { Int32(clamping: (deadline - loop.nanoseconds) / 1_000_000) }
        // No event is waited for but that nobody has the output any more.
        output?.descriptor.poll(for: 0, milliseconds: max(0, milliseconds))
        shell.descriptor.waitUntilReadable(milliseconds: max(0, milliseconds))
        ChildProcess.signal(SIGKILL, group: process)
        shell.descriptor.waitUntilReadable(milliseconds: 1000)
        finish()
    }

    /// Reads once, so that other handlers get their turn.
    private func look() {
        if isRunning {
            read()
            onNews()
        } else {
            closeOutput()
            if hasShellEnded { finish() }
        }
    }

    /// - Returns: whether there may be more to be read now.
    @discardableResult
    private func read() -> Bool {
        guard let output else { return false }
        var buffer = [UInt8](repeating: 0, count: Self.chunk)
        // An error of a pipe, of which Linux has none, would be its end.
        let transfer = (try? output.descriptor.read(into: &buffer)) ?? .closed
        switch transfer {
        case .wouldBlock: return false
        case .closed: closeOutput()
        case .bytes(let count):
            let kept = min(count, Self.mostOutput - taken)
            taken += kept
            lines.take(Array(buffer[..<kept]))
            if kept == count { return true }
            isCut = true
            closeOutput()
            stop()
        }
        return false
    }

    private func closeOutput() {
        outputWatch.take()?.cancel()
        output = nil
    }

    private func shellEnded() {
        shellWatch.take()?.cancel()
        hasShellEnded = true
        if isRunning {
            while read() {}
            finish()
            onNews()
        } else if output == nil {
            finish()
        }
    }

    private func kill() {
        stage = .killed
        closeOutput()
        ChildProcess.signal(SIGKILL, group: process)
        if hasShellEnded { finish() }
    }

    /// Kills what is left of the group, and reaps the shell.
    private func finish() {
        ChildProcess.signal(SIGKILL, group: process)
        let status = (try? ChildProcess.end(of: process)) ?? nil
        if isRunning { end = status }
        if case .ending(let timer) = stage { timer.cancel() }
        stage = .over
        shellWatch.take()?.cancel()
        closeOutput()
        onOver()
    }
}
