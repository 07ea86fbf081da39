/// An effect from its start to its end. It may send mutations in between.
final class RunningEffect {
    private var cancellation: Cancellation?
    private var isEnded = false

    /// Starts an effect; `body` receives the function to send with.
    func start<Mutation>(
        _ send: @escaping (Mutation) -> Void,
        _ body: (_ send: @escaping (Mutation) -> Void) -> Cancellation
    ) {
        let cancellation = body { [weak self] mutation in
            guard let self, !isEnded else { return }
            send(mutation)
        }
        // It may have caused its own end.
        if isEnded { cancellation.cancel() } else { self.cancellation = cancellation }
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        let cancellation = cancellation
        self.cancellation = nil
        cancellation?.cancel()
    }
}

/// The loop of one query.
final class QueryLoop<State, Mutation, Query: Equatable> {
    private let query: (State) -> Query?
    private let effect: (Query, @escaping (Mutation) -> Void) -> Cancellation
    private let send: (Mutation) -> Void
    private var running: (query: Query, effect: RunningEffect)?

    init(
        query: @escaping (State) -> Query?,
        effect: @escaping (Query, @escaping (Mutation) -> Void) -> Cancellation,
        send: @escaping (Mutation) -> Void
    ) {
        self.query = query
        self.effect = effect
        self.send = send
    }

    func step(_ state: State) {
        let wanted = query(state)
        if wanted == running?.query { return }
        stop()
        guard let wanted else { return }
        let new = RunningEffect()
        running = (wanted, new)
        new.start(send) { effect(wanted, $0) }
    }

    func stop() {
        let ended = running
        running = nil
        ended?.effect.end()
    }
}

/// The loop of a query with several elements.
final class EachQueryLoop<State, Mutation, Query: Hashable> {
    private let query: (State) -> [Query]
    private let effect: (Query, @escaping (Mutation) -> Void) -> Cancellation
    private let send: (Mutation) -> Void
    private var running: [Query: RunningEffect] = [:]
    /// The elements in the order of the query.
    private var order: [Query] = []

    init(
        query: @escaping (State) -> [Query],
        effect: @escaping (Query, @escaping (Mutation) -> Void) -> Cancellation,
        send: @escaping (Mutation) -> Void
    ) {
        self.query = query
        self.effect = effect
        self.send = send
    }

    func step(_ state: State) {
        var seen: Set<Query> = []
        let wanted = query(state).filter { seen.insert($0).inserted }
        for old in order where !seen.contains(old) { running.removeValue(forKey: old)?.end() }
        order = wanted
        for new in wanted where running[new] == nil {
            let effect = RunningEffect()
            running[new] = effect
            effect.start(send) { self.effect(new, $0) }
        }
    }

    func stop() {
        let ended = order.compactMap { running[$0] }
        running = [:]
        order = []
        for effect in ended { effect.end() }
    }
}
