import JSONText
import PickerClient
import PluginProcesses
import SystemInterface
import WireProtocol

/// A plugin that is checked: its files, its processes, and what they did wrong beside the checks.
///
/// Most checks talk to one process. After a check that failed, the next one gets another.
final class PluginTrial {
    let folder: RawPath
    let manifest: ProcessManifest
    let samples: SampleFiles
    /// The calls that the user wants to see answered.
    let calls: [MethodCallText]
    /// How long an answer may take that the daemon waits for as well.
    let patience: Duration
    let record: SessionRecord?
    let loop = PollLoop()
    private var process: RunningPlugin?
    private var starts = 0

    /// Whether it answers `plugin.hello`, and pings; nil as long as that was not checked.
    var isGreeted: Bool?
    var isPinged: Bool?
    /// What was wrong with lines that it sent.
    private(set) var faults: [String] = []
    /// What it printed on its standard output.
    private(set) var stray: [String] = []
    /// The last lines that it printed on its standard error.
    private(set) var lastWords: [String] = []
    /// What came of the wait while it waited for its own call; nil if it made none.
    private(set) var heldCall: HeldCall?
    /// The methods of the daemon that it called.
    private(set) var calledMethods: [String] = []
    /// What it sent of the items of its sources.
    var onSourceMessage: (RequestEnvelope) -> Void = { _ in }

    enum HeldCall {
        case answered
        case silent(method: String)
    }

    init(
        _ folder: RawPath, _ manifest: ProcessManifest, _ samples: SampleFiles,
        calls: [MethodCallText], patience: Duration, record: SessionRecord?
    ) {
        self.folder = folder
        self.manifest = manifest
        self.samples = samples
        self.calls = calls
        self.patience = patience
        self.record = record
    }

    /// The time for one call of the daemon.
    var callTime: Duration { .milliseconds(manifest.limits.callMs) }

    // MARK: Processes

    /// A new process, that was told nothing yet.
    func start() throws(NotPassed) -> RunningPlugin {
        let plugin: RunningPlugin
        do throws(SystemError) {
            plugin = try RunningPlugin(
                folder, manifest, roots: [samples.folder.path.description], on: loop)
        } catch {
            throw .failed("its process can't be started: \(error)")
        }
        starts += 1
        plugin.onFault = { [unowned self] in if faults.count < 10 { faults.append($0) } }
        plugin.onPrint = { [unowned self] line, isOutput in
            if isOutput, stray.count < 10 { stray.append(line) }
            if !isOutput { lastWords = lastWords.suffix(9) + [line] }
        }
        plugin.onRequest = { [unowned self, unowned plugin] request, _ in take(request, plugin) }
        record?.follow(plugin, number: starts)
        return plugin
    }

    /// A new process that has answered `plugin.hello`.
    func startAndGreet() throws(NotPassed) -> RunningPlugin {
        guard isGreeted != false else { throw .skipped("it does not answer plugin.hello") }
        let plugin = try start()
        // A record of what comes later is of no use without it.
        let wasPaused = record?.isPaused ?? false
        record?.isPaused = false
        defer { record?.isPaused = wasPaused }
        let answer = plugin.ask("plugin.hello", greeting(), within: patience)
        do throws(NotPassed) {
            _ = try require(answer, "plugin.hello")
        } catch {
            plugin.dismiss()
            throw error
        }
        return plugin
    }

    /// The process that the checks share.
    func serving() throws(NotPassed) -> RunningPlugin {
        if let process, !process.isOver { return process }
        let plugin = try startAndGreet()
        process = plugin
        return plugin
    }

    /// The same, if it answers pings.
    func servingPings() throws(NotPassed) -> RunningPlugin {
        guard isPinged != false else { throw .skipped("it does not answer plugin.ping") }
        return try serving()
    }

    /// Ends the process that the checks share.
    func dismiss() {
        process?.dismiss()
        process = nil
    }

    /// The parameters of `plugin.hello`.
    func greeting(api: Int = Greeting.version) -> JSONValue {
        [
            "api": JSONValue(api), "capabilities": ["extract", "source", "action", "cancel"],
            "daemon": .string("pickerctl/\(ClientVersion.text)"), "epoch": "0", "config": [:],
            "roots": [.string(samples.folder.path.description)], "locale": "C",
        ]
    }

    /// Takes back the faults after the first ones, which a check has reported itself.
    func forgetFaults(after count: Int) { faults.removeLast(max(faults.count - count, 0)) }

    // MARK: Answers

    /// The result of a request; anything else is a failure.
    func require(
        _ answer: RunningPlugin.Answer, _ what: String
    ) throws(NotPassed) -> JSONValue {
        switch answer {
        case .result(let value): return value
        case .refused(let error): throw .failed("\(what) is answered with the error: \(error)")
        case .silence, .ended: throw .failed(Self.text(answer, what) + said)
        }
    }

    /// What the process printed last, for a report.
    var said: String {
        lastWords.isEmpty ? "" : "\nit printed:\n" + lastWords.joined(separator: "\n")
    }

    static func text(_ answer: RunningPlugin.Answer, _ what: String) -> String {
        switch answer {
        case .result(let value):
            "\(what) is answered with: " + RunningPlugin.shown(value.bytes)
        case .refused(let error): "\(what) is answered with the error: \(error)"
        case .silence(let limit):
            "\(what) is not answered within \(limit.wholeNanoseconds / 1_000_000) ms"
        case .ended(let how): "\(what) is not answered: \(how)"
        }
    }

    // MARK: What it asks

    /// There is no daemon here: what it asks is refused, after a ping to it that it must answer meanwhile.
    private func take(_ request: RequestEnvelope, _ plugin: RunningPlugin) {
        guard let id = request.id else { return }
        switch request.method {
        case "source.change", "source.reset":
            onSourceMessage(request)
            return plugin.reply(to: id, .success([:]))
        default: calledMethods.append(request.method)
        }
        guard plugin.isBusy, heldCall == nil else { return refuse(request, id, plugin) }
        heldCall = .silent(method: request.method)
        let ping = plugin.begin("plugin.ping", [:])
        // Called while somebody waits on the loop, so this waits in there.
        let begin = loop.nanoseconds
        if case .result = plugin.answer(to: ping, within: patience) { heldCall = .answered }
        plugin.heldTime += .nanoseconds(loop.nanoseconds - begin)
        refuse(request, id, plugin)
    }

    private func refuse(_ request: RequestEnvelope, _ id: RequestID, _ plugin: RunningPlugin) {
        plugin.reply(
            to: id,
            .failure(
                .unsupported(
                    "'\(request.method)' is for the daemon, and 'pickerctl plugin check' is none")))
    }
}
