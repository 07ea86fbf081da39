// Work for the end of a turn. A run executes all of it, then the work added meanwhile, for some rounds.
//
// A class, because running work may add more. The arrays are reused from turn to turn.

/// The queue of work for the end of a turn.
package final class EndOfTurnWork {
    private var waiting: [() -> Void] = []
    private var spare: [() -> Void] = []
    private var handlersSinceRequest = 0

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    package func append(_ work: @escaping () -> Void) {
        waiting.append(work)
    }

    /// Counts a handler that ran, or is about to run, while work waits.
    package func countHandler() {
        if !waiting.isEmpty { handlersSinceRequest += 1 }
    }

    /// Whether the work has waited for the maximum of handlers.
    package var isOverdue: Bool {
        handlersSinceRequest >= TurnLimits.handlersBeforeEnd
    }

    /// Runs the waiting work. Work left after the last round waits for the next turn.
    package func run() {
        handlersSinceRequest = 0
        for _ in 0..<TurnLimits.endRounds {
            if waiting.isEmpty { return }
            var round = waiting
            waiting = spare
            spare = []
            for work in round { work() }
            round.removeAll(keepingCapacity: round.capacity <= 1024)
            spare = round
        }
    }
}
