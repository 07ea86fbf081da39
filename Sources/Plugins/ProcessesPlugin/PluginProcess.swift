internal import EventLoops
internal import JSONText
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

/// One process of a plugin, from its start to its end: the connection on its descriptor 3, what it prints, and the
/// calls that it has not answered.
///
/// | phase | goes on when | to |
/// |---|---|---|
/// | greeting | it answers `plugin.hello` as agreed | serving |
/// | serving | it is told to stop; or it falls | ending |
/// | ending | nothing of it runs, and its connection is closed | over |
///
/// It falls if it ends, closes its connection, does not answer in time, or does not keep to the protocol. Its calls are
/// then refused at once; `ended` is called when nothing of it is left. Nothing is sent to it after it was told to stop.
final class PluginProcess {
    /// What ended a process.
    enum Cause: Equatable {
        /// The daemon told it to stop.
        case stopped
        /// It speaks another version of the protocol.
        case incompatible(String)
        /// The daemon ended it, and this is the word for why.
        case ended(because: String)
        /// It ended by itself.
        case fell(PluginEnd)

        var reason: String {
            switch self {
            case .stopped: "stopped"
            case .incompatible(let why), .ended(let why): why
            case .fell(let end): end.reason
            }
        }
    }

    enum Phase {
        case greeting, serving, ending, over
    }

    /// What the process needs of the daemon.
    struct House {
        let loop: any EventLoop
        let launcher: any PluginLauncher
        let connect: (DescriptorBox, any SessionPeer) throws(SystemError) -> any PeerConnection
        /// Called with each line that it prints.
        let print: (String) -> Void
    }

    static let greetingTime = Duration.seconds(5)
    static let silenceBeforePing = Duration.seconds(10)
    static let pingTime = Duration.seconds(5)
    static let stopTime = Duration.seconds(2)
    /// How long an ended process's connection may stay open, so that what it sent last is read.
    static let lastWords = Duration.milliseconds(200)
    static let mostFaults = 100

    let launch: PluginLaunch
    let manifest: ProcessManifest
    private let house: House
    private(set) var phase = Phase.greeting
    private(set) var readySince: MonotonicInstant?
    private(set) var calls = CallsInFlight()
    /// The batches of files that it has.
    var batches = BatchesInFlight()
    /// Called with each of its requests about a source. Each is to be answered by `reply`.
    var takeSourceRequest: ((RequestEnvelope) -> Void)?
    let output: PluginOutput
    /// Called when it has answered `plugin.hello`.
    var greeted: () -> Void = {}
    /// Called when it has answered anything, so that it has room for something else.
    var answered: () -> Void = {}
    /// Called once, when nothing of it is left.
    var ended: (Cause) -> Void = { _ in }

    private var connection: (any PeerConnection)?
    private var process: (any LaunchedPlugin)?
    private var isProcessOver = false
    /// The first thing that went wrong.
    private var cause: Cause?
    private var faults = 0
    private var lastHeard: MonotonicInstant
    private var timer: (any TimerSource)?
    /// What the timer is set for; later than the next deadline never.
    private var timerDue: MonotonicInstant?
    /// The end of the current phase, or of the wait for its last words.
    private var phaseEnd: MonotonicInstant?

    init(_ launch: PluginLaunch, of manifest: ProcessManifest, in house: House) {
        self.launch = launch
        self.manifest = manifest
        self.house = house
        lastHeard = house.loop.now
        output = PluginOutput(print: house.print)
    }

    /// Whether it gets nothing any more.
    var isEnding: Bool { phase == .ending || phase == .over }

    var pid: Int? { process?.pid }
    var unit: String? { process?.unit }
    var sandbox: String? { process?.sandbox }
    var loop: any EventLoop { house.loop }

    // MARK: Start

    /// Starts it, and greets it. A failure is told like any other end, later.
    func start(greeting: Greeting) {
        do throws(SystemError) {
            let (ours, its) = try UnixSocket.pair().boxed()
            try its.descriptor.setBlocking()
            let (outputEnd, printed) = try OwnedDescriptor.pipe().boxed()
            try output.read(outputEnd, on: loop)
            connection = try house.connect(ours, self)
            process = house.launcher.launch(launch, socket: its, output: printed) {
                [self] in processEnded($0)
            }
        } catch {
            isProcessOver = true
            fall(.fell(.notStarted("\(error)")))
            return loop.enqueue { [self] in finishIfOver() }
        }
        phaseEnd = loop.now.advanced(by: Self.greetingTime)
        call("plugin.hello", within: Self.greetingTime, { greeting.write(to: &$0) }) {
            [self] in takeGreeting($0)
        }
        arm()
    }

