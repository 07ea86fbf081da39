import Testing

/// A mock of the collection view: it applies batches by the rules of UICollectionView, where
/// deletions and the origins of moves refer to the old rows, and all else to the new ones.
final class CollectionView<Item> {
    final class Cell {
        var item: Item
        init(_ item: Item) { self.item = item }
    }

    var numberOfItems: () -> Int = { 0 }
    var itemAt: ((Int) -> Item)?
    private(set) var cells: [Cell] = []
    private(set) var batches = 0

    private var deleted: [Int] = []
    private var inserted: [Int] = []
    private var moved: [(from: Int, to: Int)] = []

    var shown: [Item] { cells.map(\.item) }

    func reloadData() {
        cells = (0..<numberOfItems()).compactMap { itemAt?($0) }.map { Cell($0) }
    }

    func deleteItems(at rows: [Int]) { deleted += rows }
    func insertItems(at rows: [Int]) { inserted += rows }
    func moveItem(at from: Int, to: Int) { moved.append((from, to)) }
    func cellForItem(at row: Int) -> Cell? { cells[row] }

    func performBatchUpdates(_ body: () -> Void) {
        (deleted, inserted, moved) = ([], [], [])
        body()
        batches += 1
        var new = [Cell?](repeating: nil, count: numberOfItems())
        for (from, to) in moved { new[to] = cells[from] }
        for row in inserted { new[row] = itemAt.map { Cell($0(row)) } }
        let leaving = Set(deleted + moved.map(\.from))
        var staying = cells.indices.filter { !leaving.contains($0) }.makeIterator()
        for row in new.indices where new[row] == nil {
            new[row] = staying.next().map { cells[$0] }
        }
        #expect(staying.next() == nil, "a row that stays has no place")
        #expect(!new.contains { $0 == nil }, "a place is left without a row")
        cells = new.compactMap { $0 }
    }
}
