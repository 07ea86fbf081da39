internal import Observables

/// The documents of a range that is not one of the roots alone: as a set that can be observed, and as bits.
///
/// All who need the same range share one, which `DocumentCollections` keeps up to date as long as anyone has it.
package final class DocumentSubset {
    let range: DocumentRange
    private(set) var bits: RowBitset
    private let observed: SetVariable<DocumentRow>

    /// - Complexity: O(n / 64) in the bound of the rows.
    init(_ range: DocumentRange, _ rows: RowBitset) {
        self.range = range
        bits = rows
        observed = SetVariable(numberedBy: { $0.index }, bits: rows.words, DocumentRow.init)
    }

    var rows: ObservableSet<DocumentRow> { observed.observableSet }

    /// The number of documents.
    package var count: Int { bits.count }

    /// Whether a row may be in it, by its marks.
    func covers(isDropped: Bool) -> Bool {
        switch range.part {
        case .all: true
        case .dropped: isDropped
        case .listed: !isDropped
        }
    }

    /// Takes edits into the bits. Its observers are told by `tell`.
    func take(_ edits: RowEdits, rowEnd: Int) {
        bits.grow(to: rowEnd)
        for row in edits.removed { bits.remove(row.index) }
        for row in edits.inserted { bits.insert(row.index) }
    }

    func tell(_ edits: RowEdits) { edits.apply(to: observed) }
}
