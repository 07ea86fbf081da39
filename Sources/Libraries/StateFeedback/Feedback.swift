/// An effect that is under way, to be ended when the state no longer asks for it.
public struct Cancellation {
    private let body: () -> Void

    /// What ends an effect. It is called once at most, and not after the system has gone.
    ///
    /// - Parameter body: ends the effect. It may send nothing: what is sent by an effect that is
    ///   being ended does not count.
    public init(_ body: @escaping () -> Void) { self.body = body }

    /// For effects that are over when they have been started.
    public static var none: Cancellation { Cancellation {} }

    func cancel() { body() }
}

/// One way from the state back to a mutation of it.
///
/// A feedback looks at each state, and may start or end effects; effects send mutations. It is a
/// description: what is under way is kept by the system that it is given to, so one feedback may be given
/// to several.
public struct Feedback<State, Mutation> {
    /// What a loop does with each state.
    typealias Step = (State) -> Void

    /// Starts a loop of a system, which takes mutations by `send`.
    let start: (_ send: @escaping (Mutation) -> Void) -> (step: Step, stop: () -> Void)

    init(
        start: @escaping (_ send: @escaping (Mutation) -> Void) -> (step: Step, stop: () -> Void)
    ) {
        self.start = start
    }

    /// An effect for as long as the state asks for it.
    ///
    /// The query says what is asked for, and nil for nothing. While it gives equal values the effect is left
    /// alone, however often the state changes; another value ends the effect and starts one anew, and so
    /// does nil followed by the same value. What an effect sends after it was ended does not count.
    ///
    /// - Parameters:
    ///   - query: what is asked for in a state. It has no side effects.
    ///   - effect: starts what was asked for. It may send mutations at once, later, several or none.
    /// - Returns: the feedback.
    public static func react<Query: Equatable>(
        to query: @escaping (State) -> Query?,
        effect: @escaping (_ query: Query, _ send: @escaping (Mutation) -> Void) -> Cancellation
    ) -> Feedback {
        Feedback { send in
            let loop = QueryLoop(query: query, effect: effect, send: send)
            return (loop.step, loop.stop)
        }
    }

    /// An effect for each of several things that a state asks for.
    ///
    /// As ``react(to:effect:)`` for each element by itself: one that stays is left alone, one that comes
    /// starts an effect, one that goes ends its effect. Those that go are ended first, then those that
    /// come are started, each in the order of the query.
    ///
    /// - Parameters:
    ///   - query: what is asked for in a state; an element that occurs again is passed over.
    ///   - effect: starts what was asked for.
    /// - Returns: the feedback.
    /// - Complexity: O(*n*) for each state, with *n* elements.
    public static func reactToEach<Query: Hashable>(
        of query: @escaping (State) -> [Query],
        effect: @escaping (_ query: Query, _ send: @escaping (Mutation) -> Void) -> Cancellation
    ) -> Feedback {
        Feedback { send in
            let loop = EachQueryLoop(query: query, effect: effect, send: send)
            return (loop.step, loop.stop)
        }
    }

    /// Shows each state to somebody, and sends nothing by itself.
    ///
    /// - Parameter observe: is called with each state, the first included.
    /// - Returns: the feedback.
    public static func observe(_ observe: @escaping (State) -> Void) -> Feedback {
        Feedback { _ in (observe, {}) }
    }
}
