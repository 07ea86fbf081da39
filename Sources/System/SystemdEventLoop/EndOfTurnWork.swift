// Work for the end of a turn: all that is there is run, then what that added, for some rounds.
//
// A class, because the work that runs may add more. The arrays are reused from turn to turn.

/// What is to be done at the end of a turn.
package final class EndOfTurnWork {
    private var waiting: [() -> Void] = []
    private var spare: [() -> Void] = []
    private var handlersSinceAsked = 0

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    package func append(_ work: @escaping () -> Void) {
        waiting.append(work)
    }

    /// Counts a handler that ran, or is about to, while work waits.
    package func noteHandler() {
        if !waiting.isEmpty { handlersSinceAsked += 1 }
    }

    /// Whether the work has waited for as many handlers as it may.
    package var waitedLongEnough: Bool {
        handlersSinceAsked >= TurnLimits.handlersBeforeEnd
    }

    /// Runs what waits. What is left after the last round waits for the next turn.
    package func run() {
        handlersSinceAsked = 0
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
