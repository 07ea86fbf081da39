internal import Glibc
internal import SystemInterface

extension PluginDaemon {
    /// Runs a program and waits for its end. Meanwhile pings are answered, and nothing else is handled.
    ///
    /// It gets nothing to read, what it writes to its standard error is dropped, and it is killed when the request is
    /// cancelled or it is time to go.
    ///
    /// - Parameters:
    ///   - tool: the program.
    ///   - file: what it reads, if anything: it is opened as ``DocumentFile/descriptor()`` does, so the program gets
    ///     the very file that was found to be a regular one, at the path ``Tool/file``.
    /// - Returns: how it ended, and what it printed.
    /// - Throws: ``PluginError/Code/system`` if it can't be started, ``PluginError/Code/failed`` at a limit,
    ///   ``PluginError/Code/cancelled``, ``PluginError/Code/ended``, and those of the file.
    public func run(
        _ tool: Tool, on file: DocumentFile? = nil
    ) throws(PluginError) -> Tool.Outcome {
        let descriptor = try file?.descriptor()
        let started = try orPluginError { () throws(SystemError) in
            let (output, theirs) = try OwnedDescriptor.pipe().boxed()
            let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR)
            let process = ChildProcess(
                RawPath(tool.program), arguments: tool.arguments, environment: tool.environment)
            let pid = try process.start(
                input: nothing.number, output: theirs.number, error: nothing.number,
                other: descriptor)
            return (pid, output)
        }
        let child = RunningTool(pid: started.0, output: started.1, of: tool)
        defer { child.kill() }
        beginLookingUp()
        while try !child.isDone() {
            try lookUp()
            try wait(for: child)
        }
        return Tool.Outcome(status: child.status, output: child.taken)
    }

    /// Waits for output of the program, its end, or a line of the daemon.
    private func wait(for child: RunningTool) throws(PluginError) {
        var entries = [
            pollfd(fd: socket.descriptor.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: termination?.number ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: child.watched, events: Int16(POLLIN), revents: 0),
        ]
        // The array's own pointer and count, for the duration of the call.
        _ = unsafe entries.withUnsafeMutableBufferPointer {
            unsafe poll($0.baseAddress, nfds_t($0.count), child.millisecondsLeft)
        }
        if entries[0].revents != 0 || entries[1].revents != 0 { try takeIn() }
    }
}

/// A program that runs.
private final class RunningTool {
    private let pid: Int32
    private let output: DescriptorBox
    private let tool: Tool
    private let deadline: Int64
    private var end: DescriptorBox?
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)
    /// What it has printed.
    private(set) var taken: [UInt8] = []
    private(set) var status: Int32 = 0
    private var isReaped = false
    private var isOutputOver = false

    init(pid: Int32, output: DescriptorBox, of tool: Tool) {
        self.pid = pid
        self.output = output
        self.tool = tool
        deadline = PluginDaemon.deadline(in: tool.limit)
    }

    /// What is readable when there is something to look at.
    var watched: Int32 { isOutputOver ? end?.number ?? -1 : output.number }

    var millisecondsLeft: Int32 {
        let left = max(0, deadline - SystemClock.monotonicNanoseconds())
        return Int32(clamping: (left + 999_999) / 1_000_000)
    }

    /// Takes what it has printed; whether it has ended, and nobody has its output any more.
    /// - Throws: ``PluginError/Code/failed`` at a limit.
    func isDone() throws(PluginError) -> Bool {
        let name = tool.program
        if SystemClock.monotonicNanoseconds() >= deadline {
            throw PluginError("\(name) took longer than \(tool.limit)")
        }
        while !isOutputOver {
            switch try orPluginError({ () throws(SystemError) in
                try output.descriptor.read(into: &buffer)
            }) {
            case .bytes(let count):
                taken += buffer[..<count]
                if taken.count > tool.mostOutput {
                    throw PluginError("\(name) printed more than \(tool.mostOutput) bytes")
                }
            case .wouldBlock: return false
            case .closed:
                isOutputOver = true
                end = try orPluginError { () throws(SystemError) in
                    DescriptorBox(try ChildProcess.watch(pid))
                }
            }
        }
        return try reap()
    }

    private func reap() throws(PluginError) -> Bool {
        switch try orPluginError({ () throws(SystemError) in try ChildProcess.end(of: pid) }) {
        case nil: return false
        case .exited(let code): status = code
        case .killed(let signal): status = -signal
        }
        isReaped = true
        return true
    }

    /// Kills what is left of it.
    func kill() {
        if isReaped { return }
        ChildProcess.signal(SIGKILL, group: pid)
        // A killed process ends soon; it is waited for, as nobody else does.
        if let end = try? ChildProcess.watch(pid) { end.waitUntilReadable(milliseconds: 1000) }
        _ = try? ChildProcess.end(of: pid)
    }
}
