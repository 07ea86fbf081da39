// Queued work of one priority, first in, first out, and for how many handlers it has waited. There is no
// limit, because what fills it is bounded: each user of the loop keeps at most a few pieces waiting.

internal import DequeModule

/// The queued work of one priority.
struct WorkLane {
    private var queue = Deque<() -> Void>()
    private var handlersSincePiece = 0

    var isEmpty: Bool { queue.isEmpty }

    /// Whether work has waited for as many handlers of its priority as it may.
    var isOverdue: Bool {
        !queue.isEmpty && handlersSincePiece >= TurnLimits.handlersBeforeQueue
    }

    mutating func append(_ work: @escaping () -> Void) {
        queue.append(work)
    }

    /// Called before a handler of a source of the same priority.
    mutating func noteHandlerOfSource() {
        if !queue.isEmpty { handlersSincePiece += 1 }
    }

    mutating func popFirst() -> (() -> Void)? {
        handlersSincePiece = 0
        return queue.popFirst()
    }
}
