// A state with its mutations and effects.
//
// Every event is a mutation, and a pure function computes the next state. After each mutation, all
// feedbacks receive the new state in the order of their declaration; their effects send mutations back.
// Mutations are queued and processed one at a time: one that is sent while another is being processed,
// from an effect that starts or a cancellation, waits until all feedbacks have received the state before
// it. So all feedbacks see all states, in the same order, and nothing recurses.
//
// Invariants: `state` is `reduce` applied to the processed mutations, in order; an effect is running if
// and only if the last state that its feedback received requests it.

/// A state with a reducer and feedback loops.
///
/// It must be used by one thread at a time. It does nothing by itself: time, network and threads are in
/// the effects. It ends its effects when it is released.
public final class FeedbackSystem<State, Mutation> {
    /// The maximum number of mutations that may follow from one that is sent from outside.
    public static var cascadeLimit: Int { 10_000 }

    /// The state after all processed mutations.
    public private(set) var state: State
    /// Called when more than ``cascadeLimit`` mutations follow from one: a loop that feeds itself.
    /// Receives the number of queued mutations that were dropped. The system keeps running.
    public var onRunaway: ((_ dropped: Int) -> Void)?

    private let reduce: (State, Mutation) -> State
    private var loops: [(step: (State) -> Void, stop: () -> Void)] = []
    private var queue: [Mutation] = []
    private var isRunning = false
    private var isStopped = false

    /// Starts a system: all feedbacks receive the first state immediately.
    ///
    /// - Parameters:
    ///   - initial: The first state.
    ///   - reduce: Computes the next state from a state and a mutation. It has no side effects.
    ///   - feedback: The loops, in the order in which they receive each state.
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

    /// Processes a mutation: immediately, or after the queued ones if another is being processed.
    ///
    /// Without effect after ``stop()``.
    public func send(_ mutation: Mutation) {
        guard !isStopped else { return }
        queue.append(mutation)
        if !isRunning { run {} }
    }

    /// Ends all effects, in the order of their feedbacks, and ignores further mutations.
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
        // The queue is an array with a cursor: this library has no dependency that offers a deque.
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
