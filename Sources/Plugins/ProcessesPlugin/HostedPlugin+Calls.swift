internal import DequeModule
internal import EventLoops
internal import JSONText
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import WireProtocol

// The methods of the plugin, which are passed on to its process.
extension HostedPlugin {
    func offerMethods(of manifest: ProcessManifest) {
        offerAttributes(of: manifest)
        contributions.offer(
            manifest.methods.map { method in
                (definition(of: method, manifest), handler(of: method))
            })
        offerActions(of: manifest)
        offerSources(of: manifest)
    }

    func definition(
        of method: ProcessManifest.Method, _ manifest: ProcessManifest
    ) -> MethodDefinition {
        MethodDefinition(
            method.name, method.summary ?? "A method of the plugin '\(manifest.id)'.",
            parameters: method.params.members, result: method.result.definition,
            errors: [.overloaded] + (ProtocolError.Kind.ofPlugins))
    }

    private func handler(of method: ProcessManifest.Method) -> MethodHandler {
        { [unowned self] (call, _) throws(ProtocolError) in
            let params = call.params ?? JSONFragment(.object([:])).view
            if let fault = method.params.fault(in: params) {
                throw .invalidParams(at: fault.at, fault.message)
            }
            let reply = PendingReply()
            let passed = WaitingCall(method: method.name, params: call.params?.fragment) {
                [id, unowned reply] answer in
                reply.onEnd = nil
                Self.settle(reply, of: id, with: answer, as: method.result)
            }
            // A reference cycle until the answer.
            reply.onEnd = { passed.withdraw() }
            try take(passed)
            return .pending(reply)
        }
    }

    /// Passes a call on, now or when the process is ready and has room for it.
    func take(_ call: WaitingCall) throws(ProtocolError) {
        lastUse = loop.now
        switch life {
        case .ready, .starting, .waiting: break
        case .backoff(let until):
            let wait = loop.now.duration(to: until).wholeNanoseconds / 1_000_000 + 1
            throw .pluginFailed(
                id, "the plugin '\(id)' fell, and is started again in \(wait) ms",
                retryAfterMs: Int(wait))
        case .off, .quarantined, .incompatible:
            let record = record
            throw .pluginFailed(
                id,
                "the plugin '\(id)' is \(record.state.rawValue)"
                    + (record.reason.map { ": \($0)" } ?? ""))
        }
        if queue.count >= Self.mostWaitingCalls {
            throw .overloaded(
                retryAfterMs: 100,
                "\(queue.count) calls wait for the plugin '\(id)', which is the limit: try again")
        }
        call.onWithdraw = { [weak self, unowned call] in
            self?.queue.removeAll { $0 === call }
            self?.sendNext()
        }
        queue.append(call)
        if case .waiting = life { start() } else { sendWaiting() }
    }

    /// Sends what waits, calls and files in turn: after a call files go first, else the calls, so that neither waits for
    /// all of the other.
    func sendNext(afterCall: Bool = false) {
        guard case .ready(let process) = life else { return }
        if afterCall { sendBatches(to: process) }
        sendWaiting()
        if queue.isEmpty { sendBatches(to: process) }
    }

    /// Sends waiting calls while the process has room for them.
    func sendWaiting() {
        guard case .ready(let process) = life, process.phase == .serving else { return }
        let room = process.manifest.limits.parallel
        while process.calls.wantedCount < room, let call = queue.popFirst() { send(call, process) }
    }

    private func send(_ call: WaitingCall, _ process: PluginProcess) {
        let limit = Duration.milliseconds(process.manifest.limits.callMs)
        let number = process.call(
            call.method, within: limit,
            { line in
                if let params = call.params { line.fragment(params) } else { line.object { _ in } }
            }, progress: call.progress
        ) { [weak self] answer in
            call.settle(answer)
            self?.sendNext(afterCall: true)
        }
        call.onWithdraw = { [weak self, weak process] in
            // Answered calls are no longer in flight, so this is one that nobody waits for any more.
            process?.cancel(number)
            self?.sendNext(afterCall: true)
        }
    }

    private static func settle(
        _ reply: PendingReply, of id: String, with answer: Result<JSONView, ProtocolError>,
        as result: CheckedSchema
    ) {
        switch answer {
        case .failure(let error): reply.fail(error.ofPlugin(id))
        case .success(let view):
            if let fault = result.fault(in: view, called: "result") {
                return reply.fail(
                    .pluginFailed(
                        id,
                        "the plugin '\(id)' did not answer as its manifest says: \(fault.message)"))
            }
            let fragment = view.fragment
            reply.resolve { $0.fragment(fragment) }
        }
    }

    /// Refuses the calls that wait.
    func refuseQueue(because what: String) {
        let refused = queue
        queue = []
        for call in refused {
            call.settle(.failure(.pluginFailed(id, "the plugin '\(id)' \(what)")))
        }
    }
}

extension ProtocolError.Kind {
    /// The errors that a plugin's method may answer with, besides those of any request.
    static let ofPlugins: [Self] = [
        .notReady, .timeout, .unsupported, .permissionDenied, .noSuchItem, .conflict, .outsideRoot,
    ]
}

extension ProtocolError {
    /// Whether a plugin may answer a client with it: any other becomes `pluginFailed`.
    private var isOfPlugin: Bool {
        let kinds = Kind.ofPlugins + [.overloaded] + MethodDefinition.commonErrors
        return kinds.contains(kind)
    }

    /// The error that a client gets for an error of that plugin.
    func ofPlugin(_ id: String) -> ProtocolError {
        isOfPlugin ? self : .pluginFailed(id, message)
    }
}
