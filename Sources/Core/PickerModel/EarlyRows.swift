/// What is known early of a list by a search that ranks documents for long: the first rows of those that it has found
/// so far, and then, in an order by score, the first of all, where these are found without ranking all.
final class EarlyRows {
    private enum Phase {
        /// The search is to take so many steps before. `isAgain` if it had found too few at first.
        case waiting(until: Int, isAgain: Bool)
        case selecting(FirstFound, isAgain: Bool)
        case seeking(BestFound)
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
    private let query: DocumentQuery?
    private var phase: Phase

    /// The first `limit` rows, once the search has taken `steps`, of documents that also match `query`.
    init(
        _ limit: Int, foundBy ranking: RankedDocuments, sortedBy order: SortOrder,
        matching query: DocumentQuery?, after steps: Int
    ) {
        self.ranking = ranking
        self.limit = limit
        self.order = order
        self.query = query
        phase = limit > 0 ? .waiting(until: steps, isAgain: false) : .done
    }

    /// - Returns: whether this slice is taken; else the search may go on.
    func advance(budget: Int) -> Bool {
        if ranking.isMatched { phase = .done }
        switch phase {
        case .done: return false
        case .waiting(let due, let isAgain):
            guard ranking.stepsTaken >= due else { return false }
            let work = FirstFound(limit, foundBy: ranking, sortedBy: order, matching: query)
            select(work, isAgain: isAgain, budget)
        case .selecting(let work, let isAgain): select(work, isAgain: isAgain, budget)
        case .seeking(let work): seek(work, budget)
        }
        return true
    }

    private func select(_ work: FirstFound, isAgain: Bool, _ budget: Int) {
        let before = work.stepsTaken
        defer { stepsTaken += work.stepsTaken - before }
        guard work.advance(budget: budget) else {
            phase = .selecting(work, isAgain: isAgain)
            return
        }
        guard work.rows.count >= limit || isAgain && !work.rows.isEmpty else {
            phase = .waiting(until: 2 * ranking.stepsTaken, isAgain: true)
            return
        }
        tell(work.rows, work.count, work.rev)
        let best = BestFound(limit, foundBy: ranking, sortedBy: order, matching: query)
        phase = best.map { .seeking($0) } ?? .done
    }

    private func seek(_ work: BestFound, _ budget: Int) {
        let before = work.stepsTaken
        defer { stepsTaken += work.stepsTaken - before }
        guard work.advance(budget: budget) else { return }
        phase = .done
        if let rows = work.rows { tell(rows, max(work.count, found?.count ?? 0), work.rev) }
    }

    private func tell(_ rows: [DocumentRow], _ count: Int, _ rev: Int) {
        found = (ShownRows(rows.map { PickerItem($0) }, of: ranking.table), count, rev)
        findings += 1
    }
}
