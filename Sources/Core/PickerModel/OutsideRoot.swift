/// A root whose documents are outside, with these: the bits of their rows are set as they come, so a collection of the
/// whole root, such as that of a source, has its rows at hand.
final class OutsideRoot {
    let area: DocumentArea
    private(set) var rows = RowBitset()

    init(_ root: String) {
        area = DocumentArea(root: root)
    }

    func insert(_ row: Int) {
        rows.grow(to: row + 1)
        rows.insert(row)
    }

    /// - Returns: whether it was there.
    func remove(_ row: Int) -> Bool { rows.remove(row) }
}
