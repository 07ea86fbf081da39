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
/// only those that did not, unless there are names for which that would not do (see
/// `DocumentOrders.narrowingHolds`). A filter narrows another if it has all of that one's conditions.
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
        items = order.items.filter(
            by: search.combined(filter, orders.narrowingHolds) {
                Criterion($0, $1, narrowingHolds: $2)
            },
            narrowing: { $0.narrows($1) },
            matches: { criterion, item in matches(item, criterion.search, criterion.filter) })
        self.search = search
        self.filter = filter
        self.order = order
    }

    /// Keeps the items worked out from now on, so that looking at them is cheap though nobody is
    /// connected. What is in no order yet is sorted as far as it is looked at.
    package func activate() {
        if activation == nil { activation = items.extents.connect { _ in } }
    }
}

/// What the items are asked for. A class, so that it is not copied for each of them.
private final class Criterion {
    let search: NameSearch?
    let filter: DocumentFilter?
    /// Whether all names are such that a search is known to narrow another.
    let narrowingHolds: Bool

    init(_ search: NameSearch?, _ filter: DocumentFilter?, narrowingHolds: Bool) {
        self.search = search
        self.filter = filter
        self.narrowingHolds = narrowingHolds
    }

    /// Whether each item that matches this is known to match `wider`.
    func narrows(_ wider: Criterion) -> Bool {
        guard filter?.narrows(wider.filter) ?? (wider.filter == nil) else { return false }
        guard let widerSearch = wider.search else { return true }
        guard let search else { return false }
        if search == widerSearch { return true }
        // Before and now: of the two, either may be the one that comes.
        return narrowingHolds && wider.narrowingHolds && search.narrows(widerSearch)
    }
}