    private func takeGreeting(_ answer: Result<JSONView, ProtocolError>) {
        guard phase == .greeting else { return }
        do throws(GreetingFault) {
            try Greeting.check(answer, of: manifest)
        } catch {
            return fall(
                error.isIncompatible
                    ? .incompatible("\(error)") : .ended(because: "hello: \(error)"))
        }
        phase = .serving
        phaseEnd = nil
        readySince = loop.now
        greeted()
    }

    // MARK: Calls

    /// Calls a method of the process, with the object of parameters that `params` writes. After `limit` it is told to
    /// cancel, and has three seconds for that. `deliver` is called once, with its answer or the error that stands for
    /// it; not if the call was cancelled. `progress` is called with what it says is done meanwhile.
    /// - Returns: The number of the call.
    @discardableResult
    func call(
        _ method: String, within limit: Duration, _ params: (inout JSONWriter) -> Void,
        progress: ((_ done: Int, _ total: Int) -> Void)? = nil,
        _ deliver: @escaping (Result<JSONView, ProtocolError>) -> Void
    ) -> Int {
        let number = calls.begin(
            until: loop.now.advanced(by: limit), limit: limit, progress: progress,
            deliver: deliver)
        let isSent =
            connection?.post { line in
                line.object { line in
                    line.member("jsonrpc", "2.0")
                    line.member("id", number)
                    line.member("method", method)
                    line.key("params")
                    params(&line)
                }
            } ?? false
        if !isSent {
            calls.take(number)?.deliver(
                .failure(
                    .limitExceeded(
                        limit: LineFramer.standardLimit,
                        "what the plugin '\(launch.plugin)' would be sent is longer than a line may be: "
                            + "ask for less at a time")))
        }
        arm()
        return number
    }

    /// Tells the process that nobody waits for this call any more. It has three seconds to answer it anyway.
    func cancel(_ number: Int) {
        guard calls.cancel(number, at: loop.now) else { return }
        sendCancel(number)
        arm()
    }

    private func sendCancel(_ number: Int) {
        notify("$/cancel") { $0.object { $0.member("id", number) } }
    }

    /// Answers a request of it about a source.
    func reply(_ id: RequestID, _ result: Result<SourceWork, ProtocolError>) {
        _ = connection?.post { line in
            line.object { line in
                line.member("jsonrpc", "2.0")
                line.key("id")
                id.write(to: &line)
                switch result {
                case .success(let work): line.member(object: "result") { work.write(to: &$0) }
                case .failure(let error): line.member("error", error)
                }
            }
        }
    }

    private func notify(_ method: StaticString, _ params: (inout JSONWriter) -> Void) {
        _ = connection?.post { $0.notification(method, params) }
    }

    /// Passes on new settings of the plugin.
    func configure(_ config: JSONFragment?) {
        guard phase == .serving else { return }
        call(
            "plugin.configure", within: Self.pingTime,
            { line in
                line.object { line in
                    line.key("config")
                    if let config { line.fragment(config) } else { line.object { _ in } }
                }
            }, { _ in })
    }

    // MARK: End

    /// Tells it to stop: it may finish what it does, for two seconds.
    func stop() {
        guard phase == .greeting || phase == .serving else { return }
        cause = cause ?? .stopped
        _ = connection?.post { line in
            line.object { line in
                line.member("jsonrpc", "2.0")
                line.member("id", calls.newNumber())
                line.member("method", "plugin.stop")
                line.member(object: "params") { _ in }
            }
        }
        phase = .ending
        phaseEnd = loop.now.advanced(by: Self.stopTime)
        arm()
    }

    /// Ends it now, as it is.
    func fall(_ cause: Cause) {
        self.cause = self.cause ?? cause
        guard phase != .over else { return }
        phase = .ending
        phaseEnd = isProcessOver ? loop.now.advanced(by: Self.lastWords) : nil
        process?.end()
        if !isProcessOver || connection == nil { refuseCalls() }
        if !isProcessOver { connection?.close() }
        arm()
    }

    private func processEnded(_ end: PluginEnd) {
        isProcessOver = true
        output.drain()
        fall(.fell(end))
        finishIfOver()
    }

    private func refuseCalls() {
        let plugin = launch.plugin
        for call in calls.takeAll() {
            call.deliver(
                .failure(
                    .pluginFailed(plugin, "the plugin '\(plugin)' ended before it had answered")))
        }
    }

