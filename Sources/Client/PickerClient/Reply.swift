internal import WireProtocol

// The answer to a request, in two parts to avoid a reference cycle: the reply, which its caller holds and
// which retains the connection; and the slot, which the connection holds until the answer arrives, and
// which has the handlers.

/// The answer to a request, which may not have arrived yet.
///
/// It belongs to the thread of its connection, which it retains. It may be released at any time: the
/// request stays sent, and its handlers are called.
public final class Reply<Value> {
    /// The outcome of the request.
    public typealias Outcome = Result<Value, ClientError>

    let slot = ReplySlot<Value>()
    private let loop: PollLoop
    private let connection: PickerConnection?
    /// The id of the request, once it has been sent.
    var id: RequestID?

    init(on loop: PollLoop, from connection: PickerConnection? = nil) {
        self.loop = loop
        self.connection = connection
    }

    /// Calls `handler` with the outcome: when it arrives, or now if it is there.
    @discardableResult
    public func then(_ handler: @escaping (Outcome) -> Void) -> Reply {
        slot.add(handler)
        return self
    }

    /// Cancels the request: it fails with ``ClientError/Code/cancelled`` now, and the daemon is asked not
    /// to carry it out (`$/cancel`). Whether the daemon still does is unknown. Does nothing after the
    /// outcome.
    public func cancel() { giveUp(ClientError(.cancelled, "the request was cancelled")) }

    /// Cancels the request, like ``cancel()``, if there is no answer within `time`; it then fails with
    /// ``ClientError/Code/timedOut``.
    @discardableResult
    public func expire(after time: Duration) -> Reply {
        guard slot.outcome == nil else { return self }
        // The loop retains the timer, and with it this reply, until one of the two happens.
        let timer = loop.schedule(after: time) { self.giveUp(Self.tooLate) }
        return then { _ in timer.cancel() }
    }

    private static var tooLate: ClientError {
        ClientError(.timedOut, "the daemon did not answer in time")
    }

    private func giveUp(_ error: ClientError) {
        guard slot.outcome == nil else { return }
        if let id { connection?.cancelRequest(id) }
        slot.resolve(.failure(error))
    }

    /// Runs the connection's loop until the outcome arrives. Meanwhile all other handlers of the loop are
    /// called.
    ///
    /// - Parameter limit: how long to wait; nil for no limit. After the limit the request is cancelled.
    /// - Returns: the value of the daemon's answer.
    /// - Throws: the error of the request, or ``ClientError/Code/timedOut``.
    public func wait(within limit: Duration? = nil) throws(ClientError) -> Value {
        var isLate = false
        let timer = limit.map { loop.schedule(after: $0) { isLate = true } }
        defer { timer?.cancel() }
        // Nothing below uses the connection, so without this it could be released before its answer
        // arrives.
        withExtendedLifetime(self) {
            _ = loop.run { slot.outcome != nil || isLate }
        }
        if isLate { giveUp(Self.tooLate) }
        guard let outcome = slot.outcome else {
            throw ClientError(.disconnected, "waiting for the answer was broken off")
        }
        return try outcome.get()
    }
}

/// Receives an answer.
final class ReplySlot<Value> {
    private(set) var outcome: Reply<Value>.Outcome?
    private var handlers: [(Reply<Value>.Outcome) -> Void] = []

    func add(_ handler: @escaping (Reply<Value>.Outcome) -> Void) {
        if let outcome { handler(outcome) } else { handlers.append(handler) }
    }

    /// Only the first outcome counts.
    func resolve(_ outcome: Reply<Value>.Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        let handlers = handlers
        self.handlers = []
        for handler in handlers { handler(outcome) }
    }
}
