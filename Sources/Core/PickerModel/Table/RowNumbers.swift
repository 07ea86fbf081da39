/// A number for each row, 0 at first. Pages of rows without one take no memory.
package struct RowNumbers: ~Copyable {
    private var numbers = PackedColumn<UInt64>()

    package init() {}

    /// Takes memory for so many rows at once, as far as the system has it.
    package mutating func populate(_ rows: Int) {
        if numbers.reserve(rows) { numbers.populate(rows) }
    }

    package subscript(row: DocumentRow) -> UInt64 {
        row.index < numbers.count ? numbers[row.index] : 0
    }

    /// Sets the number of a row.
    /// - Returns: false, without effect, if the system has no memory.
    package mutating func set(_ row: DocumentRow, to number: UInt64) -> Bool {
        if row.index >= numbers.count {
            guard numbers.reserve(row.index + 1) else { return false }
            numbers.resize(to: row.index + 1)
        }
        numbers[row.index] = number
        return true
    }
}
