package import Observables

/// The list of a document picker: a composition of observables that follows the documents, for one query and in
/// one order.
///
/// ```
/// documents ── sorted ── map ──┐
///                        new + ┴── filter ── items
/// ╰── shared by equal orders ──╯      ▲
///                                   query
/// ```
///
/// It always equals `generateItems`. While nobody is connected to `items`, no changes are computed or
/// delivered. Another order or query is another list; `ListMaking` makes one in slices.
package final class PickerList {
    /// The sort order of the documents.
    package var sortOrder: SortOrder { order.sortOrder }
    package let query: DocumentQuery
    /// The matching items, the offer of a new document first.
    package let items: ObservableArray<PickerItem>
    package let table: DocumentTable

    private let order: DocumentOrder
    private let testing: ChangeTesting
    private var activation: Connection?

    /// A list in one of `orders`. The filter begins with what is prepared, if it is for these items.
    package convenience init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder = .name,
        query: DocumentQuery = DocumentQuery()
    ) {
        self.init(
            in: orders, order: orders.order(by: sortOrder), query: query, prepared: nil)
    }

    fileprivate init(
        in orders: DocumentOrders, order: DocumentOrder, query: DocumentQuery,
        prepared: PreparedFilter<PickerItem>?
    ) {
        self.query = query
        self.order = order
        table = orders.table
        let testing = ChangeTesting()
        self.testing = testing
        let asked = Self.asked(query, in: orders)
        let hidesNew = query.search != nil
        if asked.isEverything, !hidesNew {
            items = order.items
            return
        }
        let table = orders.table
        let asking = orders.asking
        let steps = asked.stepsPerDocument
        items = order.items.filter(prepared: prepared) { item in
            guard let row = item.row else { return !hidesNew }
            guard testing.isUnlimited || asking.spend(steps) else {
                testing.markUnsound()
                return false
            }
            return asked.matches(row, of: table)
        }
    }

    /// What is asked of the documents of an order: one by score has only what the search finds.
    fileprivate static func asked(
        _ query: DocumentQuery, in orders: DocumentOrders
    ) -> DocumentQuery {
        orders.ranking == nil ? query : DocumentQuery(filter: query.filter)
    }

    /// Whether the list is correct. It becomes permanently false when new documents would have taken too long
    /// to match (see `AskingBudget`): the list must then be replaced.
    package var isSound: Bool { testing.isSound }

    /// Calls `body` in the middle of a transaction, when the list becomes unsound, while the returned object exists.
    package func whenUnsound(_ body: @escaping () -> Void) -> AnyObject { testing.add(body) }

    /// Whether all rows are sorted; otherwise some are sorted as they are read.
    package var isSorted: Bool { items.isSorted }

    /// Keeps the items up to date from now on, so that reading them is cheap even without a connection.
    /// Unsorted rows are sorted as they are read.
    package func activate() {
        guard activation == nil else { return }
        testing.isUnlimited = true
        activation = items.extents.connect { _ in }
        testing.isUnlimited = false
    }

    /// What the items in a range are now.
    package func contents(_ range: Range<Int>) -> [ItemContent] {
        items[range].map { table.content(of: $0) }
    }
}

/// Makes a list in slices: its order, the results of its query, then the marks of its filter.
package final class ListMaking: SlicedWork {
    /// Up to this many documents are found in the order by their places.
    private static let fewMatches = 512
    /// The cost of finding a document in the order.
    private static let placeSteps = 100
    /// The number of rows tested by one step.
    private static let rowsPerStep = 4

    /// The list, once it is complete. It is active.
    package private(set) var list: PickerList?
    package private(set) var stepsTaken = 0

    private let orders: DocumentOrders
    private let sortOrder: SortOrder
    private let query: DocumentQuery
    private let asked: DocumentQuery
    private let makeSurvey: (DocumentQuery) -> DocumentSurvey
    /// What makes the order, the first first.
    private let beforehand: [any SlicedWork]
    private var next = 0
    /// The results of the query, if it needs any.
    package private(set) var survey: DocumentSurvey?
    private var prepared: PreparedFilter<PickerItem>?

    /// Does nothing yet: the first slice begins the work. `beforehand` makes the order, if it is not at hand. `survey`
    /// returns the results of a query, which may be shared with others, and incomplete.
    package init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder, query: DocumentQuery,
        after beforehand: [any SlicedWork] = [],
        survey: @escaping (DocumentQuery) -> DocumentSurvey
    ) {
        self.orders = orders
        self.sortOrder = sortOrder
        self.query = query
        self.beforehand = beforehand
        asked = PickerList.asked(query, in: orders)
        makeSurvey = survey
        if !asked.isEverything { self.survey = survey(asked) }
    }

    /// The approximate number of steps that are left.
    package var stepsLeft: Int {
        guard let survey else { return 0 }
        let (steps, isOver) = survey.stepsPerDocument.multipliedReportingOverflow(
            by: survey.known == nil ? survey.candidateCount : 0)
        return isOver ? .max : steps + orders.documentCount / Self.rowsPerStep
    }

    package func advance(budget: Int) -> Bool {
        if list != nil { return true }
        var budget = budget
        while next < beforehand.count {
            let work = beforehand[next]
            let before = work.stepsTaken
            let isDone = work.advance(budget: budget)
            stepsTaken += work.stepsTaken - before
            budget -= work.stepsTaken - before
            if isDone { next += 1 }
            guard isDone, budget > 0 else { return false }
        }
        guard !asked.isEverything else {
            finish(orders.order(by: sortOrder))
            return true
        }
        // A great change ends the results: they are computed again.
        if survey?.isSound != true {
            survey = makeSurvey(asked)
            prepared = nil
        }
        guard let survey else { return false }
        if survey.known == nil {
            let before = survey.stepsTaken
            let isDone = survey.advance(budget: budget)
            let steps = survey.stepsTaken - before
            stepsTaken += steps
            budget -= steps
            guard isDone, budget > 0 else { return false }
        }
        return mark(survey, budget: budget)
    }

    private func mark(_ survey: DocumentSurvey, budget: Int) -> Bool {
        let order = orders.order(by: sortOrder)
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
        let prepared = prepared ?? preparedFilter(of: order, survey, hidesNew)
        self.prepared = prepared
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
    }
}

