internal import PluginInterface

/// The outcomes of a run whose targets are done one by one, in any order.
final class OutcomeTally {
    /// Whether what has not begun is still wanted.
    final class Ticket {
        fileprivate(set) var isCancelled = false
    }

    let ticket = Ticket()
    private let run: ActionRun
    private var outcomes: [ActionOutcome?]
    private var done = 0

    init(of run: ActionRun) {
        self.run = run
        outcomes = run.targets.map { _ in nil }
        run.onCancel = { [ticket] in ticket.isCancelled = true }
    }

    /// The outcome of the target at a place, once.
    func set(_ outcome: ActionOutcome, at place: Int) {
        guard outcomes[place] == nil else { return }
        outcomes[place] = outcome
        done += 1
        run.tell(done: done, of: outcomes.count)
        if done == outcomes.count { run.finish(.success(outcomes.compactMap(\.self))) }
    }
}
