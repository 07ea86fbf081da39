// A client's query, and its definition as a plain function.
//
// The function computes everything anew from the set of documents. It defines a list: the incremental list must
// always equal it, and tests compare the two.

/// A range of a list's rows.
package struct ListWindow: Hashable, Sendable {
    /// The most rows of a window with a count.
    package static let largestCount = 100_000

    package let start: Int
    /// The number of rows; nil for all from `start` on.
    package let count: Int?

    /// All rows.
    package static let all = ListWindow(checkedStart: 0, count: nil)

    /// At most `count` rows from `start` on.
    /// - Throws: `PickerModelError.windowOutOfRange`.
    package init(start: Int, count: Int?) throws(PickerModelError) {
        guard start >= 0 else {
            throw .windowOutOfRange("the window starts at \(start); 0 is the first row")
        }
        if let count, !(0...ListWindow.largestCount).contains(count) {
            throw .windowOutOfRange(
                """
                the window has \(count) rows; 0 to \(ListWindow.largestCount) can be asked for, \
                or null for all
                """)
        }
        self.init(checkedStart: start, count: count)
    }

    init(checkedStart start: Int, count: Int?) {
        self.start = start
        self.count = count
    }

    /// The part of a list of `total` rows in the window; empty if the window is beyond the end.
    package func range(in total: Int) -> Range<Int> {
        let lower = min(start, total)
        guard let count else { return lower..<total }
        return lower..<(lower + min(count, total - lower))
    }
}

/// Sort, search, filter and window of one list.
package struct ListQuery: Hashable, Sendable {
    package var sort: SortOrder
    /// Nil for no search.
    package var search: NameSearch?
    /// Nil for all documents.
    package var filter: DocumentFilter?
    package var window: ListWindow

    package init(
        sort: SortOrder = .name, search: NameSearch? = nil, filter: DocumentFilter? = nil,
        window: ListWindow = .all
    ) {
        self.sort = sort
        self.search = search
        self.filter = filter
        self.window = window
    }

    /// The rows of the window, computed by the plain function.
    /// - Complexity: O(n log n).
    package func items(of documents: some Collection<Document>) -> ArraySlice<PickerItem> {
        let items = generateItems(
            documents: documents, search: search, filter: filter, sortOrder: sort)
        return items[window.range(in: items.count)]
    }
}

/// The matching rows of the whole list: the offer of a new document, then the documents in order.
/// - Complexity: O(n log n).
package func generateItems(
    documents: some Collection<Document>, search: NameSearch?, filter: DocumentFilter? = nil,
    sortOrder: SortOrder
) -> [PickerItem] {
    ([.newDocument] + documents.sorted(by: sortOrder.comparator).map { .document($0) })
        .filter { $0.matches(search, filter) }
}

/// The whole list for a text as typed; nil and an empty text are the same.
/// - Throws: `PickerModelError.searchTooLong`.
package func generateItems(
    documents: some Collection<Document>, searchText: String?, filter: DocumentFilter? = nil,
    sortOrder: SortOrder
) throws(PickerModelError) -> [PickerItem] {
    generateItems(
        documents: documents, search: try NameSearch.parse(searchText), filter: filter,
        sortOrder: sortOrder)
}
