// A list that is made in slices.
//
// First come the results of its query, which follow the changes of the documents, then its order, then the marks of its
// filter, for which both must stay. An order that falls behind meanwhile is made again, and what was marked is lost.

internal import Observables

/// Makes a list in slices: the results of its query, its order, then the marks of its filter.
package final class ListMaking: SlicedWork {
    /// Up to this many documents are found in the order by their places.
    private static let fewMatches = 512
    /// The cost of finding a document in the order.
    private static let placeSteps = 100
    /// The number of rows tested by one step.
    private static let rowsPerStep = 4

    /// The list, once it is complete. It is active, and sound when `advance` returns true.
    package private(set) var list: PickerList?
    package private(set) var stepsTaken = 0

    /// Whether it waits for the documents to stop changing.
    package var isWaiting: Bool { sorting?.isWaiting ?? false }
    package var isPatient: Bool { sorting?.isPatient ?? false }

    private let orders: DocumentOrders
    private let sortOrder: SortOrder
    private let query: DocumentQuery
    private let asked: DocumentQuery
    private let makeSurvey: (DocumentQuery) -> DocumentSurvey
    /// What makes the order, while it is not at hand.
    private var sorting: OrderMaking?
    /// The results of the query, if it needs any.
    package private(set) var survey: DocumentSurvey?
    /// The marks of the filter, and the order that they are for.
    private var prepared: PreparedFilter<PickerItem>?
    private var preparedOrder: DocumentOrder?

    /// Does nothing yet: the first slice begins the work. `survey` returns the results of a query, which may be shared
    /// with others, and incomplete.
    package init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder, query: DocumentQuery,
        survey: @escaping (DocumentQuery) -> DocumentSurvey
    ) {
        self.orders = orders
        self.sortOrder = sortOrder
        self.query = query
        asked = PickerList.asked(query, in: orders)
        makeSurvey = survey
        if !asked.isEverything { self.survey = survey(asked) }
    }

    /// The approximate number of steps that are left.
    package var stepsLeft: Int {
        guard let survey else { return 0 }
        if let known = survey.known, known.count <= Self.fewMatches {
            return known.count * Self.placeSteps
        }
        let (steps, isOver) = survey.stepsPerDocument.multipliedReportingOverflow(
            by: survey.known == nil ? survey.candidateCount : 0)
        return isOver ? .max : steps + orders.documentCount / Self.rowsPerStep
    }

    package func advance(budget: Int) -> Bool {
        if let list {
            if list.isSound { return true }
            // It is complete for another client as well, which comes too late.
            self.list = nil
        }
        var left = budget
        if let ranking = orders.ranking, !run(ranking, &left) { return false }
        // A great change ends the results: they are computed again.
        if !asked.isEverything, survey?.isSound != true {
            survey = makeSurvey(asked)
            prepared = nil
        }
        if let survey, survey.known == nil, !run(survey, &left) || left <= 0 { return false }
        guard let order = currentOrder(&left) else { return false }
        guard let survey else {
            finish(order)
            return true
        }
        return left > 0 && mark(survey, of: order, budget: left)
    }

    /// - Returns: whether some work is done.
    private func run(_ work: any SlicedWork, _ left: inout Int) -> Bool {
        let before = work.stepsTaken
        let isDone = work.advance(budget: left)
        stepsTaken += work.stepsTaken - before
        left -= work.stepsTaken - before
        return isDone
    }

    /// The order, if it is at hand, few documents are to be sorted, or it has just been made.
    private func currentOrder(_ left: inout Int) -> DocumentOrder? {
        if orders.isAtHand(sortOrder) || !orders.isMadeInSlices(sortOrder) {
            sorting = nil
            return orders.order(by: sortOrder)
        }
        let sorting = orders.making(by: sortOrder)
        self.sorting = sorting
        guard left > 0, run(sorting, &left) else { return nil }
        self.sorting = nil
        return sorting.order
    }

    private func mark(
        _ survey: DocumentSurvey, of order: DocumentOrder, budget: Int
    ) -> Bool {
        let hidesNew = query.search != nil
        // Few documents, or else their order would have been made: they are tested as they are.
        guard order.items.isSorted else {
            finish(order)
            return true
        }
        if survey.matches.count <= Self.fewMatches {
            let places = order.indices(of: survey.matches)
            stepsTaken += places.count * Self.placeSteps
            prepared = PreparedFilter(of: order.items, keeping: (hidesNew ? [] : [0]) + places)
            finish(order)
            return true
        }
        if preparedOrder !== order { prepared = nil }
        let prepared = prepared ?? preparedFilter(of: order, survey, hidesNew)
        self.prepared = prepared
        preparedOrder = order
        let before = prepared.stepsTaken
        let (rows, isOver) = budget.multipliedReportingOverflow(by: Self.rowsPerStep)
        let isDone = prepared.advance(budget: isOver ? .max : rows)
        stepsTaken += (prepared.stepsTaken - before) / Self.rowsPerStep + 1
        if isDone { finish(order) }
        return isDone
    }

    private func preparedFilter(
        of order: DocumentOrder, _ survey: DocumentSurvey, _ hidesNew: Bool
    ) -> PreparedFilter<PickerItem> {
        let table = orders.table
        return PreparedFilter(
            of: order.items,
            { [asked] item in item.row.map { asked.matches($0, of: table) } ?? !hidesNew },
            matches: { items in
                survey.matches.bits(of: items, new: !hidesNew)
            })
    }

    private func finish(_ order: DocumentOrder) {
        let list = PickerList(in: orders, order: order, query: query, prepared: prepared)
        list.activate()
        self.list = list
        prepared = nil
        preparedOrder = nil
    }
}
