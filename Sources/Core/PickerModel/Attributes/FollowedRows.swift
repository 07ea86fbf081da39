/// Some documents, whatever versions they have: a new version of a row is here if the one before is.
package final class FollowedRows {
    /// Rows that are current no more are among them.
    var rows = RowBitset()

    package init() {}

    /// Adds the document of a row that is current.
    package func insert(_ row: DocumentRow) {
        rows.grow(to: row.index + 1)
        rows.insert(row.index)
    }
}
