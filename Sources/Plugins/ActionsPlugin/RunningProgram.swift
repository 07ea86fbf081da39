internal import EventLoops
internal import Glibc
internal import PluginInterface
internal import SystemInterface

/// How a program ended.
enum ProgramEnd {
    case exited(ChildEnd, output: String)
    case late
    case notStarted(String)

    func outcome(of program: DesktopProgram) -> ActionOutcome {
        let name = "\(program.name) \(program.arguments.first ?? "")"
        switch self {
        case .exited(.exited(0), _): return .done
        case .exited(let end, let output):
            let last = output.split(separator: "\n").last { !$0.allSatisfy(\.isWhitespace) }
            if let last {
                let said = last.hasPrefix("gio: ") ? last.dropFirst("gio: ".count) : last
                return .failed("\(name): \(said.prefix(512))")
            }
            switch end {
            case .exited(let status): return .failed("'\(name)' ended with the status \(status)")
            case .killed(let signal): return .failed("'\(name)' was ended by the signal \(signal)")
            }
        case .late: return .failed("'\(name)' did not end within 30 s, and was ended")
        case .notStarted(let why): return .failed("'\(name)' could not be started: \(why)")
        }
    }
}

/// A child of this process, with a limit on its time and on its output.
///
/// What it prints goes to a file in memory of a fixed size. An application that it has left behind keeps that file, and
/// may print into it, or fail to, for as long as it runs: a pipe would end it with the reader.
final class RunningProgram {
    static let mostOutput = 16_384

    private let loop: any EventLoop
    private var process: Int32?
    private var descriptor: DescriptorBox?
    private var source: (any IOSource)?
    private var timer: (any TimerSource)?
    private var output: DescriptorBox?
    private var isLate = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a command; its first word is a path. `done` is called once, later.
    func run(
        _ command: [String], _ environment: [String: String], within limit: Duration,
        done: @escaping (ProgramEnd) -> Void
    ) {
        do throws(SystemError) {
            let nothing = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDONLY)
            let output = DescriptorBox(
                try OwnedDescriptor.boundedMemory(Self.mostOutput, name: "pickerd-output"))
            self.output = output
            let process = try ChildProcess(
                RawPath(command[0]), arguments: Array(command.dropFirst()),
                environment: environment
            ).start(input: nothing.number, output: output.number, error: output.number)
            self.process = process
            let descriptor = DescriptorBox(try ChildProcess.watch(process))
            self.descriptor = descriptor
            // It keeps itself until the end of its process, which has to be asked for.
            source = try loop.watch(descriptor.number, for: .readable) { [self] _ in
                look(at: process, done)
            }
            timer = try loop.schedule(after: limit) { [unowned self] in
                isLate = true
                kill()
            }
        } catch {
            // One that can't be watched is not left alone.
            kill()
            loop.enqueue { done(.notStarted("\(error)")) }
        }
    }

    private func kill() {
        if let process { ChildProcess.signal(SIGKILL, group: process) }
    }

    private func look(at process: Int32, _ done: (ProgramEnd) -> Void) {
        let end: ProgramEnd
        do throws(SystemError) {
            guard let reaped = try ChildProcess.end(of: process) else { return }
            end = isLate ? .late : .exited(reaped, output: printed)
        } catch {
            end = .notStarted("\(error)")
        }
        self.process = nil
        source?.cancel()
        source = nil
        timer?.cancel()
        timer = nil
        descriptor = nil
        output = nil
        done(end)
    }

    /// What it has printed: what follows is zeros.
    private var printed: String {
        var buffer = [UInt8](repeating: 0, count: Self.mostOutput)
        guard let output, let count = try? output.descriptor.read(into: &buffer, at: 0) else {
            return ""
        }
        return String(decoding: buffer[..<count].prefix { $0 != 0 }, as: UTF8.self)
    }
}
