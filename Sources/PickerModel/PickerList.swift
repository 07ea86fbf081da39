package import Observables

/// The list of a document picker: a composition of observables that follows the documents, the
/// sort order and the search.
///
/// ```
/// documents ── sorted ── map ──┐
///                 ▲       new + ┴── filter ── items
///             sortOrder                ▲
///                                   search
/// ```
///
/// Its meaning is `generateItems`, at all times. Nobody is told of changes, and none is worked out,
/// while nobody is connected to `items`.
package final class PickerList {
    /// How the documents are sorted; set it, and the list follows.
    package let sortOrder: Variable<SortOrder>
    /// What is searched for, nil for nothing; set it, and the list follows.
    package let search: Variable<NameSearch?>
    /// The items that match, the offer of a new document first.
    package let items: ObservableArray<PickerItem>

    private var activation: Connection?

    package init(
        of documents: ObservableSet<Document>, sortedBy order: SortOrder = .name,
        matching text: NameSearch? = nil
    ) {
        let sortOrder = Variable(order)
        let search = Variable(text)
        items =
            (ObservableArray.constant([.newDocument])
            + documents
            .sorted(by: sortOrder.map { $0.comparator })
            .map { .document($0) })
            .filter(where: search.map { text in { $0.matches(text) } })
        self.sortOrder = sortOrder
        self.search = search
    }

    /// Keeps the items worked out from now on, so that looking at them is cheap though nobody is
    /// connected.
    package func activate() {
        if activation == nil { activation = items.changes.connect { _ in } }
    }
}
