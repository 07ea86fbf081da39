// A state, what changes it, and what it brings about.
//
// Everything that happens is a mutation, and a pure function says what state follows. After each
// mutation the new state goes to all feedbacks in the order in which they were declared; their effects send
// mutations back. Mutations are queued and taken one at a time: one that is sent while another is being
// handled, from an effect that starts or a cancellation, waits until all feedbacks have seen the
// state before it. So all feedbacks see all states, in the same order, and nothing recurses.
//
// Invariants: `state` is `reduce` applied to the mutations taken so far, in order; an effect is under way
// if and only if the last state that its feedback saw asks for it.

/// A state with a reducer and feedback loops.
///
/// Not for use on several threads. It does nothing by itself: time, network and threads are in the
/// effects. What holds the system keeps it going; when it goes, its effects are ended.
public final class FeedbackSystem<State, Mutation> {
    /// How many mutations may follow from one that is sent from outside.
    public static var cascadeLimit: Int { 10_000 }

    /// The state after all mutations that were taken.
    public private(set) var state: State
    /// Is told when mutations that followed from one were more than ``cascadeLimit``: a loop that feeds itself.
    /// Those that still waited were dropped; their number is given. The system goes on.
    public var onRunaway: ((_ dropped: Int) -> Void)?

    private let reduce: (State, Mutation) -> State
    private var loops: [(step: (State) -> Void, stop: () -> Void)] = []
    private var queue: [Mutation] = []
    private var isRunning = false
    private var isStopped = false

    /// Starts a system: the first state goes to all feedbacks at once.
    ///
    /// - Parameters:
    ///   - initial: the first state.
    ///   - reduce: what state follows from a state and a mutation. It has no side effects.
    ///   - feedback: the loops, in the order in which they are to see each state.
    public init(
        initial: State, reduce: @escaping (State, Mutation) -> State,
        feedback: [Feedback<State, Mutation>]
    ) {
        state = initial
        self.reduce = reduce
        loops = feedback.map { feedback in
            feedback.start { [weak self] in self?.send($0) }
        }
        run { show() }
    }

    deinit { endEffects() }

    /// Takes a mutation: now, or after those that are waiting if one is being handled.
    ///
    /// Without effect after ``stop()``.
    public func send(_ mutation: Mutation) {
        guard !isStopped else { return }
        queue.append(mutation)
        if !isRunning { run {} }
    }

    /// Ends all effects, in the order of their feedbacks, and takes no more mutations.
    public func stop() {
        guard !isStopped else { return }
        isStopped = true
        queue = []
        endEffects()
    }

    private func endEffects() {
        for loop in loops { loop.stop() }
    }

    private func run(_ first: () -> Void) {
        isRunning = true
        defer { isRunning = false }
        first()
        var taken = 0
        // The queue is an array with a place in it: this library has no dependency to take one from.
        var next = 0
        while next < queue.count {
            if taken == Self.cascadeLimit {
                let dropped = queue.count - next
                queue = []
                onRunaway?(dropped)
                return
            }
            let mutation = queue[next]
            next += 1
            taken += 1
            if next == queue.count {
                queue = []
                next = 0
            }
            state = reduce(state, mutation)
            show()
        }
    }

    private func show() {
        for loop in loops where !isStopped { loop.step(state) }
    }
}
