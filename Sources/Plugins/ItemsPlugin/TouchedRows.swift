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

    /// The number of unchanged rows at the start of a window that now shows `rows` and showed `former` ones before.
    func cleanPrefix(of rows: Range<Int>, was former: Range<Int>) -> Int {
        guard rows.lowerBound == former.lowerBound, prefix > rows.lowerBound else { return 0 }
        return min(prefix - rows.lowerBound, former.count, rows.count)
    }

    /// The number of unchanged rows at the end of a window that now shows `rows` of `total` and showed `former` ones of
    /// `formerTotal` before. `prefix` rows at its start are known to be unchanged.
    func cleanSuffix(
        of rows: Range<Int>, in total: Int, was former: Range<Int>, in formerTotal: Int,
        prefix: Int
    ) -> Int {
        // The end of the window shows the same rows if the list goes on behind it as it did before: whatever came or
        // went before them.
        let behind = total - rows.upperBound
        guard behind == formerTotal - former.upperBound else { return 0 }
        let clean = suffix == .max ? Int.max : suffix - behind
        return max(0, min(clean, former.count - prefix, rows.count - prefix))
    }
}
