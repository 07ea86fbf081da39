internal import DequeModule
internal import EventLoops
internal import PluginInterface
internal import SystemInterface
internal import TransientServices
internal import WireProtocol

/// Runs programs of the desktop, a few at a time.
///
/// Under the user's service manager each is a service of its own, started by `systemd-run`: what a desktop starts must
/// not get the daemon's sandbox, nor count as its memory, nor end with it. An application that `gio open` has started
/// goes on when `gio` ends, and so the service leaves its processes alone. (`TransientServices` ends them with their
/// main process, as is right for plugins.) Without a manager they are children.
final class ProgramRunner {
    static let mostInFlight = 4
    static let mostWaiting = 4096
    /// The time that one has; a service has a little less, so that the manager ends it first.
    static let limit = Duration.seconds(30)
    private static let serviceSeconds = 25

    private struct Job {
        let program: DesktopProgram
        let ticket: OutcomeTally.Ticket
        let done: (ActionOutcome) -> Void
    }

    /// Where programs run, which is asked again after each rest.
    private enum Place {
        case unknown, asking
        case services, children
    }

    private let loop: any EventLoop
    private let environment: [String: String]
    /// Where the user's service manager listens; nil for none.
    var runtimeFolder: String?
    private var place = Place.unknown
    private var manager: UserServiceManager?
    private var waiting = Deque<Job>()
    private var running: [RunningProgram] = []
    private var starts = 0

    init(on loop: any EventLoop, environment: [String: String], runtimeFolder: String?) {
        self.loop = loop
        self.runtimeFolder = runtimeFolder
        self.environment = environment.filter { !Self.ownVariables.contains($0.key) }
    }

    /// The variables that the service manager has set for the daemon alone.
    private static let ownVariables: Set<String> = [
        "INVOCATION_ID", "JOURNAL_STREAM", "LISTEN_FDNAMES", "LISTEN_FDS", "LISTEN_PID", "MAINPID",
        "MANAGERPID", "NOTIFY_SOCKET", "SYSTEMD_EXEC_PID", "WATCHDOG_PID", "WATCHDOG_USEC",
    ]

    /// Throws if so many more can't wait.
    func requireRoom(for count: Int) throws(ProtocolError) {
        guard waiting.count + count <= Self.mostWaiting else {
            throw .overloaded(
                retryAfterMs: 1000,
                "\(waiting.count) programs wait to be started; \(Self.mostWaiting) may: try again")
        }
    }

    /// Runs a program; `done` is called once, later. One that has not begun when its ticket is cancelled never does.
    func run(
        _ program: DesktopProgram, _ ticket: OutcomeTally.Ticket,
        done: @escaping (ActionOutcome) -> Void
    ) {
        waiting.append(Job(program: program, ticket: ticket, done: done))
        loop.enqueue { [weak self] in self?.startWaiting() }
    }

    /// Starts no more. What runs goes on by itself.
    func end() {
        waiting = []
        running = []
        manager = nil
    }

    private func startWaiting() {
        if waiting.isEmpty {
            if running.isEmpty, place != .asking { place = .unknown }
            return
        }
        switch place {
        case .unknown: return ask()
        case .asking: return
        case .services, .children: break
        }
        while running.count < Self.mostInFlight, let job = waiting.popFirst() { start(job) }
    }

    private func ask() {
        guard let runtimeFolder, find("systemd-run") != nil else {
            place = .children
            return startWaiting()
        }
        place = .asking
        let manager = UserServiceManager(loop: loop, runtimeFolder: RawPath(runtimeFolder))
        self.manager = manager
        manager.identify { [weak self] answer in
            guard let self else { return }
            if case .success = answer { place = .services } else { place = .children }
            self.manager = nil
            startWaiting()
        }
    }

    private func start(_ job: Job) {
        if job.ticket.isCancelled {
            job.done(.failed("it was cancelled before it was begun"))
            return loop.enqueue { [weak self] in self?.startWaiting() }
        }
        guard let program = find(job.program.name) else {
            job.done(
                .failed(
                    "the program '\(job.program.name)' is not installed; it is in the package "
                        + "libglib2.0-bin"))
            return loop.enqueue { [weak self] in self?.startWaiting() }
        }
        var command = [program] + job.program.arguments
        if place == .services, let starter = find("systemd-run") {
            command = [starter] + serviceArguments(job.program.purpose) + command
        }
        let child = RunningProgram(on: loop)
        running.append(child)
        child.run(command, environment, within: Self.limit) { [weak self, unowned child] end in
            self?.running.removeAll { $0 === child }
            job.done(end.outcome(of: job.program))
            self?.startWaiting()
        }
    }

    private func serviceArguments(_ purpose: String) -> [String] {
        starts += 1
        // Where the trash is must be the same for both.
        let variables = ["HOME", "XDG_DATA_HOME"].compactMap { name in
            environment[name].map { "--setenv=\(name)=\($0)" }
        }
        return [
            "--user", "--quiet", "--collect", "--wait", "--pipe", "--service-type=exec",
            "--slice=app.slice", "--unit=app-pickerd-\(purpose)-\(CurrentProcess.pid)-\(starts)",
            "--description=pickerd: \(purpose)", "--property=KillMode=process",
            "--property=RuntimeMaxSec=\(Self.serviceSeconds)",
        ] + variables + ["--"]
    }

    /// The path of a program.
    private func find(_ name: String) -> String? {
        let folders = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        for folder in folders.split(separator: ":") where folder.hasPrefix("/") {
            let path = "\(folder)/\(name)"
            guard let status = try? FileStatus.of(RawPath(path), followingLinks: true),
                status.kind == .regular, status.permissions & 0o111 != 0
            else { continue }
            return path
        }
        return nil
    }
}
