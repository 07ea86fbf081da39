/// A range of a list's rows.
package struct ListWindow: Hashable, Sendable {
    /// The most rows of a window with a count.
    package static let largestCount = 100_000

    /// The row that a window follows: the item with this key, which need not be in the list.
    package struct Anchor: Hashable, Sendable {
        package let key: String
        /// The rows of the window before it, if the list has as many.
        package let offset: Int

        /// - Precondition: the offset is not negative.
        package init(key: String, offset: Int) {
            precondition(offset >= 0, "an anchor is at \(offset), before its window")
            self.key = key
            self.offset = offset
        }
    }

    /// The first row. That of a window with an anchor is 0 until it is placed.
    package let start: Int
    /// The number of rows; nil for all from `start` on.
    package let count: Int?
    package let anchor: Anchor?

    /// All rows.
    package static let all = ListWindow(start: 0, count: nil)
    /// The default window of a client: the first 50 rows.
    package static let opening = ListWindow(start: 0, count: 50)

    /// At most `count` rows from `start` on.
    /// - Precondition: neither is negative, and `count` is `largestCount` at most.
    package init(start: Int, count: Int?) {
        self.init(start: start, count: count, anchor: nil)
    }

    /// At most `count` rows around an item.
    /// - Precondition: `count` is not negative, and `largestCount` at most.
    package init(anchor: Anchor, count: Int?) {
        self.init(start: 0, count: count, anchor: anchor)
    }

    private init(start: Int, count: Int?, anchor: Anchor?) {
        precondition(start >= 0, "the window starts at \(start); 0 is the first row")
        precondition(
            count.map { (0...ListWindow.largestCount).contains($0) } ?? true,
            "no window has \(count ?? 0) rows")
        self.start = start
        self.count = count
        self.anchor = anchor
    }

    /// The part of a list of `total` rows in the window; empty if the window is beyond the end.
    package func range(in total: Int) -> Range<Int> {
        let lower = min(start, total)
        guard let count else { return lower..<total }
        return lower..<(lower + min(count, total - lower))
    }

    /// The window where its anchor is in the list now; if that is not in the list, from row `start` on. A window
    /// without an anchor is unchanged.
    /// - Complexity: that of `PickerList.index(of:)`.
    package func placed(
        in list: PickerList, of documents: DocumentStore, otherwise start: Int = 0
    ) -> ListWindow {
        guard let anchor else { return self }
        let index = index(of: anchor, in: list, of: documents)
        return ListWindow(
            start: index.map { max(0, $0 - anchor.offset) } ?? start, count: count, anchor: anchor)
    }

    /// Whether its anchor is missing in the list now. A window without an anchor misses none.
    /// - Complexity: that of `PickerList.index(of:)`.
    package func missesAnchor(in list: PickerList, of documents: DocumentStore) -> Bool {
        anchor.map { index(of: $0, in: list, of: documents) == nil } ?? false
    }

    private func index(
        of anchor: Anchor, in list: PickerList, of documents: DocumentStore
    ) -> Int? {
        let item =
            anchor.key == ItemContent.newKey
            ? PickerItem.newDocument : documents.row(key: anchor.key).map { PickerItem($0) }
        return item.flatMap { list.index(of: $0) }
    }
}
