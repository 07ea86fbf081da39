internal import DequeModule
internal import JSONText
internal import PluginInterface
internal import PluginProcesses
internal import SystemInterface
internal import SystemdEventLoop
internal import WireProtocol

/// A call of a client that waits until the plugin can take it.
struct WaitingCall {
    let method: String
    let params: JSONFragment?
    let result: CheckedSchema
    let reply: PendingReply
}

// The methods of the plugin, which are passed on to its process.
extension HostedPlugin {
    func offerMethods(of manifest: ProcessManifest) {
        offerAttributes(of: manifest)
        contributions.offer(
            manifest.methods.map { method in
                (definition(of: method, manifest), handler(of: method))
            })
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
            try take(
                WaitingCall(
                    method: method.name, params: call.params?.fragment, result: method.result,
                    reply: reply))
            return .pending(reply)
        }
    }

    /// Passes a call on, now or when the process is ready and has room for it.
    private func take(_ call: WaitingCall) throws(ProtocolError) {
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
        call.reply.onEnd = { [weak self, unowned reply = call.reply] in
            self?.queue.removeAll { $0.reply === reply }
        }
        queue.append(call)
        if case .waiting = life { start() } else { sendWaiting() }
    }

    /// Sends waiting calls while the process has room for them.
    func sendWaiting() {
        guard case .ready(let process) = life, process.phase == .serving else { return }
        let room = process.manifest.limits.parallel
        while process.calls.wantedCount < room, let call = queue.popFirst() { send(call, process) }
    }

    private func send(_ call: WaitingCall, _ process: PluginProcess) {
        let reply = call.reply
        let limit = Duration.milliseconds(process.manifest.limits.callMs)
        let number = process.call(
            call.method, within: limit,
            { line in
                if let params = call.params { line.fragment(params) } else { line.object { _ in } }
            }
        ) { [weak self, id] answer in
            Self.settle(call, of: id, with: answer)
            self?.sendWaiting()
        }
        reply.onEnd = { [weak self, weak process] in
            // Answered calls are no longer in flight, so this is one that nobody waits for any more.
            process?.cancel(number)
            self?.sendWaiting()
        }
    }

    private static func settle(
        _ call: WaitingCall, of id: String, with answer: Result<JSONView, ProtocolError>
    ) {
        call.reply.onEnd = nil
        switch answer {
        case .failure(let error):
            call.reply.fail(error.isOfPlugin ? error : .pluginFailed(id, error.message))
        case .success(let view):
            if let fault = call.result.fault(in: view, called: "result") {
                return call.reply.fail(
                    .pluginFailed(
                        id,
                        "the plugin '\(id)' did not answer as its manifest says: \(fault.message)"))
            }
            let fragment = view.fragment
            call.reply.resolve { $0.fragment(fragment) }
        }
    }

    /// Refuses the calls that wait.
    func refuseQueue(because what: String) {
        let refused = queue
        queue = []
        for call in refused {
            call.reply.onEnd = nil
            call.reply.fail(.pluginFailed(id, "the plugin '\(id)' \(what)"))
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
    fileprivate var isOfPlugin: Bool {
        let kinds = Kind.ofPlugins + [.overloaded] + MethodDefinition.commonErrors
        return kinds.contains(kind)
    }
}