/// Finds the first items of a list in slices, before the list is made: in its order if that is at hand, or else by a
/// selection among all that match.
package final class ListPreview: SlicedWork {
    /// The number of rows of an order that are looked at to find the first that match.
    private static let mostScanned = 32_768
    /// The number of rows that are looked at by one step.
    private static let rowsPerStep = 4
    private static let rowsAtOnce = 1024

    /// The first items and the number of all at a revision, once they are known. The rows remain readable.
    package private(set) var result: (items: ShownRows, count: Int, rev: Int)?
    package private(set) var stepsTaken = 0
    /// The number of items to find.
    package let limit: Int

    private let orders: DocumentOrders
    private let sortOrder: SortOrder
    private let query: DocumentQuery
    /// The results of the query, if it needs any.
    package private(set) var survey: DocumentSurvey?
    /// The rows that match, once the survey is complete, and the revision at which they do.
    private var matching: (rows: RowBitset, rev: Int)?
    private var first: FirstRows?
    /// Keeps the rows readable while they are selected.
    private var hold: RowHold?

    /// Does nothing yet: the first slice begins the work.
    package init(
        _ limit: Int, in orders: DocumentOrders, sortedBy sortOrder: SortOrder,
        query: DocumentQuery, survey: (DocumentQuery) -> DocumentSurvey
    ) {
        self.limit = limit
        self.orders = orders
        self.sortOrder = sortOrder
        self.query = query
        let asked = PickerList.asked(query, in: orders)
        if !asked.isEverything { self.survey = survey(asked) }
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
        let isReady = [orders.ranking?.matching, survey].allSatisfy { work in
            guard let work else { return true }
            let before = work.stepsTaken
            defer { stepsTaken += work.stepsTaken - before }
            return work.advance(budget: budget)
        }
        guard isReady else { return false }
        // Changes between two slices are not followed: the result is that of the revision at which it began.
        let matching = matching ?? (matchingRows(), orders.store.rev)
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

    private func finish(_ items: [PickerItem], of matching: (rows: RowBitset, rev: Int)) {
        result = (
            ShownRows(Array(items.prefix(limit)), of: orders.table),
            matching.rows.count + (hidesNew ? 0 : 1), matching.rev
        )
        first = nil
        self.matching = nil
        hold = nil
    }

    private func matchingRows() -> RowBitset {
        guard let survey else { return orders.rows }
        if survey.isSound { return survey.matches }
        // A great change came between two slices; some of these rows may be gone.
        var rows = orders.rows
        rows.formIntersection(survey.matches)
        return rows
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

    private func begin(_ matching: (rows: RowBitset, rev: Int)) -> FirstRows {
        hold = orders.table.hold()
        self.matching = matching
        let work = FirstRows(
            limit, of: matching.rows, in: orders.table, by: sortOrder, rank: orders.rank)
        first = work
        return work
    }
}

/// The matching rows of the whole list: the offer of a new document, then the documents in order.
///
/// It computes everything anew from the set of documents, and so defines a list: the incremental list must
/// always equal it, and tests compare the two.
/// - Complexity: O(n log n).
package func generateItems(
    documents: some Collection<Document>, search: DocumentSearch?, filter: DocumentFilter? = nil,
    sortOrder: SortOrder
) -> [ItemContent] {
    let query = DocumentQuery(search: search, filter: filter)
    let ranking = search?.ranking
    let found = documents.filter { query.matches($0) }.map { document in
        SortedDocument(
            document: document, name: document.foldedName,
            rank: sortOrder.hasScore ? ranking?.rank(of: document)?.order ?? .max : 0)
    }
    let sorted = found.sorted { sortOrder.compare($0, $1) < 0 }
    return (search == nil ? [.newDocument] : []) + sorted.map { .document($0.document) }
}

/// Whether a list may test documents at a change, however many there are.
private final class ChangeTesting {
    private struct Observer {
        weak var token: Token?
        let body: () -> Void
    }

    private final class Token {}

    /// Whether the caller has made sure that testing does not take too long.
    var isUnlimited = false
    private(set) var isSound = true
    private var observers: [Observer] = []

    func add(_ body: @escaping () -> Void) -> AnyObject {
        observers.removeAll { $0.token == nil }
        let token = Token()
        observers.append(Observer(token: token, body: body))
        return token
    }

    /// Records that a row was not tested.
    func markUnsound() {
        guard isSound else { return }
        isSound = false
        for observer in observers where observer.token != nil { observer.body() }
    }
}
