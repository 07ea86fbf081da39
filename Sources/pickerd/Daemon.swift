internal import BuiltinPlugins
internal import DataBus
internal import Glibc
internal import PickerModel
internal import PickerService
internal import PluginInterface
internal import ServiceManager
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// The parts, joined: the loop, the documents, the bus, the plugins, the server, and the word to
/// the service manager.
///
/// | state | on | says |
/// |---|---|---|
/// | starting | | |
/// | serving | the socket listens | `READY=1`, event `daemon.ready` |
/// | reloading | SIGHUP, `daemon.reload` | `RELOADING=1`, then `READY=1`, event `daemon.reloaded` |
/// | stopping | SIGTERM, SIGINT, `daemon.stop` | `STOPPING=1`, event `daemon.stopping`, goodbye |
final class Daemon {
    private let loop: SystemdLoop
    private let logger: Logger
    private let notifier: ServiceNotifier
    private let documents: DocumentStore
    private let bus: EventBus
    private let registry = MethodRegistry()
    private let host: PluginHost
    private let server: PickerServer
    private let sources: SettingsSources
    private var settings: Settings
    private var status = "starting"
    private var isStopping = false
    private var signals: [any LoopSource] = []

    /// The capabilities that this daemon has. Taking one off the list takes its methods away, and
    /// nothing else. Events come first: they give the bus those of the last run, before any is sent; and
    /// so they end last, and keep what the others say at their end. The feed comes before the documents, which
    /// it has marked from the first on.
    private static func plugins() -> [any Plugin] {
        [
            EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), StatisticsPlugin(),
            LayoutsPlugin(),
        ]
    }

    /// Runs a daemon until it is told to end; answers the exit status.
    static func run(_ invocation: Invocation) -> Int32 {
        do {
            let sources = try SettingsSources(invocation)
            let settings = try sources.read()
            raiseDescriptorLimit()
            // A file that is longer than this process may make it is an error of that file.
            _ = signal(SIGXFSZ, SIG_IGN)
            let loop = try SystemdLoop()
            let daemon = try Daemon(loop: loop, sources: sources, settings: settings)
            try daemon.start()
            let code = try loop.run()
            daemon.host.deactivateAll()
            return code
        } catch let error as SettingsError {
            complain("pickerd: \(error)")
            return 78
        } catch {
            complain("pickerd: \(error)")
            return 1
        }
    }

    private init(loop: SystemdLoop, sources: SettingsSources, settings: Settings) throws {
        self.loop = loop
        self.sources = sources
        self.settings = settings
        logger = Logger.standard(loop: loop, minimum: LogLevel(settings.logLevel))
        notifier = ServiceNotifier(loop: loop)
        documents = DocumentStore(epoch: Self.newEpoch())
        // To the microsecond: what clients are told of a time need be no longer.
        bus = EventBus(now: { (SystemClock.wallSeconds() * 1e6).rounded() / 1e6 })
        server = PickerServer(
            loop: loop, registry: registry, documents: documents, bus: bus,
            limits: settings.limits,
            identity: .init(
                version: PickerdCommand.version, processID: CurrentProcess.pid,
                userID: CurrentProcess.uid))
        var tell: (Report) -> Void = { _ in }
        host = PluginHost(
            loop: loop, bus: bus, documents: documents, registry: registry, report: { tell($0) })
        tell = { [unowned self] in report($0) }
        server.report = { [unowned self] in report($0) }
        server.onReload = { [unowned self] in reload() }
        server.onStop = { [unowned self] in stop(because: "asked by a client") }
    }

    private func start() throws {
        // Signals first: from here on none of them kills half a daemon.
        signals = [
            try loop.onSignal(SIGTERM) { [unowned self] in stop(because: "SIGTERM") },
            try loop.onSignal(SIGINT) { [unowned self] in stop(because: "SIGINT") },
            try loop.onSignal(SIGHUP) { [unowned self] in _ = reload() },
        ]
        let listening = try openSockets()
        host.activate(Self.plugins(), settings: settings.forPlugins)
        try loop.enableWatchdog()
        try? notifier.ready(status: status)
        publish("daemon.ready")
        report(
            Report(
                level: .notice,
                message: "pickerd \(PickerdCommand.version) serves "
                    + settings.roots.joined(separator: ", ") + " at " + listening,
                fields: ["PICKERD_EVENT": "ready", "PICKERD_SOCKET": listening]))
    }

    /// Listens on the sockets that the service manager passed, else on one of its own.
    private func openSockets() throws -> String {
        let passed = try SocketActivation.takeSockets()
        for socket in passed { try server.listen(on: socket.descriptor) }
        if !passed.isEmpty { return "the socket of its service" }
        let path = try sources.socketPath()
        try server.listen(on: DescriptorBox(UnixSocket.listen(at: RawPath(path), backlog: 1024)))
        ownSocket = path
        return path
    }

    /// The socket's file, if the daemon made it.
    private var ownSocket: String?

    /// Takes up the settings as they are now, or says what is wrong with them and keeps the old ones.
    private func reload() -> ProtocolError? {
        try? notifier.reloading(status: "reading the settings again")
        defer { try? notifier.ready(status: status) }
        do {
            let new = try sources.read()
            try host.adopt(new.forPlugins, insteadOf: settings.forPlugins)
            settings = new
            server.limits = new.limits
            logger.minimum = LogLevel(new.logLevel)
        } catch {
            report(
                Report(
                    level: .error, message: "\(error); the old settings stay",
                    fields: ["PICKERD_EVENT": "reload-refused"]))
            return .conflict("\(error); the old settings stay")
        }
        publish("daemon.reloaded")
        report(
            Report(
                level: .notice, message: "the settings have been read again",
                fields: ["PICKERD_EVENT": "reloaded"]))
        return nil
    }

    private func stop(because reason: String) {
        guard !isStopping else { return }
        isStopping = true
        try? notifier.stopping(status: "stopping: \(reason)")
        report(
            Report(
                level: .notice, message: "stopping: \(reason)",
                fields: ["PICKERD_EVENT": "stopping"]))
        publish("daemon.stopping")
        server.stop { [unowned self] in
            if let ownSocket { UnixSocket.removeFile(at: RawPath(ownSocket)) }
            loop.exit(code: 0)
        }
    }

    private func publish(_ topic: Topic) {
        bus.send(WireEvent(topic: topic, data: nil))
    }

    private func report(_ report: Report) {
        if report.level == .status {
            guard report.message != status else { return }
            status = report.message
            try? notifier.update(status: status)
        } else {
            logger.log(
                LogLevel(report.level), report.message,
                Dictionary(report.fields.map { ($0.key, $0.value) }) { $1 })
        }
    }

    /// A name that no other run of the daemon has: the time of its start and its process.
    private static func newEpoch() -> String {
        let time = UInt64(SystemClock.wallSeconds() * 1000)
        return String(time, radix: 36) + String(CurrentProcess.pid, radix: 36)
    }

    /// As many descriptors as the system lets this process have: each client takes one.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        // Both calls get the address of a local variable.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return
        }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension LogLevel {
    fileprivate init(_ level: Report.Level) {
        switch level {
        case .debug: self = .debug
        case .info, .status: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        }
    }
}
