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
/// Its meaning is `generateItems`, at all times. Nobody is told of changes, and none is worked out,
/// while nobody is connected to `items`. Another order is another list.
///
/// A search that narrows the one before asks only the items that matched, and one that widens it
/// only those that did not. A filter narrows another if it has all of that one's conditions.
package final class PickerList {
    /// How the documents are sorted.
    package var sortOrder: SortOrder { order.sortOrder }
    /// What is searched for, nil for nothing; set it, and the list follows.
    package let search: Variable<NameSearch?>
    /// Which documents are kept, nil for all; set it, and the list follows.
    package let filter: Variable<DocumentFilter?>
    /// The items that match, the offer of a new document first.
    package let items: ObservableArray<PickerItem>

    private let order: DocumentOrder
    private let known: KnownAnswers
    private var activation: Connection?

    /// A list in one of `orders`. `matches` says whether an item belongs in a list with a search and
    /// a filter.
    package init(
        in orders: DocumentOrders, sortedBy sortOrder: SortOrder = .name,
        matching text: NameSearch? = nil, keeping kept: DocumentFilter? = nil,
        asking matches: @escaping (PickerItem, NameSearch?, DocumentFilter?) -> Bool = {
            $0.matches($1, $2)
        }
    ) {
        let search = Variable(text)
        let filter = Variable(kept)
        let order = orders.order(by: sortOrder)
        let known = KnownAnswers()
        let asking = orders.asking
        items = order.items.filter(
            by: search.combined(filter) { Criterion($0, $1) },
            narrowing: { $0.narrows($1) },
            matches: { criterion, item in
                if let answer = known.answer(for: item) { return answer }
                guard known.isPrepared || asking.take(criterion.steps) else {
                    known.giveUp()
                    return false
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

    /// Whether the list is what it should be. It is not, for good, once documents have come of which to ask would
    /// have taken too long (see `AskingBudget`): then it is to be made anew.
    package var isSound: Bool { known.isSound }

    /// What is called, in the middle of a transaction, when the list is not sound any more.
    package var onUnsound: () -> Void {
        get { known.onUnsound }
        set { known.onUnsound = newValue }
    }

    /// Whether the rows are in order, however many are looked at; else some are yet to be sorted.
    package var isSorted: Bool { items.isSorted }

    /// Calls `body`, which makes the list work out its items, or sets it to what `survey` was taken for;
    /// rows of which that knows whether they match are not asked again then.
    package func knowing(_ survey: DocumentSurvey?, _ body: () -> Void) {
        known.survey = survey
        known.isPrepared = true
        defer {
            known.survey = nil
            known.isPrepared = false
        }
        body()
        precondition(
            survey.map { $0.query == query } ?? true,
            "A list was told answers to another query than its own.")
    }

    /// How many rows are asked if the list, which is worked out, is to show something else.
    package func rowsToAsk(for query: DocumentQuery) -> Int {
        let now = Criterion(search.value, filter.value)
        let new = Criterion(query.search, query.filter)
        if new.narrows(now) { return items.count }
        return now.narrows(new) ? order.items.count - items.count : order.items.count
    }

    /// Keeps the items worked out from now on, so that looking at them is cheap though nobody is
    /// connected. What is in no order yet is sorted as far as it is looked at.
    package func activate() {
        guard activation == nil else { return }
        let wasPrepared = known.isPrepared
        known.isPrepared = true
        activation = items.extents.connect { _ in }
        known.isPrepared = wasPrepared
    }
}

/// What is known of rows for a moment, so that they need not be asked.
private final class KnownAnswers {
    var survey: DocumentSurvey?
    /// Whether somebody has seen to it that what is asked does not take too long.
    var isPrepared = false
    var onUnsound: () -> Void = {}
    private(set) var isSound = true

    /// A question was not asked.
    func giveUp() {
        guard isSound else { return }
        isSound = false
        onUnsound()
    }

    /// Whether the row belongs in the list; nil if that is not known.
    func answer(for item: PickerItem) -> Bool? {
        guard let survey, case .document(let document) = item else { return nil }
        return survey.answer(for: document)
    }
}

/// What the items are asked for. A class, so that it is not copied for each of them.
private final class Criterion {
    let search: NameSearch?
    let filter: DocumentFilter?
    /// What it takes to ask of one document, about.
    let steps: Int

    init(_ search: NameSearch?, _ filter: DocumentFilter?) {
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
