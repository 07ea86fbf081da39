/// A running effect, which ends when the state no longer requests it.
public struct Cancellation {
    private let body: () -> Void

    /// A cancellation that calls `body` at most once, and not after the system has been released.
    ///
    /// - Parameter body: Ends the effect. Mutations sent by an effect while it is being ended are
    ///   ignored.
    public init(_ body: @escaping () -> Void) { self.body = body }

    /// For effects that are complete as soon as they are started.
    public static var none: Cancellation { Cancellation {} }

    /// Ends the effect, for an effect that is part of another one.
    package func cancel() { body() }
}

/// A feedback loop from the state back to mutations.
///
/// A feedback receives each state, and may start or end effects; effects send mutations. It is a
/// description: the system keeps the running effects, so one feedback may be passed to several systems.
public struct Feedback<State, Mutation> {
    /// The function of a loop that receives each state.
    typealias Step = (State) -> Void

    /// Starts a loop in a system, which receives mutations by `send`.
    let start: (_ send: @escaping (Mutation) -> Void) -> (step: Step, stop: () -> Void)

    /// Runs an effect for as long as the state requests it.
    ///
    /// The query returns the request, or `nil` for none. While it returns equal values, the effect keeps
    /// running, however often the state changes; another value ends the effect and starts a new one, and
    /// so does `nil` followed by the same value. Mutations sent by an ended effect are ignored.
    ///
    /// - Parameters:
    ///   - query: The request of a state. It has no side effects.
    ///   - effect: Starts the requested effect. It may send any number of mutations, immediately or later.
    /// - Returns: The feedback.
    public static func react<Query: Equatable>(
        to query: @escaping (State) -> Query?,
        effect: @escaping (_ query: Query, _ send: @escaping (Mutation) -> Void) -> Cancellation
    ) -> Feedback {
        Feedback { send in
            var running: (query: Query, effect: RunningEffect)?
            func stop() { running.take()?.effect.end() }
            func step(_ state: State) {
                let wanted = query(state)
                if wanted == running?.query { return }
                stop()
                guard let wanted else { return }
                let new = RunningEffect()
                running = (wanted, new)
                new.start(send) { effect(wanted, $0) }
            }
            return (step, stop)
        }
    }

    /// Runs an effect for each element that a state requests.
    ///
    /// Works like ``react(to:effect:)`` for each element separately: a kept element keeps its effect, a
    /// new one starts an effect, a removed one ends its effect. Removed elements are ended first, then
    /// new ones are started, each in the order of the query.
    ///
    /// - Parameters:
    ///   - query: The requests of a state; repeated elements are ignored.
    ///   - effect: Starts the requested effect.
    /// - Returns: The feedback.
    /// - Complexity: O(*n*) for each state, with *n* elements.
    public static func reactToEach<Query: Hashable>(
        of query: @escaping (State) -> [Query],
        effect: @escaping (_ query: Query, _ send: @escaping (Mutation) -> Void) -> Cancellation
    ) -> Feedback {
        Feedback { send in
            var running: [Query: RunningEffect] = [:]
            // The elements in the order of the query.
            var order: [Query] = []
            func step(_ state: State) {
                var seen: Set<Query> = []
                let wanted = query(state).filter { seen.insert($0).inserted }
                for old in order where !seen.contains(old) {
                    running.removeValue(forKey: old)?.end()
                }
                order = wanted
                for new in wanted where running[new] == nil {
                    let started = RunningEffect()
                    running[new] = started
                    started.start(send) { effect(new, $0) }
                }
            }
            func stop() {
                let ended = order.compactMap { running[$0] }
                running = [:]
                order = []
                for effect in ended { effect.end() }
            }
            return (step, stop)
        }
    }

    /// Observes each state, and sends nothing by itself.
    ///
    /// - Parameter observe: Called with each state, including the first.
    /// - Returns: The feedback.
    public static func observe(_ observe: @escaping (State) -> Void) -> Feedback {
        Feedback { _ in (observe, {}) }
    }
}
