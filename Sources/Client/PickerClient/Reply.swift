internal import WireProtocol

// The answer to a request, in two parts, so that nothing holds itself: the reply, which its caller
// holds and which keeps the connection alive for as long; and the slot, which the connection holds
// until the answer has come, and which knows the handlers.

/// The answer to a request, which may not have come yet.
///
/// Belongs to the thread of its connection. Letting go of it is fine: the request stays sent, and
/// its handlers are called. As long as it is held, it keeps its connection.
public final class Reply<Value> {
    /// What came of the request.
    public typealias Outcome = Result<Value, ClientError>

    let slot = ReplySlot<Value>()
    private let loop: PollLoop
    private let connection: PickerConnection?
    /// The request's, once it has been sent.
    var id: RequestID?

    init(on loop: PollLoop, from connection: PickerConnection? = nil) {
        self.loop = loop
        self.connection = connection
    }

    /// Calls `handler` with the outcome: when it comes, or now if it is there.
    @discardableResult
    public func then(_ handler: @escaping (Outcome) -> Void) -> Reply {
        slot.add(handler)
        return self
    }

    /// Gives the request up: it fails with ``ClientError/Code/cancelled`` now, and the daemon is asked
    /// not to carry it out (`$/cancel`). Whether it does all the same cannot be told. Does nothing if
    /// the outcome is there.
    public func cancel() { giveUp(ClientError(.cancelled, "the request was cancelled")) }

    /// Has the request given up, as ``cancel()`` does, if there is no answer within `time`; it then
    /// fails with ``ClientError/Code/timedOut``.
    @discardableResult
    public func expire(after time: Duration) -> Reply {
        guard slot.outcome == nil else { return self }
        // The loop holds the timer, and with it this reply, until one of the two happens.
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

    /// Runs the connection's loop until the outcome is there. All other handlers of the loop are
    /// called meanwhile.
    ///
    /// - Parameter limit: how long to wait; without one, for as long as it takes. A request that is
    ///   not answered by then is given up.
    /// - Returns: the value that the daemon answered with.
    /// - Throws: what the request failed with, or ``ClientError/Code/timedOut``.
    public func wait(within limit: Duration? = nil) throws(ClientError) -> Value {
        var isLate = false
        let timer = limit.map { loop.schedule(after: $0) { isLate = true } }
        defer { timer?.cancel() }
        // Nothing below needs the connection, so without this it could go before its answer comes.
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

/// Where an answer arrives.
final class ReplySlot<Value> {
    private(set) var outcome: Reply<Value>.Outcome?
    private var handlers: [(Reply<Value>.Outcome) -> Void] = []

    func add(_ handler: @escaping (Reply<Value>.Outcome) -> Void) {
        if let outcome { handler(outcome) } else { handlers.append(handler) }
    }

    /// The first outcome counts.
    func resolve(_ outcome: Reply<Value>.Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        let handlers = handlers
        self.handlers = []
        for handler in handlers { handler(outcome) }
    }
}
