internal import EventLoops
internal import Glibc
internal import PluginProcesses
internal import SystemInterface
internal import TransientServices

/// A plugin that a service manager runs, or the child that takes its place.
///
/// | state | goes on when | to |
/// |---|---|---|
/// | asking | there is a manager, or not | starting; child |
/// | starting | its program runs; it could not be started | running; over |
/// | running | the manager says how it ended, or has said nothing three times | over |
/// | child | the child has ended | over |
///
/// Its end is asked for when it is told to end, and when its connection has ended: the manager has a copy of the plugin's
/// descriptor 3 while it runs, so that end is the end of the service.
final class LaunchedService: LaunchedPlugin {
    private enum State {
        case asking
        case starting
        case running(unit: String, sandbox: String)
        case child(any LaunchedPlugin)
        case over
    }

    /// The status of systemd for a user namespace that could not be made.
    private static let noNamespaces: Int32 = 217
    /// How often the manager is asked for its end.
    private static let mostAttempts = 3

    private let launch: PluginLaunch
    private let launcher: ServiceLauncher
    private let ended: (PluginEnd) -> Void
    private var state = State.asking
    /// Its ends of the socket and the pipe, until they are its own.
    private var socket: DescriptorBox?
    private var output: DescriptorBox?
    /// Whether it was told to end before it ran.
    private var shallEnd = false
    /// Why it is not known whether it was started.
    private var doubt: ServiceCallError?
    private var attempts = 0

    init(
        _ launch: PluginLaunch, _ socket: DescriptorBox, _ output: DescriptorBox,
        of launcher: ServiceLauncher, _ ended: @escaping (PluginEnd) -> Void
    ) {
        self.launch = launch
        self.socket = socket
        self.output = output
        self.launcher = launcher
        self.ended = ended
    }

    private var services: any PluginServices { launcher.services }

    var pid: Int? { if case .child(let child) = state { child.pid } else { nil } }

    var unit: String? { if case .running(let unit, _) = state { unit } else { nil } }

    var sandbox: String? {
        switch state {
        case .running(_, let sandbox): sandbox
        case .child(let child): child.sandbox
        case .asking, .starting, .over: nil
        }
    }

    // MARK: Start

    /// Runs it as a child.
    func start(by children: any PluginLauncher) {
        guard case .asking = state, let socket, let output else { return }
        releaseDescriptors()
        // The child retains this until it has ended.
        state = .child(children.launch(launch, socket: socket, output: output, ended: finish))
    }

    /// Runs it as a service that ends with the unit `daemon`.
    func start(boundTo daemon: String) {
        guard case .asking = state, let socket, let output else { return }
        state = .starting
        let unit = launcher.newUnit(of: launch.plugin)
        let level = launcher.level
        let service = TransientService(launch, as: unit, boundTo: daemon, level)
        services.start(service, socket: socket.descriptor, output: output.descriptor) {
            [self] answer in
            switch answer {
            case .success:
                services.awaitStart(of: unit) { [self] in follow($0, unit, daemon, level) }
            case .failure(let error) where error.mayHaveReachedManager:
                doubt = error
                runs(unit, level)
                end()
            case .failure(let error): finish(.notStarted("\(error)"), unit)
            }
        }
    }

    private func follow(
        _ answer: Result<ServiceEnd?, ServiceCallError>, _ unit: String, _ daemon: String,
        _ level: Sandbox.Level
    ) {
        switch answer {
        case .success(nil):
            runs(unit, level)
            if shallEnd { end() }
        case .success(.startFailed(Self.noNamespaces)?) where level == .full && !shallEnd:
            launcher.doWithoutNamespaces()
            launcher.forget(unit, isOver: true)
            state = .asking
            start(boundTo: daemon)
        case .success(let end?): finish(PluginEnd(end), unit)
        case .failure(let error):
            doubt = error
            runs(unit, level)
            end()
        }
    }

    private func runs(_ unit: String, _ level: Sandbox.Level) {
        releaseDescriptors()
        state = .running(unit: unit, sandbox: level == .full ? "full" : "seccomp")
    }

    /// From here on the ends of the socket and the pipe are seen on this side.
    private func releaseDescriptors() {
        socket = nil
        output = nil
    }

