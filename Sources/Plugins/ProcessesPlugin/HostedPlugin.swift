internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

/// One plugin that is a process: what is known of its files, whether it is on, and its life.
///
/// | state | goes on when | to |
/// |---|---|---|
/// | disabled | it is enabled | waiting |
/// | missing, incompatible | its folder changes | waiting |
/// | waiting | something that it contributes is asked for; or at once, if it is kept always | starting |
/// | starting | it answers `plugin.hello`; else it falls | ready; backoff |
/// | ready | it falls; nobody has needed it for five minutes | backoff; waiting |
/// | backoff | its time is over | starting |
/// | quarantined | it is restarted by somebody, or its folder changes | waiting |
///
/// Calls wait while it is starting. When it falls they are refused, and so is every call until it starts again. If its
/// folder changes while it runs, the new version is started beside it (`HostedPlugin+Upgrade.swift`).
final class HostedPlugin {
    enum Life {
        /// Its files or its settings don't let it run.
        case off
        case waiting
        case starting(PluginProcess)
        case ready(PluginProcess)
        case backoff(until: MonotonicInstant)
        case quarantined(reason: String)
        /// It said that it speaks another version than the daemon.
        case incompatible(reason: String)
    }

    static let unusedTime = Duration.seconds(300)
    static let mostWaitingCalls = 1024

    let id: String
    /// The plugin host, which owns this.
    unowned let house: PluginHouse
    let contributions: HostedContributions
    /// Its files as they were found last.
    var found: FoundPlugin
    /// Whether its folder is no longer there.
    var isGone = false
    /// Folders of others of its identifier.
    var shadowed: [String] = []
    var life = Life.off
    var policy = RestartPolicy()
    /// The new version, on trial beside the old one.
    var successor: PluginProcess?
    /// Why the last new version did not replace the old one.
    var upgradeFault: String?
    var upgradePause = UpgradePause()
    /// Starts the new version, of a plugin whose folder changes again and again.
    var upgradeTimer: (any TimerSource)?
    /// Processes that were told to stop, until they are over.
    var retiring: [PluginProcess] = []
    var restarts = 0
    var queue = Deque<WaitingCall>()
    /// What it reads files for, and offers.
    var readers: [HostedReader] = []
    var offers: [AttributeOffer] = []
    var offered: OfferedAttributes?
    /// The collections that it has items for.
    var sources: [HostedSource] = []
    /// The actions that clients are offered.
    var offeredActions: [OfferedAction] = []
    /// Why one of its actions is not offered.
    var actionFault: String?
    /// Starts it again, or stops it as unused.
    private var timer: (any TimerSource)?
    var lastUse: MonotonicInstant
    private(set) var lastReason: String?
    /// The falls that did not count, as files were being read.
    private var forgiven = 0
    /// Three files, each with others and twice alone.
    static let mostForgiven = 9

    init(_ found: FoundPlugin, in house: PluginHouse) {
        id = found.id
        self.found = found
        self.house = house
        contributions = house.context.hosting(found.id)
        lastUse = house.loop.now
    }

    var loop: any EventLoop { house.loop }
    var choice: ProcessSettings.Choice { house.settings.choices[id] ?? .init() }
    var isEnabled: Bool { choice.isEnabled ?? house.isShipped(found) }

    var manifest: ProcessManifest? {
        if case .usable(let manifest) = found.state { manifest } else { nil }
    }

    /// The process that gets calls.
    var current: PluginProcess? {
        switch life {
        case .starting(let process), .ready(let process): process
        default: nil
        }
    }

    // MARK: Settings

    /// Follows the settings and the files: called after each change of one of them.
    func settle() {
        guard let manifest, isEnabled, !isGone else {
            stopAll()
            life = .off
            setTimer(nil)
            withdrawAttributes()
            withdrawActions()
            withdrawSources()
            if let manifest {
                contributions.withdraw(manifest.methods.map { definition(of: $0, manifest) })
            } else {
                contributions.withdraw([])
            }
            return refuseQueue(because: isGone ? "is gone" : "is \(record.state.rawValue)")
        }
        if case .off = life {
            policy.forget()
            forgiven = 0
            offerMethods(of: manifest)
            enterWaiting()
        }
        settleBackground()
    }

    /// Waits to be needed, or starts at once if it is kept always.
    func enterWaiting() {
        life = .waiting
        setTimer(nil)
        if manifest?.keep == .always || hasWork { start() }
        tellReadersOfRoom()
    }

    /// Whether something waits for a process.
    private var hasWork: Bool {
        !queue.isEmpty || readers.contains { $0.hasWork } || sources.contains { $0.isNeeded }
    }

    /// Forgets its failures, and starts it afresh.
    func restart() {
        policy.forget()
        forgiven = 0
        upgradePause.forget()
        upgradeFault = nil
        guard manifest != nil, isEnabled else { return }
        let wasNeeded = current != nil
        stopAll()
        life = .waiting
        if wasNeeded || manifest?.keep == .always || hasWork { start() }
        tellReadersOfRoom()
    }

    /// Tells all its processes to stop.
    func stopAll() {
        setTimer(nil)
        upgradeTimer = nil
        for process in [current, successor].compactMap({ $0 }) { retire(process) }
        successor = nil
    }

