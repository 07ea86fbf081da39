import Testing

@testable import Layouts

@Suite struct BlockTreeTests {
    @Test(
        "A tree has the elements and the sums of an array with the same changes",
        arguments: [4, 5, 8, 13], 0..<2 as Range<UInt64>)
    func array(limit: Int, seed: UInt64) {
        var random = TestRandom(seed: seed)
        let tree = BlockTree<RowRunSummary>(leafLimit: limit, childLimit: 4 + limit / 3)
        var plain: [RowRun] = []
        func run() -> RowRun {
            RowRun(
                count: .random(in: 1...3, using: &random),
                height: .random(in: -1...9, using: &random))
        }
        // Grows to hundreds, shrinks to empty, and grows again.
        for step in 0..<450 {
            let growing = (step / 150) % 2 == 0
            let kind = Int.random(in: 0..<10, using: &random)
            if plain.isEmpty || (growing ? kind < 6 : kind < 2) {
                let index = Int.random(in: 0...plain.count, using: &random)
                let new = run()
                tree.insert(new, at: index)
                plain.insert(new, at: index)
            } else if kind < 8 {
                let index = Int.random(in: 0..<plain.count, using: &random)
                let gone = plain.remove(at: index)
                #expect(tree.remove(at: index) == gone)
            } else if kind < 9 {
                let index = Int.random(in: 0..<plain.count, using: &random)
                plain[index] = run()
                tree.set(plain[index], at: index)
            } else {
                let start = Int.random(in: 0...plain.count, using: &random)
                let range = start..<min(plain.count, start + .random(in: 0...12, using: &random))
                let most = Int.random(in: 0..<4, using: &random) == 0 ? 60 : 12
                let new = ContiguousArray(
                    (0..<Int.random(in: 0...most, using: &random)).map { _ in run() })
                tree.replaceSubrange(range, with: new)
                plain.replaceSubrange(range, with: new)
            }
            tree.checkInvariants(==)
            let message = "limit \(limit), seed \(seed), step \(step)"
            check(tree, plain, message)
        }
        while !plain.isEmpty {
            let index = Int.random(in: 0..<plain.count, using: &random)
            let gone = plain.remove(at: index)
            #expect(tree.remove(at: index) == gone)
            tree.checkInvariants(==)
        }
        check(tree, plain, "limit \(limit), seed \(seed), empty")
    }

    private func check(
        _ tree: BlockTree<RowRunSummary>, _ plain: [RowRun], _ message: String
    ) {
        var cursor = BlockCursor(tree, at: 0)
        var before = RowRunSummary.zero
        // One expectation for all, since each is expensive.
        var wrong: [Int] = []
        for index in plain.indices {
            if cursor.current != plain[index] { wrong.append(index) }
            // All positions only occasionally: checking them each time would take a minute.
            if index % 16 == plain.count % 16 {
                let rows = before.rows
                let found = tree.first { $0.rows > rows }
                if tree.prefix(index) != before || found?.index != index || found?.before != before
                {
                    wrong.append(index)
                }
            }
            cursor.advance()
            before = before + RowRunSummary(plain[index])
        }
        #expect(wrong.isEmpty, "\(message)")
        #expect(cursor.current == nil, "\(message)")
        #expect(tree.total == before, "\(message)")
        #expect(tree.first { $0.rows > before.rows } == nil, "\(message)")
    }

    @Test("A reader keeps its block while the tree changes")
    func reader() {
        let tree = BlockTree<FlowItemCount>(leafLimit: 8, childLimit: 4)
        let item = FlowItem(Size(width: 1, height: 1))
        tree.replaceSubrange(0..<0, with: ContiguousArray(repeating: item, count: 5))
        let leaf = tree.leaf(at: 2)
        tree.set(.estimated, at: 2)
        #expect(leaf.elements.allSatisfy { $0 == item })
        #expect(tree[2] == .estimated)
    }
}