    // MARK: End

    func end() {
        switch state {
        case .asking:
            state = .over
            releaseDescriptors()
            launcher.loop.enqueue { [self] in ended(.killed(signal: SIGTERM)) }
        case .starting: shallEnd = true
        case .running(let unit, _):
            services.stop(unit) { _ in }
            awaitEnd(of: unit)
        case .child(let child): child.end()
        case .over: break
        }
    }

    func connectionEnded() {
        switch state {
        case .running(let unit, _): awaitEnd(of: unit)
        case .child(let child): child.connectionEnded()
        case .asking, .starting, .over: break
        }
    }

    private func awaitEnd(of unit: String) {
        guard attempts == 0 else { return }
        ask(for: unit)
    }

    private func ask(for unit: String) {
        attempts += 1
        services.end(of: unit) { [self] answer in
            switch answer {
            case .success(let end): finish(PluginEnd(end), unit)
            case .failure where attempts < Self.mostAttempts:
                services.kill(unit) { _ in }
                ask(for: unit)
            // The manager does not answer. What it may have left is looked for at the next start.
            case .failure: finish(.unknown, unit, isOver: false)
            }
        }
    }

    private func finish(_ end: PluginEnd, _ unit: String, isOver: Bool = true) {
        launcher.forget(unit, isOver: isOver)
        finish(doubt.map { .notStarted("\($0)") } ?? end)
    }

    private func finish(_ end: PluginEnd) {
        if case .over = state { return }
        state = .over
        releaseDescriptors()
        ended(end)
    }
}

extension ServiceCallError {
    /// Whether a service may have been started, though the call for it failed.
    fileprivate var mayHaveReachedManager: Bool { kind == .timedOut || kind == .connectionLost }
}

extension PluginEnd {
    /// In the words that are used for a child.
    fileprivate init(_ end: ServiceEnd) {
        switch end {
        case .exited(let status): self = .exited(status)
        case .killed(let signal): self = .killed(signal: signal)
        case .outOfMemory: self = .outOfMemory
        case .timedOut: self = .killed(signal: SIGKILL)
        // Those of env(1), which has printed why; the guard of a child ends with them, too.
        case .startFailed(let status) where (126...127).contains(status): self = .exited(status)
        case .startFailed(0): self = .notStarted("the service manager did not start it")
        case .startFailed(let status):
            self = .notStarted(
                "the service manager could not set up its process: status \(status) of "
                    + "systemd.exec(5)")
        // The manager forgets at once what ended with success, to which it counts SIGTERM.
        case .forgotten: self = .exited(0)
        }
    }
}

extension TransientService {
    /// A process of a plugin, as a service with the name `unit`.
    fileprivate init(
        _ launch: PluginLaunch, as unit: String, boundTo daemon: String, _ level: Sandbox.Level
    ) {
        self.init(
            name: unit, description: "Plugin \(launch.plugin) of pickerd",
            arguments: launch.absoluteCommand, folder: launch.folder,
            environment: launch.environment, boundUnit: daemon,
            memoryBytes: UInt64(launch.limits.memoryMiB) << 20, tasks: UInt64(launch.limits.tasks),
            sandbox: Sandbox(
                level: level, network: launch.needs.network, writablePaths: launch.writablePaths,
                hiddenPaths: launch.hiddenPaths, jit: launch.needs.jit),
            logIdentifier: "pickerd-\(launch.plugin)")
    }
}

extension PluginLaunch {
    /// What it may write to: the paths of its manifest, with the folders of the documents for the word "roots", and the
    /// user's folder of caches before what is in there.
    fileprivate var writablePaths: [String] {
        needs.write.flatMap { place in
            if place == "roots" { return roots }
            guard place.hasPrefix("cache/") else { return [place] }
            return caches.map { [$0 + place.dropFirst("cache".count)] } ?? []
        }
    }

    /// By the rules of the desktop: a variable with a path that is not absolute counts as none.
    private var caches: String? {
        if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return home + "/.cache"
    }

    /// What it can't open, as the daemon's own unit can't.
    fileprivate var hiddenPaths: [String] {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return [] }
        return [home + "/.ssh", home + "/.gnupg"]
    }
}
