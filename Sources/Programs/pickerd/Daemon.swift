internal import ActionsPlugin
internal import AttributesPlugin
internal import DataBus
internal import DocumentsPlugin
internal import EventLoops
internal import EventsPlugin
internal import FeedPlugin
internal import Glibc
internal import ItemsPlugin
internal import JSONText
internal import LayoutsPlugin
internal import Observables
internal import PickerModel
internal import PickerService
internal import PluginInterface
internal import PluginProcesses
internal import ProcessesPlugin
internal import ServiceLaunching
internal import ServiceManager
internal import StatisticsPlugin
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// Composes the parts: the loop, the documents, the bus, the plugins, the server, and the notifications to
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
    private let types = TypeLists()
    private var settings: Settings
    /// The faults of the settings file at its last reading; they are not in `settings`.
    private var faults: [SettingsError] = []
    private var status = "starting"
    private var isStopping = false
    private var signals: [any LoopSource] = []
    /// Follows whether the documents are complete.
    private var firstScan: Connection?

    /// The plugins of this daemon. Removing one from the list removes its methods and nothing else. Events
    /// come first: they restore the last run's events to the bus before any is sent, and they end last, so
    /// they store what the others publish at their end. The feed comes before the documents, so that it
    /// marks all of them.
    private static func plugins() -> [any Plugin] {
        [
            EventsPlugin(), FeedPlugin(), DocumentsPlugin(), ItemsPlugin(), StatisticsPlugin(),
            LayoutsPlugin(), ActionsPlugin(), AttributesPlugin(),
            ProcessesPlugin { launcher(in: $0) },
        ]
    }

    /// Starts the processes of plugins: as services of the user's service manager where that can be.
    private static func launcher(in context: PluginContext) -> any PluginLauncher {
        let children = ChildLauncher(loop: context.loop)
        guard let folder = context.settings.processes.runtimeFolder else { return children }
        return ServiceLauncher(loop: context.loop, runtimeFolder: folder, children: children) {
            context.report(.notice, $0, fields: ["PICKERD_EVENT": "plugin-services"])
        }
    }

    /// Runs a daemon until it is stopped; returns the exit status.
    static func run(_ invocation: Invocation) -> Int32 {
        let passed: [ActivatedSocket]
        do throws(ServiceError) {
            passed = try SocketActivation.takeSockets()
        } catch {
            return RefusedStart.end(status: 1, because: "pickerd: \(error)")
        }
        do {
            let plugins = Self.plugins()
            let sources = try SettingsSources(invocation, for: plugins.map(\.manifest))
            let (settings, faults, file) = try sources.read()
            raiseDescriptorLimit()
            FreedMemory.returnAtOnce(allocationsFrom: 1 << 20)
            // Writing beyond the limit on file size is then an error of that file.
            _ = signal(SIGXFSZ, SIG_IGN)
            let loop = try SystemdLoop()
            let daemon = try Daemon(loop: loop, sources: sources, settings: settings)
            daemon.server.settingsFile = file
            try daemon.start(plugins, on: passed, with: faults)
            let code = try loop.run()
            daemon.host.endAll()
            // All is stored; freeing the documents one by one would take longer than the end of the process.
            return withExtendedLifetime(daemon) { exit(code) }
        } catch let error as StartError {
            return RefusedStart.end(
                status: error.status, because: "pickerd: \(error)", sockets: passed)
        } catch {
            return RefusedStart.end(status: 1, because: "pickerd: \(error)", sockets: passed)
        }
    }

    private init(loop: SystemdLoop, sources: SettingsSources, settings: Settings) throws {
        self.loop = loop
        self.sources = sources
        self.settings = settings
        logger = Logger.standard(loop: loop, minimum: settings.logLevel)
        notifier = ServiceNotifier(loop: loop)
        documents = DocumentStore(epoch: Self.newEpoch())
        documents.table.searchers = WorkerThread.processorCount
        // To the microsecond, which suffices for clients.
        bus = EventBus(now: { (SystemClock.wallSeconds() * 1e6).rounded() / 1e6 })
        server = PickerServer(
            loop: loop, registry: registry, documents: documents, bus: bus,
            limits: settings.limits,
            identity: .init(
                version: PickerdCommand.version, processID: CurrentProcess.pid,
                userID: CurrentProcess.uid))
        host = PluginHost(
            loop: loop, bus: bus, documents: documents, registry: registry,
            version: PickerdCommand.version)
        host.closeStreams = { [unowned server] in server.closeStreams(of: $0) }
        host.connect = { [unowned server] (socket, peer) throws(SystemError) in
            try server.connect(socket, to: peer)
        }
        host.report = { [unowned self] in report($0) }
        server.report = { [unowned self] in report($0) }
        server.onReload = { [unowned self] in reload() }
        server.onIdle = { [unowned self] in giveUpUnused() }
        server.onStop = { [unowned self] in stop(because: "asked by a client") }
    }

    /// Gives up what clients have left, an order in each turn of the loop, and then returns its memory. That takes some
    /// milliseconds, so a thread does it; without one, the memory is kept for the next time.
    private func giveUpUnused() {
        guard documents.giveUpUnused() else {
            return loop.enqueue(priority: .idle) { [unowned self] in giveUpUnused() }
        }
        returnMemory()
    }

    /// Returns memory that nothing uses.
    private func returnMemory() {
        try? WorkerThread.start {
            FreedMemory.returnAll()
            FreedMemory.unmapProgram()
        }
    }

    private func start(
        _ plugins: [any Plugin], on passed: [ActivatedSocket], with faults: [SettingsError]
    ) throws {
        // Signals first: from here on none of them kills a daemon in the middle of its start.
        signals = [
            try loop.onSignal(SIGTERM) { [unowned self] in stop(because: "SIGTERM") },
            try loop.onSignal(SIGINT) { [unowned self] in stop(because: "SIGINT") },
            try loop.onSignal(SIGHUP) { [unowned self] in _ = reload() },
        ]
        // Behind the signals, which the thread must not get, and before the first document.
        types.use()
        let place = try openSockets(passed)
        host.activate(plugins, settings: settings.plugins)
        firstScan = documents.isComplete.changes.connect { [unowned self] _ in
            guard documents.isWhole else { return }
            for trouble in types.takeTroubles() { report(.notice, trouble, "types-left-out") }
            // What the scan has used is free when the tasks that wait now are done.
            loop.enqueue(priority: .idle) { [unowned self] in returnMemory() }
        }
        try loop.enableWatchdog()
        recordFaults(faults)
        try? notifier.ready(status: statusLine)
        publish("daemon.ready")
        report(
            Report(
                level: .notice,
                message: "pickerd \(PickerdCommand.version) serves "
                    + settings.plugins.roots.map(\.text).joined(separator: ", ") + " at " + place
                    + (passed.isEmpty ? "" : ", passed by the service manager"),
                fields: ["PICKERD_EVENT": "ready", "PICKERD_SOCKET": place]))
    }

    /// Listens on the sockets that the service manager passed, else on its own; returns the place.
    private func openSockets(_ passed: [ActivatedSocket]) throws -> String {
        for socket in passed { try server.listen(on: socket.descriptor) }
        if let first = passed.first {
            return UnixSocket.path(of: first.descriptor.number)?.description ?? first.name
        }
        let path = try sources.socketPath()
        let socket = try ClaimedSocket(RawPath(path), backlog: 1024)
        ownSocket = socket
        try server.listen(on: socket.listener)
        return path
    }

    /// The socket, if the daemon created it.
    private var ownSocket: ClaimedSocket?

    /// Applies the current settings; returns an error and keeps the old ones if they have faults.
    private func reload() -> ProtocolError? {
        try? notifier.reloading(status: "reading the settings again")
        defer { try? notifier.ready(status: statusLine) }
        do {
            let (new, faults, file) = try sources.read(serving: settings.plugins.roots)
            server.settingsFile = file
            recordFaults(faults)
            if let first = faults.first { throw first }
            try host.adopt(new.plugins)
            settings = new
            server.limits = new.limits
            logger.minimum = new.logLevel
        } catch {
            report(.error, "\(error); the old settings stay", "reload-refused")
            return .conflict("\(error); the old settings stay")
        }
        publish("daemon.reloaded")
        report(.notice, "the settings have been read again", "reloaded")
        return nil
    }

    /// Records the faults of the settings file, and reports them.
    private func recordFaults(_ new: [SettingsError]) {
        guard new != faults else { return }
        let old = faults
        faults = new
        server.degraded = new.map { DegradedPart($0) }
        for fault in new {
            report(
                Report(
                    level: .error, message: "\(fault); \(DegradedPart.remedy)",
                    fields: ["PICKERD_EVENT": "settings-wrong", "PICKERD_PATH": fault.file]))
        }
        if let first = server.degraded.first {
            publish("daemon.degraded", JSONFragment(writing: { first.write(to: &$0) }))
        } else if let last = old.first {
            let data = JSONFragment(writing: {
                $0.object { writer in
                    writer.member("what", DegradedPart.settings)
                    writer.member("path", last.file)
                }
            })
            publish("daemon.restored", data)
        }
    }

    /// The status line for the service manager.
    private var statusLine: String {
        guard let first = faults.first else { return status }
        return "\(status); degraded: \(first)"
    }

    private func stop(because reason: String) {
        guard !isStopping else { return }
        isStopping = true
        try? notifier.stopping(status: "stopping: \(reason)")
        report(.notice, "stopping: \(reason)", "stopping")
        publish("daemon.stopping")
        // Now, not after the goodbyes: the next daemon may already listen there.
        ownSocket?.removeFile()
        server.stop { [unowned self] in loop.exit(code: 0) }
    }

    private func publish(_ topic: Topic, _ data: JSONFragment? = nil) {
        bus.send(WireEvent(topic: topic, data: data))
    }

    private func report(_ level: Report.Level, _ message: String, _ event: String) {
        report(Report(level: level, message: message, fields: ["PICKERD_EVENT": event]))
    }

    private func report(_ report: Report) {
        if report.level == .status {
            guard report.message != status else { return }
            status = report.message
            try? notifier.update(status: statusLine)
        } else {
            logger.log(
                LogLevel(report.level), report.message,
                Dictionary(report.fields.map { ($0.key, $0.value) }) { $1 })
        }
    }

    /// An identifier of this run: its start time and process id.
    private static func newEpoch() -> String {
        let time = UInt64(SystemClock.wallSeconds() * 1000)
        return String(time, radix: 36) + String(CurrentProcess.pid, radix: 36)
    }

    /// Raises the limit on descriptors as far as allowed: each client takes one.
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

extension DegradedPart {
    fileprivate static let settings = "settings"
    fileprivate static let remedy =
        "mend it, then run 'pickerctl reload'"

    fileprivate init(_ fault: SettingsError) {
        self.init(
            what: Self.settings, path: fault.file, line: fault.line,
            reason: "\(fault.reason); \(Self.remedy)")
    }
}
