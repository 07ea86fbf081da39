internal import Observables

/// Finds the first items of a list in slices, before the list is made: in its order if that is at hand, or else by a
/// selection among all that match.
///
/// Where the results of the query are not known and take long to find, the documents at the start of an order at hand
/// are tested before any others. If enough of them match, the items are known at once, and their number later. While a
/// search ranks documents for long, its items are first selected from those that it has found by then.
package final class ListPreview: SlicedWork {
    /// The number of rows of an order that are looked at to find the first that match.
    private static let mostScanned = 32_768
    /// The number of rows that are looked at by one step.
    private static let rowsPerStep = 4
    private static let rowsAtOnce = 1024
    /// The most steps for first items that are known early, some tenths of a millisecond; and those after which is seen
    /// whether they are enough.
    private static let mostForEarly = 50_000
    private static let stepsUntilSeen = 10_000
    /// The number of rows that are fetched from memory together.
    private static let rowsFetched = 128

    /// The first items and the number of all at a revision, once they are known. The rows remain readable.
    package private(set) var result: Found?
    /// The first items, and a number that there are at least, if these are known before the result. Of a search that
    /// ranks documents they are the first so far, and perhaps later the first of all.
    package private(set) var early: Found?
    /// How often such items were found.
    package private(set) var earlyCount = 0
    package private(set) var stepsTaken = 0
    /// The number of items to find.
    package let limit: Int
    /// Whether the result is all that the list has now, when it is found.
    package private(set) var isWhole = false
    /// Whether it waits for the documents to stop changing.
    package private(set) var isWaiting = false
    package var isPatient: Bool { isWaiting && orders.store.areMoreComing() }

    /// Items, the number of all at a revision, and that revision.
    package typealias Found = (items: ShownRows, count: Int, rev: Int)
    private typealias Matching = (rows: RowBitset, rev: Int, isExact: Bool)

    private let orders: DocumentOrders
    private let sortOrder: SortOrder
    private let query: DocumentQuery
    /// The results of the query, if it needs any.
    package private(set) var survey: DocumentSurvey?
    /// The rows that match, once the survey is complete, the revision at which they do, and whether no others do.
    private var matching: Matching?
    private var first: FirstRows?
    /// Keeps the rows readable while they are selected.
    private var hold: RowHold?
    /// The wait for the end of a great change, until that is over.
    private var waiting: QuietWait?
    /// The least steps of a query for which documents are tested in their order first; nil once that is over.
    private var earlyFrom: Int?
    /// What is known early of a search that ranks documents.
    private var earlyRows: EarlyRows?

    /// Does nothing yet: the first slice begins the work. With `isAfterChange` it waits until the documents are quiet.
    /// The items may be known before the result if the query takes `early.from` steps or more, or its search ranks
    /// documents for `early.after` steps.
    package init(
        _ limit: Int, in orders: DocumentOrders, sortedBy sortOrder: SortOrder,
        query: DocumentQuery, isAfterChange: Bool = false, early: (from: Int, after: Int)? = nil,
        survey: (DocumentQuery) -> DocumentSurvey
    ) {
        waiting = isAfterChange ? QuietWait(isQuiet: false) : nil
        earlyFrom = early?.from
        self.limit = limit
        self.orders = orders
        self.sortOrder = sortOrder
        self.query = query
        let asked = PickerList.asked(query, in: orders)
        if !asked.isEverything { self.survey = survey(asked) }
        if let early, let ranking = orders.ranking {
            earlyRows = EarlyRows(
                limit, foundBy: ranking, sortedBy: sortOrder, matching: self.survey?.query,
                after: early.after)
        }
    }

    /// What another one has found, which is all that the list has now.
    package init(
        again found: Found, _ limit: Int,
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder, query: DocumentQuery
    ) {
        result = found
        earlyFrom = nil
        isWhole = true
        self.limit = limit
        self.orders = orders
        self.sortOrder = sortOrder
        self.query = query
    }

    /// The approximate number of steps that are left.
    package var stepsLeft: Int {
        if orders.ranking?.isMatched == false { return .max }
        let selecting =
            orders.orderAtHand(by: sortOrder)?.items.isSorted == true
            ? 0 : orders.documentCount / FirstRows.rowsPerStep
        guard let survey, survey.known == nil else { return selecting }
        let (steps, isOver) = survey.stepsPerDocument.multipliedReportingOverflow(
            by: survey.candidateCount)
        return isOver ? .max : steps + selecting
    }

    package func advance(budget: Int) -> Bool {
        if result != nil { return true }
        isWaiting =
            waiting?.mustWait(
                orders.store.following.rowsChanged, of: orders.documentCount,
                areMoreComing: orders.store.areMoreComing()) ?? false
        if isWaiting {
            stepsTaken += 1
            return false
        }
        waiting = nil
        if let least = earlyFrom.take() {
            early = findEarly(from: least)
            if early != nil {
                earlyCount += 1
                survey?.leaveRoom()
                return false
            }
        }
        if runEarly(budget: budget) { return false }
        let isReady = [orders.ranking?.matching, survey].allSatisfy { work in
            guard let work else { return true }
            let before = work.stepsTaken
            defer { stepsTaken += work.stepsTaken - before }
            return work.advance(budget: budget)
        }
        guard isReady else { return false }
        // Changes between two slices are not followed: the result is that of the revision at which it began.
        let matching = matching ?? matchingRows()
        if first == nil, let items = firstInOrder(of: matching.rows) {
            finish(items, of: matching)
            return true
        }
        let first = first ?? begin(matching)
        let before = first.stepsTaken
        defer { stepsTaken += first.stepsTaken - before }
        guard first.advance(budget: budget) else { return false }
        finish(
            (hidesNew ? [] : [.newDocument]) + first.rows.map { PickerItem($0) }, of: matching)
        return true
    }

    private var hidesNew: Bool { query.search != nil }

    private func finish(_ items: [PickerItem], of matching: Matching) {
        result = (
            ShownRows(Array(items.prefix(limit)), of: orders.table),
            matching.rows.count + (hidesNew ? 0 : 1), matching.rev
        )
        isWhole = matching.isExact && matching.rev == orders.store.rev
        first = nil
        self.matching = nil
        hold = nil
    }

    /// The first items, if the results of the query take long to find and enough documents at the start of the order
    /// match.
    private func findEarly(from least: Int) -> Found? {
        guard let survey, survey.known == nil, limit > 0, orders.ranking == nil,
            let order = orders.orderAtHand(by: sortOrder), order.items.isSorted
        else { return nil }
        let (work, isOver) = survey.stepsPerDocument.multipliedReportingOverflow(
            by: survey.candidateCount)
        guard isOver || work >= least else { return nil }
        var found: [PickerItem] = []
        let begun = stepsTaken
        let candidates = survey.candidates
        let end = min(order.items.count, Self.mostScanned)
        for start in stride(from: 0, to: end, by: Self.rowsFetched) {
            let items = order.items[start..<min(end, start + Self.rowsFetched)]
                .filter { item in
                    guard let row = item.row else { return !hidesNew }
                    return candidates?.contains(row.index) ?? true
                }
            orders.table.prefetchTexts(of: items.compactMap(\.row))
            stepsTaken += Self.rowsFetched / Self.rowsPerStep
            for item in items {
                if stepsTaken - begun >= Self.mostForEarly { return nil }
                if let row = item.row,
                    !survey.query.matches(row, of: orders.table, steps: &stepsTaken)
                {
                    continue
                }
                found.append(item)
                if found.count == limit {
                    return (ShownRows(found, of: orders.table), limit, orders.store.rev)
                }
            }
            // Even if four times as many match of those that follow.
            let steps = stepsTaken - begun
            if steps >= Self.stepsUntilSeen, found.count * Self.mostForEarly * 4 < limit * steps {
                return nil
            }
        }
        return nil
    }

    /// Finds the first items of a search that ranks documents, before all are ranked.
    /// - Returns: whether this slice is taken.
    private func runEarly(budget: Int) -> Bool {
        guard let earlyRows else { return false }
        let (before, findings) = (earlyRows.stepsTaken, earlyRows.findings)
        let isTaken = earlyRows.advance(budget: budget)
        stepsTaken += earlyRows.stepsTaken - before
        if earlyRows.findings != findings {
            early = earlyRows.found
            earlyCount += 1
        }
        if !isTaken, orders.ranking?.isMatched ?? true { self.earlyRows = nil }
        return isTaken
    }

    private func matchingRows() -> Matching {
        let rev = orders.store.rev
        guard let survey else { return (orders.rows, rev, true) }
        if survey.isSound, orders.ranking == nil { return (survey.matches, rev, true) }
        // Other documents match than those that a search ranks. And when a great change came between two slices, some
        // of these rows may be gone, and others are not known.
        var rows = orders.rows
        rows.formIntersection(survey.matches)
        return (rows, rev, survey.isSound)
    }

    /// The first items in the order, if it is at hand and they are near its start.
    private func firstInOrder(of rows: RowBitset) -> [PickerItem]? {
        guard let order = orders.orderAtHand(by: sortOrder), order.items.isSorted else {
            return nil
        }
        let total = order.items.count
        let (needed, isOver) = (limit + 1).multipliedReportingOverflow(by: total)
        guard rows.count <= limit || !isOver && needed / rows.count <= Self.mostScanned / 2,
            rows.count > 0
        else { return rows.isEmpty ? hidesNew ? [] : [.newDocument] : nil }
        var found: [PickerItem] = []
        if rows.count <= limit {
            return (hidesNew ? [] : [.newDocument]) + order.items(of: rows)
        }
        var start = 0
        while start < min(total, Self.mostScanned), found.count < limit {
            let end = min(total, start + Self.rowsAtOnce)
            for item in order.items[start..<end] where found.count < limit {
                if item.row.map({ rows.contains($0.index) }) ?? !hidesNew { found.append(item) }
            }
            start = end
        }
        stepsTaken += start / Self.rowsPerStep
        return found.count < limit ? nil : found
    }

    private func begin(_ matching: Matching) -> FirstRows {
        hold = orders.table.hold()
        self.matching = matching
        let work = FirstRows(
            limit, of: matching.rows, in: orders.table, by: sortOrder, rank: orders.rank)
        first = work
        return work
    }
}
