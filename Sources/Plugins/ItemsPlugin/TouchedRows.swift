internal import Observables
internal import PickerModel

/// The rows of a list that may differ from those a client was sent: all but the first `prefix` and the last
/// `suffix` rows.
///
/// This is coarser than the changes themselves, but takes two numbers for any number of changes, and it
/// distinguishes the important cases: a change outside the window, and one row in its middle.
struct TouchedRows: Equatable {
    /// The number of unchanged rows at the start.
    private(set) var prefix: Int
    /// The number of unchanged rows at the end.
    private(set) var suffix: Int

    static let none = TouchedRows(prefix: .max, suffix: .max)
    static let all = TouchedRows(prefix: 0, suffix: 0)

    /// Adds the extent of a change.
    mutating func insert(_ extent: ArrayExtent) {
        prefix = min(prefix, extent.prefix)
        suffix = min(suffix, extent.suffix)
    }

    /// The number of unchanged rows at the start of a window that now shows `rows` and showed `was` rows
    /// before.
    func cleanPrefix(of rows: Range<Int>, was: Int) -> Int {
        guard prefix > rows.lowerBound else { return 0 }
        return min(prefix - rows.lowerBound, was, rows.count)
    }

    /// The number of unchanged rows at the end of the window, counted from its end.
    func cleanSuffix(
        of rows: Range<Int>, was: Int, total: Int, before: Int, prefix: Int, sameWindow: Bool
    ) -> Int {
        // The end of the window shows the same rows if neither the list nor the window changed in length,
        // or if the window ends with the list, now as before.
        let endsTogether = total == before && was == rows.count
        let isOpenEnded = rows.upperBound == total && rows.lowerBound + was == before
        guard sameWindow, endsTogether || isOpenEnded else { return 0 }
        let clean = suffix == .max ? Int.max : suffix - (total - rows.upperBound)
        return max(0, min(clean, was - prefix, rows.count - prefix))
    }
}
