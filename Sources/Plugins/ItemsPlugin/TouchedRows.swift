internal import Observables
internal import PickerModel

/// Which rows of a list may differ from what a client was sent: all but the first `prefix` and the last
/// `suffix`.
///
/// That is coarser than the change itself, but it costs two numbers however many changes come, and
/// it tells apart what matters: a change outside the window, and one row in the middle of it.
struct TouchedRows: Equatable {
    /// Rows at the start that are as they were.
    private(set) var prefix: Int
    /// Rows at the end that are as they were.
    private(set) var suffix: Int

    static let none = TouchedRows(prefix: .max, suffix: .max)
    static let all = TouchedRows(prefix: 0, suffix: 0)

    /// Takes in where the list has changed.
    mutating func note(_ extent: ArrayExtent) {
        prefix = min(prefix, extent.prefix)
        suffix = min(suffix, extent.suffix)
    }

    /// How many of the first rows of a window, which now shows `rows` and showed `was` rows, are as
    /// they were.
    func cleanPrefix(of rows: Range<Int>, was: Int) -> Int {
        guard prefix > rows.lowerBound else { return 0 }
        return min(prefix - rows.lowerBound, was, rows.count)
    }

    /// How many of its last rows are as they were, in the same places counted from the end.
    func cleanSuffix(
        of rows: Range<Int>, was: Int, total: Int, before: Int, prefix: Int, sameWindow: Bool
    ) -> Int {
        // The window's end shows the same rows as before if the list ends where it did, or if the
        // window ends with the list and always did.
        let endsTogether = total == before && was == rows.count
        let isOpenEnded = rows.upperBound == total && rows.lowerBound + was == before
        guard sameWindow, endsTogether || isOpenEnded else { return 0 }
        let clean = suffix == .max ? Int.max : suffix - (total - rows.upperBound)
        return max(0, min(clean, was - prefix, rows.count - prefix))
    }
}