    private func finishIfOver() {
        guard isProcessOver, connection == nil, phase != .over else { return }
        phase = .over
        timer?.cancel()
        timer = nil
        output.close()
        process = nil
        refuseCalls()
        ended(cause ?? .fell(.unknown))
        greeted = {}
        answered = {}
        ended = { _ in }
    }

    // MARK: Time

    /// Sets the timer for the next deadline, unless it is set for an earlier moment.
    private func arm() {
        guard phase != .over, let due = nextDeadline else { return }
        if let timerDue, timerDue <= due { return }
        timerDue = due
        let wait = max(loop.now.duration(to: due), .zero)
        if let timer { return timer.reschedule(after: wait) }
        timer = try? loop.schedule(after: wait) { [weak self] in self?.timeIsUp() }
    }

    private var nextDeadline: MonotonicInstant? {
        var due = phaseEnd
        if phase == .serving, !calls.isPinging {
            due = min(due ?? .never, lastHeard.advanced(by: Self.silenceBeforePing))
        }
        if let call = calls.nextDeadline { due = min(due ?? .never, call) }
        return due
    }

    private func timeIsUp() {
        timerDue = nil
        let now = loop.now
        if let phaseEnd, phaseEnd <= now {
            self.phaseEnd = nil
            endOfPhase()
        }
        endOverdueCalls(now)
        pingIfSilent(now)
        arm()
    }

    private func endOfPhase() {
        switch phase {
        case .greeting:
            fall(.ended(because: "hello: it did not answer within 5 s"))
        case .ending:
            process?.end()
            connection?.close()
        case .serving, .over: break
        }
    }

    private func endOverdueCalls(_ now: MonotonicInstant) {
        for overdue in calls.takeOverdue(now) {
            switch overdue {
            case .late(let number, let call):
                sendCancel(number)
                call.deliver(
                    .failure(
                        .pluginFailed(
                            launch.plugin,
                            "the plugin '\(launch.plugin)' did not answer within "
                                + "\(call.limit.wholeNanoseconds / 1_000_000) ms")))
                answered()
            case .stuck: fall(.ended(because: "deadline"))
            }
        }
    }

    private func pingIfSilent(_ now: MonotonicInstant) {
        guard phase == .serving, !calls.isPinging,
            lastHeard.advanced(by: Self.silenceBeforePing) <= now
        else { return }
        let number = call("plugin.ping", within: Self.pingTime, { $0.object { _ in } }) {
            [weak self] answer in
            guard case .failure(let error) = answer, error.kind == .pluginFailed else { return }
            self?.fall(.ended(because: "ping"))
        }
        calls.ping = number
    }
}

extension PluginProcess: SessionPeer {
    private static let sourceMethods: Set<String> = ["source.change", "source.reset"]

    var plugin: String { launch.plugin }

    func receive(_ reply: ReplyEnvelope) {
        lastHeard = loop.now
        guard case .integer(let number)? = reply.id, let call = calls.take(Int(number)) else {
            if case .ending = phase { return }
            return countFault()
        }
        switch reply.outcome {
        case .success(let view): call.deliver(.success(view))
        case .failure(let error): call.deliver(.failure(error))
        }
        answered()
    }

    func receive(_ request: RequestEnvelope) -> Bool {
        lastHeard = loop.now
        if Self.sourceMethods.contains(request.method), let takeSourceRequest {
            takeSourceRequest(request)
            return true
        }
        guard request.method == "$/progress" else { return false }
        // One that is not as agreed is a sign of life, too, and nothing more.
        if let reader = try? request.reader(), let number = try? reader.int("id"),
            let total = try? reader.int("total"), let done = try? reader.int("done"),
            (0...max(total, 0)).contains(done)
        {
            calls.tell(number, done: done, of: total)
        }
        return true
    }

    func receive(_ fault: RefusedLine) {
        lastHeard = loop.now
        countFault()
    }

    func receivedOverlongLine() { fall(.ended(because: "protocol: a line longer than 1 MiB")) }

    private func countFault() {
        faults += 1
        if faults >= Self.mostFaults {
            fall(.ended(because: "protocol: \(faults) lines that are no request and no answer"))
        }
    }

    func connectionEnded() {
        connection = nil
        process?.connectionEnded()
        if phase != .over, !isProcessOver {
            // A process that closes its descriptor 3 has ended for us. What it says by its end is told if it comes at once.
            phase = .ending
            refuseCalls()
            phaseEnd = loop.now.advanced(by: Self.lastWords)
            arm()
        }
        finishIfOver()
    }
}

extension MonotonicInstant {
    /// Later than everything.
    static let never = MonotonicInstant(nanoseconds: .max)
}
