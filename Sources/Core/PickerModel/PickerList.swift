package import Observables

/// The list of a document picker: a composition of observables that follows the documents, the
/// search and the filter, in one order.
///
/// ```
/// documents ── sorted ── map ──┐
///                        new + ┴── filter ── items
/// ╰── shared by equal orders ──╯      ▲
///                               search, filter
/// ```
///
/// It always equals `generateItems`. While nobody is connected to `items`, no changes are computed or
/// delivered. Another order is another list.
///
/// A search that narrows the previous one matches only the items in the list, and one that widens it only the
/// others. A filter narrows another if it has all of its conditions.
package final class PickerList {
    /// The sort order of the documents.
    package var sortOrder: SortOrder { order.sortOrder }
    /// The search, nil for none; the list follows its changes.
    package let search: Variable<DocumentSearch?>
    /// The filter, nil for none; the list follows its changes.
    package let filter: Variable<DocumentFilter?>
    /// The matching items, the offer of a new document first.
    package let items: ObservableArray<PickerItem>

    /// Whether the order has only what the search finds, so that only the filter is asked.
    private let isRanked: Bool
    private let order: DocumentOrder
    private let known: KnownAnswers
    private var activation: Connection?

    /// A list in one of `orders`. `matches` says whether an item matches a search and a filter.
    package init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder = .name,
        matching text: DocumentSearch? = nil, keeping kept: DocumentFilter? = nil,
        asking matches: @escaping (PickerItem, DocumentSearch?, DocumentFilter?) -> Bool = {
            $0.matches($1, $2)
        }
    ) {
        isRanked = orders.ranking != nil
        let search = Variable(text)
        let filter = Variable(kept)
        let order = orders.order(by: sortOrder)
        let known = KnownAnswers()
        let asking = orders.asking
        let isRanked = isRanked
        items = order.items.filter(
            by: search.combined(filter) { Criterion($0, $1) },
            narrowing: { $0.narrows($1) },
            matches: { criterion, item in
                if let answer = known.answer(for: item) { return answer }
                guard known.isPrepared || asking.spend(criterion.steps) else {
                    known.markUnsound()
                    return false
                }
                if isRanked, case .document(let document) = item {
                    return criterion.filter?.matches(document) ?? true
                }
                return matches(item, criterion.search, criterion.filter)
            })
        self.search = search
        self.filter = filter
        self.order = order
        self.known = known
    }

    package var query: DocumentQuery {
        DocumentQuery(search: search.value, filter: filter.value)
    }

    /// What a survey for this list asks of each document.
    private var surveyedQuery: DocumentQuery {
        isRanked ? DocumentQuery(filter: filter.value) : query
    }

    /// Whether the list is correct. It becomes permanently false when new documents would have taken too long
    /// to match (see `AskingBudget`): the list must then be replaced.
    package var isSound: Bool { known.isSound }

    /// Called in the middle of a transaction, when the list becomes unsound.
    package var onUnsound: () -> Void {
        get { known.onUnsound }
        set { known.onUnsound = newValue }
    }

    /// Whether all rows are sorted; otherwise some are sorted as they are read.
    package var isSorted: Bool { items.isSorted }

    /// Calls `body`, which makes the list compute its items or sets it to the query of `survey`; rows with a
    /// result in `survey` are not matched again.
    package func knowing(_ survey: DocumentSurvey?, _ body: () -> Void) {
        known.survey = survey
        known.isPrepared = true
        defer {
            known.survey = nil
            known.isPrepared = false
        }
        body()
        precondition(
            survey.map { $0.query == surveyedQuery } ?? true,
            "A list was told answers to another query than its own.")
    }

    /// The number of rows to match if the active list changes to `query`.
    package func rowsToAsk(for query: DocumentQuery) -> Int {
        let now = Criterion(search.value, filter.value)
        let new = Criterion(query.search, query.filter)
        if new.narrows(now) { return items.count }
        return now.narrows(new) ? order.items.count - items.count : order.items.count
    }

    /// Keeps the items up to date from now on, so that reading them is cheap even without a connection.
    /// Unsorted rows are sorted as they are read.
    package func activate() {
        guard activation == nil else { return }
        let wasPrepared = known.isPrepared
        known.isPrepared = true
        activation = items.extents.connect { _ in }
        known.isPrepared = wasPrepared
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
) -> [PickerItem] {
    let ranking = search?.ranking
    let sorted = documents.sorted {
        sortOrder.compare($0, $1, rank: { ranking?.rank(of: $0)?.order ?? .max }) < 0
    }
    return ([.newDocument] + sorted.map { .document($0) }).filter { $0.matches(search, filter) }
}

/// Known results for rows, which need not be matched during an update.
private final class KnownAnswers {
    var survey: DocumentSurvey?
    /// Whether the caller has made sure that matching does not take too long.
    var isPrepared = false
    var onUnsound: () -> Void = {}
    private(set) var isSound = true

    /// Records that a row was not matched.
    func markUnsound() {
        guard isSound else { return }
        isSound = false
        onUnsound()
    }

    /// Whether the row is in the list; nil if unknown.
    func answer(for item: PickerItem) -> Bool? {
        guard let survey, case .document(let document) = item else { return nil }
        return survey.answer(for: document)
    }
}

/// The search and filter. A class, so that it is not copied per item.
private final class Criterion {
    let search: DocumentSearch?
    let filter: DocumentFilter?
    /// The approximate number of steps per document.
    let steps: Int

    init(_ search: DocumentSearch?, _ filter: DocumentFilter?) {
        self.search = search
        self.filter = filter
        steps = DocumentQuery(search: search, filter: filter).stepsPerDocument
    }

    /// Whether each item that matches this is known to match `wider`.
    func narrows(_ wider: Criterion) -> Bool {
        guard filter?.narrows(wider.filter) ?? (wider.filter == nil) else { return false }
        guard let widerSearch = wider.search else { return true }
        guard let search else { return false }
        return search.narrows(widerSearch)
    }
}
