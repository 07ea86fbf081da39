internal import EventLoops
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// The calls of one batch, run one after another at one revision.
///
/// - A short batch is answered at once. A longer one runs in several turns of the loop, and other clients are
///   served in between; during that time nobody else changes the documents (`ChangeHold`).
/// - A call that changes documents itself, or waits for the first scan, releases the hold until it is answered.
///   The calls behind it see the resulting changes.
/// - A call may be answered later; those behind it wait.
/// - The total time of the hold is limited. Calls without an answer by then are refused with 1008.
///
/// One batch at a time runs in several turns; the others wait for its end, or for a time when it releases the
/// hold. None of their calls has begun, because they would see two revisions.
final class BatchRun {
    /// The most calls of one turn, and its time limit in nanoseconds.
    private static let callsOfTurn = 32
    private static let turnLength: Int64 = 1_000_000

    private unowned let server: PickerServer
    private let calls: [MethodCall]
    private var next = 0
    private var results = JSONWriter()
    /// The pending answer of the batch, if it takes several turns.
    private var reply: PendingReply?
    /// The pending answer of the current call.
    private var current: PendingReply?
    private var isStepping = false
    private var isOver = false
    private var failure: ProtocolError?
    /// The total time of past holds, and the start of the current one.
    private var heldFor: Duration = .zero
    private var heldSince: MonotonicInstant?
    private var limitTimer: (any TimerSource)?

    init(_ calls: [MethodCall], on server: PickerServer) {
        self.calls = calls
        self.server = server
    }

    /// Answers the calls, at once or in several turns.
    func start(_ writer: inout JSONWriter) throws(ProtocolError) -> MethodOutcome {
        results.beginArray()
        step()
        if let failure { throw failure }
        if isOver {
            write(to: &writer)
            return .answered
        }
        let reply = PendingReply()
        self.reply = reply
        // A reference cycle until the answer.
        reply.onEnd = { self.end() }
        return .pending(reply)
    }

    /// Continues until the turn is over or an answer is pending.
    func step() {
        guard !isOver, current == nil else { return }
        if let holder = server.heldBatch, holder !== self {
            return server.waitingBatches.append(self)
        }
        let start = server.loop.now
        var handled = 0
        while next < calls.count {
            if results.count > server.limits.line { return finish(with: tooLong) }
            if isOverTime { return refuseRest() }
            if handled >= Self.callsOfTurn
                || handled > 0
                    && server.loop.now.nanoseconds - start.nanoseconds >= Self.turnLength
            {
                beginHold()
                return server.loop.enqueue { self.step() }
            }
            handled += 1
            handleNext()
            if current != nil { return }
        }
        finish(with: results.count > server.limits.line ? tooLong : nil)
    }

    private func handleNext() {
        let call = calls[next]
        server.counters.requests += 1
        let mark = results.mark
        results.beginObject()
        do throws(ProtocolError) {
            guard let handler = server.registry.handler(of: call.method) else {
                throw server.registry.refusal(of: call.method)
            }
            let mayChange = allowsChanges(call)
            if mayChange { releaseHold() }
            results.key("result")
            switch try handler(call, &results) {
            case .answered:
                results.endObject()
                next += 1
            case .pending(let later):
                results.rewind(to: mark)
                current = later
                if !mayChange { beginHold() }
                isStepping = true
                later.onAnswer { [weak self] in self?.receive($0) }
                isStepping = false
            }
        } catch {
            results.rewind(to: mark)
            append(error)
        }
    }

    /// Whether the documents may change during a call.
    private func allowsChanges(_ call: MethodCall) -> Bool {
        guard let method = server.registry.definition(of: call.method) else { return false }
        return method.changesDocuments
            || method.waitsForDocuments && !server.documents.isReady(for: call.collections)
    }

    private func receive(_ answer: PendingReply.Answer) {
        guard current != nil, !isOver else { return }
        current = nil
        switch answer {
        case .result(let write):
            results.beginObject()
            results.key("result")
            write(&results)
            results.endObject()
            next += 1
        case .failure(let error):
            append(error)
        }
        if !isStepping { server.loop.enqueue { self.step() } }
    }

    private func append(_ error: ProtocolError) {
        server.counters.errors += 1
        results.beginObject()
        results.member("error", error)
        results.endObject()
        next += 1
    }

    // MARK: The end

    private var tooLong: ProtocolError {
        .limitExceeded(
            limit: server.limits.line,
            "the answers to the first \(next) of \(calls.count) calls are longer than a line may be, "
                + "\(server.limits.line) bytes: ask for less at a time")
    }

    private var isOverTime: Bool {
        guard let heldSince else { return heldFor >= server.limits.batchTime }
        return heldFor + heldSince.duration(to: server.loop.now) >= server.limits.batchTime
    }

    /// Refuses the remaining calls after the time limit.
    private func refuseRest() {
        let limit = Int(server.limits.batchTime / .milliseconds(1))
        current?.abandon()
        current = nil
        while next < calls.count, results.count <= server.limits.line {
            append(
                .limitExceeded(
                    limit: limit,
                    "the calls of a batch may take \(limit) ms together, and those before call "
                        + "\(next + 1) of \(calls.count) did: send it in another batch"))
        }
        finish(with: results.count > server.limits.line ? tooLong : nil)
    }

    private func finish(with error: ProtocolError?) {
        failure = error
        end()
        guard let reply else { return }
        if let error { return reply.fail(error) }
        reply.resolve { self.write(to: &$0) }
    }

    private func write(to writer: inout JSONWriter) {
        results.endArray()
        writer.beginObject()
        writer.member("rev", rev)
        writer.key("results")
        writer.splice(results)
        writer.endObject()
    }

    /// The revision of the last calls.
    private var rev = 0

    /// Ends the batch: it is answered, or was abandoned.
    private func end() {
        guard !isOver else { return }
        isOver = true
        rev = server.documents.rev
        current?.abandon()
        current = nil
        releaseHold()
        server.waitingBatches.removeAll { $0 === self }
    }

    // MARK: Holding the documents

    private func beginHold() {
        guard heldSince == nil else { return }
        server.documents.hold.begin()
        server.heldBatch = self
        heldSince = server.loop.now
        // For a call with a pending answer; between calls that take long the limit is checked anyway.
        limitTimer = try? server.loop.schedule(after: server.limits.batchTime - heldFor) {
            [weak self] in
            self?.refuseRest()
        }
    }

    private func releaseHold() {
        guard let since = heldSince else { return }
        heldSince = nil
        heldFor += since.duration(to: server.loop.now)
        limitTimer = nil
        server.heldBatch = nil
        server.documents.hold.end()
        // Each in a turn of its own; they wait again behind one that takes long.
        let ready = server.waitingBatches
        server.waitingBatches = []
        for batch in ready { server.loop.enqueue { batch.step() } }
    }
}
