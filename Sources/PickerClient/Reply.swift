/// The answer to a request, which may not have come yet.
///
/// Belongs to the thread of its connection. Letting go of it is fine: the request stays sent.
public final class Reply<Value> {
    /// What came of the request.
    public typealias Outcome = Result<Value, ClientError>

    private let loop: PollLoop
    private var outcome: Outcome?
    private var handlers: [(Outcome) -> Void] = []

    init(on loop: PollLoop) {
        self.loop = loop
    }

    /// Calls `handler` with the outcome: when it comes, or now if it is there.
    @discardableResult
    public func then(_ handler: @escaping (Outcome) -> Void) -> Reply {
        if let outcome { handler(outcome) } else { handlers.append(handler) }
        return self
    }

    /// Runs the connection's loop until the outcome is there. All other handlers of the loop are
    /// called meanwhile.
    ///
    /// - Parameter limit: how long to wait; without one, for as long as it takes.
    /// - Throws: what the request failed with, or ``ClientError/Code/timedOut``.
    public func wait(within limit: Duration? = nil) throws(ClientError) -> Value {
        var isLate = false
        let timer = limit.map { loop.schedule(after: $0) { isLate = true } }
        defer { timer?.cancel() }
        loop.run { outcome != nil || isLate }
        guard let outcome else {
            throw isLate
                ? ClientError(.timedOut, "the daemon did not answer in time")
                : ClientError(.disconnected, "waiting for the answer was broken off")
        }
        return try outcome.get()
    }

    /// The first outcome counts.
    func resolve(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        let handlers = handlers
        self.handlers = []
        for handler in handlers { handler(outcome) }
    }
}
