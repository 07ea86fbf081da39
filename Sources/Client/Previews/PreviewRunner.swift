package import PickerClient
package import Picking
package import StateFeedback
package import SystemInterface
internal import TerminalCells

/// Makes previews of files, one at a time: by this program, or by a command.
///
/// The loop never waits: files are read on threads of their own, and commands are processes. A preview begins at once,
/// but one that is asked for less than `pause` after the one before begins when as much time has passed without
/// another, so that a cursor that runs over many files starts nothing. Files that change all the time are not put off
/// for longer than that. Confined to the loop's thread.
package final class PreviewRunner {
    package static let pause = Duration.milliseconds(30)
    /// After so long without anything to show, the preview is said to be loading.
    package static let patience = Duration.milliseconds(100)

    /// At most so many commands, with those that have been told to end; a new one waits until there are fewer.
    package var mostCommands = 16

    private let loop: PollLoop
    private let environment: [String: String]
    private var readers: FileReaders?
    private var commands: [Int32: RunningCommand] = [:]
    private var current: WantedPreview?
    private var count = 0
    /// What was asked for last, and when; and when a preview last began.
    private var last: (path: [UInt8], time: Int64)?
    private var lastBegin: Int64?

    /// - Parameter loop: Waits for files and commands.
    /// - Throws: the system's error if there is no descriptor left.
    package convenience init(on loop: PollLoop) throws(SystemError) {
        try self.init(on: loop, environment: CurrentProcess.environment()) { $0.read() }
    }

    /// - Parameters:
    ///   - loop: Waits for files and commands.
    ///   - environment: That of commands.
    ///   - reading: Reads a file, on a thread: for tests.
    /// - Throws: the system's error if there is no descriptor left.
    package init(
        on loop: PollLoop, environment: [String: String],
        reading: @escaping @Sendable (FilePreview) -> FileContent
    ) throws(SystemError) {
        self.loop = loop
        self.environment = environment
        readers = try FileReaders(on: loop, reading) { [unowned self] in took($0, $1) }
    }

    deinit { close() }

    /// Makes a preview, in place of the one before.
    ///
    /// - Parameters:
    ///   - request: What is to be shown.
    ///   - tell: Called with the preview, as often as it changes, but at most once in a turn of the loop; perhaps
    ///     before this returns.
    /// - Returns: what ends it; `tell` is not called after that.
    package func start(
        _ request: PreviewRequest, _ tell: @escaping (PreviewContent) -> Void
    ) -> Cancellation {
        endCurrent()
        count += 1
        let wanted = WantedPreview(request, number: count, tell)
        let number = count
        guard readers != nil else { return .none }
        current = wanted
        wanted.timers.append(
            loop.schedule(after: Self.patience) { [unowned self] in tellLoading(number) })
        let now = loop.nanoseconds
        let wait = timeToWait(for: request, now)
        last = (request.path, now)
        if wait == .zero {
            begin(wanted)
        } else {
            wanted.timers.append(
                loop.schedule(after: wait) { [unowned self] in
                    if let current, current.number == number { begin(current) }
                })
        }
        return Cancellation { [weak self] in
            if let self, current?.number == number { endCurrent() }
        }
    }

    private func timeToWait(for request: PreviewRequest, _ now: Int64) -> Duration {
        guard let last, let lastBegin else { return .zero }
        // Of the same file: it has changed, or is shown otherwise.
        let since = last.path == request.path ? lastBegin : last.time
        let passed = Duration.nanoseconds(now - since)
        if passed >= Self.pause { return .zero }
        return last.path == request.path ? Self.pause - passed : Self.pause
    }

    /// Ends the preview and all commands, for which it waits as long as they have to end; threads that hang are left
    /// behind. Nothing is told any more.
    package func close() {
        endCurrent()
        readers?.close()
        readers = nil
        let left = Array(exchange(&commands, with: [:]).values)
        for command in left {
            command.onOver = {}
            command.stop()
        }
        let deadline = loop.nanoseconds + RunningCommand.grace.wholeNanoseconds
        for command in left { command.wait(until: deadline) }
    }

    private func endCurrent() {
        guard let ended = current.take() else { return }
        for timer in ended.timers { timer.cancel() }
        ended.command?.onNews = {}
        ended.command?.stop()
    }

    private func tellLoading(_ number: Int) {
        guard let current, current.number == number, !current.hasTold else { return }
        current.tell(.loading)
    }

    private func begin(_ wanted: WantedPreview) {
        lastBegin = loop.nanoseconds
        wanted.isWaiting = false
        if let line = wanted.request.command {
            begin(line, wanted)
        } else {
            beginReading(wanted)
        }
    }

    // MARK: - Files

    private func beginReading(_ wanted: WantedPreview) {
        do throws(SystemError) {
            let preview = FilePreview(
                of: wanted.request, searchPath: environment["PATH"] ?? "")
            if try readers?.read(preview, number: wanted.number) == false {
                wanted.isWaiting = true
                wanted.tell(
                    .failed(
                        "It can't be read now: \(FileReaders.mostThreads) files before it are "
                            + "still being read"))
            }
        } catch { wanted.tell(.failed("It can't be read now: \(error)")) }
    }

    private func took(_ number: Int, _ file: FileContent) {
        if let current, current.number == number {
            if file.isForImageProgram {
                current.substitute = file.content
                let request = current.request
                begin(ImageProgram.line(in: request.area, on: request.terminal), current)
            } else {
                current.tell(file.content)
            }
        }
        beginWaiting()
    }

    /// Begins the preview for which there was no room before.
    private func beginWaiting() {
        if let current, current.isWaiting { begin(current) }
    }

    // MARK: - Commands

    private func begin(_ line: String, _ wanted: WantedPreview) {
        if commands.count >= mostCommands {
            wanted.isWaiting = true
            wanted.tell(
                .failed(
                    "The command can't be run now: \(mostCommands) before it have not ended"))
            return
        }
        do {
            let shell = try PreviewCommand(line).shell(
                for: wanted.request, environment: environment)
            let command = try RunningCommand(shell, on: loop)
            commands[command.process] = command
            wanted.command = command
            let (number, process) = (wanted.number, command.process)
            command.onNews = { [unowned self] in hasNews(number) }
            command.onOver = { [unowned self] in isOver(process) }
        } catch { wanted.tell(.failed("The command can't be run: \(error)")) }
    }

    /// What a command printed in one turn is told at the end of that.
    private func hasNews(_ number: Int) {
        guard let current, current.number == number, !current.isToldLater else { return }
        current.isToldLater = true
        loop.atEndOfTurn { [weak self] in
            guard let current = self?.current, current.number == number else { return }
            current.isToldLater = false
            let content = current.command.flatMap { Self.content(of: $0, current.substitute) }
            if let content { current.tell(content) }
        }
    }

    private func isOver(_ process: Int32) {
        commands[process] = nil
        beginWaiting()
    }

    /// - Parameters:
    ///   - command: What prints it.
    ///   - substitute: What is shown if the command fails.
    /// - Returns: nil if there is nothing to show yet.
    private static func content(
        of command: RunningCommand, _ substitute: PreviewContent?
    ) -> PreviewContent? {
        if let substitute, let end = command.end, end != .exited(0) { return substitute }
        var lines = command.text.lines
        let failure: String? =
            switch command.end {
            case nil, .exited(0)?: nil
            case .exited(let status)?: "The command ended with exit status \(status)"
            case .killed(let signal)?: "The command was ended by signal \(signal)"
            }
        if lines.isEmpty {
            if let failure { return .failed(failure) }
            if command.isCut { return .failed("The command printed much, but no text") }
            return command.end == nil ? nil : .failed("The command printed nothing")
        }
        if let failure { lines.append(StyledText(escaping: failure, style: PreviewStyle.note)) }
        return .text(lines, firstMatch: nil, isCut: command.isCut || command.text.wasCut)
    }
}