    func retire(_ process: PluginProcess) {
        retiring.append(process)
        sourcesLeave(process)
        // It may outlive the plugin host, which is gone when that is switched off.
        process.greeted = {}
        process.answered = {}
        process.ended = { [weak self, unowned process] cause in
            guard let self else { return }
            retiring.removeAll { $0 === process }
            giveFilesBack(.stopped)
            announceEnd(of: process, cause)
            house.processIsOver(of: self)
        }
        process.stop()
    }

    // MARK: Life

    func start() {
        guard let manifest else { return }
        upgradeTimer = nil
        let process = house.makeProcess(of: self, manifest)
        life = .starting(process)
        setTimer(nil)
        process.greeted = { [unowned self, unowned process] in isReady(process) }
        process.ended = { [unowned self, unowned process] in fell(process, $0) }
        process.start(greeting: house.greeting(for: self))
    }

    func isReady(_ process: PluginProcess) {
        life = .ready(process)
        lastReason = nil
        lastUse = loop.now
        house.announce("plugin.started", of: self, state: .ready)
        if manifest?.keep == .demand { setTimer(Self.unusedTime) }
        // Whatever it was asked takes room, a ping, too.
        process.answered = { [weak self] in self?.sendNext() }
        sendWaiting()
        sendBatches(to: process)
        openSources(with: process)
        tellReadersOfRoom()
    }

    func fell(_ process: PluginProcess, _ cause: PluginProcess.Cause) {
        let ready = process.readySince.map { $0.duration(to: loop.now) }
        lastReason = cause.reason
        sourcesLeave(process)
        let hadFiles = readers.contains { $0.hasFallen } && cause.isFault
        defer { giveFilesBack(cause) }
        switch cause {
        case .incompatible(let why):
            life = .incompatible(reason: why)
            setTimer(nil)
            for source in sources { source.giveUp() }
        case .stopped:
            enterWaiting()
        case .ended, .fell:
            // A file that ends whatever reads it is found out, and does not count against the plugin.
            let isByFile = hadFiles && forgiven < Self.mostForgiven
            if isByFile { forgiven += 1 }
            let delay = policy.delay(
                afterFallAt: loop.now, ready: ready, chance: house.chance(), counts: !isByFile)
            if let delay {
                life = .backoff(until: loop.now.advanced(by: delay))
                setTimer(delay)
            } else {
                life = .quarantined(
                    reason: "it fell \(RestartPolicy.mostFalls) times within five minutes, last: "
                        + cause.reason)
                setTimer(nil)
                for source in sources { source.giveUp() }
            }
        }
        announceEnd(of: process, cause)
        if case .quarantined = life {
            house.announce(
                "plugin.quarantined", of: self, state: .quarantined, reason: lastReason,
                lines: process.output.lastLines)
        }
        refuseQueue(because: "fell (\(cause.reason))")
    }

    private func announceEnd(of process: PluginProcess, _ cause: PluginProcess.Cause) {
        house.announce(
            "plugin.exited", of: self, state: record.state, reason: cause.reason,
            lines: process.output.lastLines)
    }

    // MARK: Time

    private func setTimer(_ delay: Duration?) {
        guard let delay else {
            timer?.unschedule()
            return
        }
        if let timer { return timer.reschedule(after: delay) }
        timer = try? loop.schedule(after: delay) { [unowned self] in timeIsUp() }
    }

    private func timeIsUp() {
        switch life {
        case .backoff:
            restarts += 1
            start()
        case .ready(let process):
            let unused = lastUse.duration(to: loop.now)
            if unused < Self.unusedTime || !process.calls.isEmptyButForPing || hasWork {
                setTimer(max(Self.unusedTime - unused, .seconds(1)))
            } else {
                life = .waiting
                retire(process)
                for source in sources { source.rest() }
            }
        default: break
        }
    }

    /// What `plugins.list` says of it.
    var record: PluginRecord {
        var record = PluginRecord(
            id: id, kind: .process, version: manifest?.version ?? "", summary: manifest?.name ?? "",
            state: .waiting)
        (record.state, record.reason) = stateAndReason
        record.restarts = restarts
        record.folder = found.folder.description
        record.shadowed = shadowed
        if let manifest { record.contributes = .init(manifest) }
        record.isReadInBackground = choice.worksInBackground && record.contributes.attributes != []
        record.sandbox = current?.sandbox
        record.process = current?.pid
        record.unit = current?.unit
        return record
    }

    private var stateAndReason: (PluginRecord.State, String?) {
        switch found.state {
        case .missing(let reason): return (.missing, reason)
        case .incompatible(let reason): return (.incompatible, reason)
        case .usable: break
        }
        switch life {
        case .off: return (.disabled, nil)
        case .waiting: return (.waiting, upgradeFault ?? actionFault)
        case .starting: return (.starting, nil)
        case .ready(let process):
            return process.phase == .serving
                ? (.ready, upgradeFault ?? actionFault) : (.backoff, "it is ending")
        case .backoff(let until):
            let wait = max(loop.now.duration(to: until).inSeconds, 0)
            let seconds = String(Double(Int(wait * 10)) / 10)
            return (.backoff, "\(lastReason ?? "it fell"); started again in \(seconds) s")
        case .quarantined(let reason):
            return (.quarantined, "\(reason); 'plugins.restart' tries it again")
        case .incompatible(let reason): return (.incompatible, reason)
        }
    }
}

extension PluginRecord.Contributions {
    init(_ manifest: ProcessManifest) {
        self.init(
            methods: manifest.methods.map(\.name), topics: manifest.topics,
            attributes: manifest.attributes.map(\.name), sources: manifest.sources.map(\.name),
            actions: manifest.actions.map(\.id))
    }
}
