/// What is known early of a list by a search that ranks documents for long: as many rows as fill a screen.
///
/// In an order by score first these are the first rows of all, where they are found without ranking all; before them, if
/// that takes long, the first of those that the search has found so far. In another order they are the latter.
final class EarlyRows {
    private enum Phase {
        /// The search is to take so many steps before.
        case waiting(until: Int)
        /// With what the search had found by then, if that may be told before. Both are of one revision: what is told
        /// never goes back to an earlier one.
        case seeking(BestFound, soFar: FirstFound?)
        /// What the search had found is selected, before the first of all are sought on.
        case looking(FirstFound, before: BestFound)
        case selecting(FirstFound)
        case done
    }

    private(set) var stepsTaken = 0
    /// What was found last.
    private(set) var found: ListPreview.Found?
    /// How often something was found.
    private(set) var findings = 0

    private let ranking: RankedDocuments
    private let limit: Int
    private let order: SortOrder
    private let isByScore: Bool
    private let query: DocumentQuery?
    /// The steps of the search before what it has found so far is looked at.
    private let due: Int
    private var phase: Phase
    /// Whether too little had been found before.
    private var isAgain = false
    /// The shortest names, since this has begun to complete them.
    private var shortNames: ShortNames?

    /// The first of all are sought after so much of the time, or later, up to so many times, if the search has found too
    /// little by then to be told.
    private static let soughtAfter = 16
    private static let mostPatience = 4

    /// So many rows are worth to be told although more are asked for: a terminal's, or a third of a window, which is a
    /// screen with as much above and below.
    private var enough: Int { min(limit, max(24, limit / 3)) }

    /// The first `limit` rows, once the search has taken `steps`, of documents that also match `query`. The first of all
    /// are sought before that.
    init(
        _ limit: Int, foundBy ranking: RankedDocuments, sortedBy order: SortOrder,
        matching query: DocumentQuery?, after steps: Int
    ) {
        self.ranking = ranking
        self.limit = limit
        self.order = order
        self.query = query
        due = steps
        isByScore = order.terms.first == SortOrder.Term(.score)
        phase = limit > 0 ? .waiting(until: isByScore ? steps / Self.soughtAfter : steps) : .done
    }

    /// - Returns: whether this slice is taken; else the search may go on.
    func advance(budget: Int) -> Bool {
        // The result is at hand, and waits for nothing.
        if ranking.isMatched { return false }
        switch phase {
        case .done: return completeShortNames(budget)
        case .waiting(let due):
            guard ranking.stepsTaken >= due, isAgain || hasEnough(since: due) else { return false }
            begin(budget)
        case .seeking(let work, let soFar): seek(work, soFar, budget)
        case .looking(let work, let best): look(work, before: best, budget)
        case .selecting(let work): select(work, budget)
        }
        return true
    }

    /// Whether the search has found enough to be told, or has been waited for.
    private func hasEnough(since due: Int) -> Bool {
        !isByScore || ranking.foundBits.count >= enough
            || ranking.stepsTaken >= Self.mostPatience * due
    }

    private func begin(_ budget: Int) {
        guard !isAgain,
            let best = BestFound(enough, foundBy: ranking, sortedBy: order, matching: query)
        else {
            return select(
                FirstFound(limit, foundBy: ranking, sortedBy: order, matching: query), budget)
        }
        let soFar = FirstFound(enough, foundBy: ranking, sortedBy: order, matching: query)
        seek(best, ranking.foundBits.count >= enough ? soFar : nil, budget)
    }

    private func seek(_ work: BestFound, _ soFar: FirstFound?, _ budget: Int) {
        let before = work.stepsTaken
        defer { stepsTaken += work.stepsTaken - before }
        let isOver = work.advance(budget: budget)
        phase = isOver ? .done : .seeking(work, soFar: soFar)
        if let rows = work.rows {
            tell(rows, max(work.count, found?.count ?? 0), work.rev)
        } else if found != nil {
            return
        } else if isOver {
            waitAgain()
        } else if work.isLong, let soFar {
            phase = .looking(soFar, before: work)
        }
    }

    private func look(_ work: FirstFound, before best: BestFound, _ budget: Int) {
        let before = work.stepsTaken
        defer { stepsTaken += work.stepsTaken - before }
        guard work.advance(budget: budget) else { return }
        phase = .seeking(best, soFar: nil)
        if work.rows.count >= enough { tell(work.rows, work.count, work.rev) }
    }

    private func select(_ work: FirstFound, _ budget: Int) {
        let before = work.stepsTaken
        defer { stepsTaken += work.stepsTaken - before }
        phase = .selecting(work)
        guard work.advance(budget: budget) else { return }
        guard work.rows.count >= limit || isAgain && !work.rows.isEmpty else {
            return waitAgain()
        }
        phase = .done
        tell(work.rows, work.count, work.rev)
    }

    /// Too little is found yet.
    private func waitAgain() {
        isAgain = true
        phase = .waiting(until: max(due, 2 * ranking.stepsTaken, ranking.stepsTaken + 1))
    }

    /// The next search finds the best rows sooner by the shortest names. This one has found them.
    /// - Returns: whether this slice is taken.
    private func completeShortNames(_ budget: Int) -> Bool {
        // If those that it has begun are of no use before they are complete, documents come faster than they are made.
        if let shortNames, ranking.table.shortNames !== shortNames { return false }
        guard isByScore, let names = ranking.table.shortNamesToComplete() else { return false }
        shortNames = names
        let before = names.stepsTaken
        _ = names.advance(budget: budget)
        stepsTaken += names.stepsTaken - before
        return true
    }

    private func tell(_ rows: [DocumentRow], _ count: Int, _ rev: Int) {
        found = (ShownRows(rows.map { PickerItem($0) }, of: ranking.table), count, rev)
        findings += 1
    }
}
