// Queued work of one priority, first in, first out, and the number of handlers it has waited for. It has no
// limit, because its input is bounded: each user of the loop queues at most a few pieces.

internal import DequeModule
internal import EventLoops

/// The queued work of one priority.
struct WorkLane {
    private var queue = Deque<() -> Void>()
    private var handlersSincePiece = 0

    var isEmpty: Bool { queue.isEmpty }

    /// Whether work has waited for the maximum of handlers of its priority.
    var isOverdue: Bool {
        !queue.isEmpty && handlersSincePiece >= TurnLimits.handlersBeforeQueue
    }

    mutating func append(_ work: @escaping () -> Void) {
        queue.append(work)
    }

    /// Counts a handler of a source of the same priority. Called before the handler.
    mutating func countSourceHandler() {
        if !queue.isEmpty { handlersSincePiece += 1 }
    }

    mutating func popFirst() -> (() -> Void)? {
        handlersSincePiece = 0
        return queue.popFirst()
    }
}
