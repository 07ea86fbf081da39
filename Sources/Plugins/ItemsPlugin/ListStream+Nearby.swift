internal import Observables
internal import PickerModel

// What a client may look at next, which is read for its attributes after what it looks at.
extension ListStream {
    /// The rows in one window before and one behind that of the client, of a list that is sorted: of another one they
    /// would have to be found.
    func rowsNearby(atMost limit: Int) -> [ShownRow] {
        guard let list = shown.rows, list.isSorted, limit > 0 else { return [] }
        let window = shownRows
        guard let start = place(of: window, in: list) else { return [] }
        let end = start + window.count
        let behind = end..<min(end + min(window.count, limit), list.items.count)
        let left = limit - max(behind.count, 0)
        let before = max(0, start - min(window.count, left))..<start
        return rows(behind, of: list) + rows(before, of: list)
    }

    private func rows(_ range: Range<Int>, of list: PickerList) -> [ShownRow] {
        list.items[range].map { .item($0) }
    }

    /// The most rows of a window that are looked for.
    private static let mostLookedFor = 8

    /// Where a window begins in a list, by the first of its rows that is still there.
    private func place(of window: [ShownRow], in list: PickerList) -> Int? {
        for (offset, shown) in window.prefix(Self.mostLookedFor).enumerated() {
            guard let item = shown.item, let index = list.index(of: item) else { continue }
            return max(0, index - offset)
        }
        return nil
    }
}
