import Testing

@testable import Observables

@Suite struct ChunkTests {
    @Test("Rows in chunks behave as an array", arguments: 0..<150)
    func rows(seed: Int) {
        var random = Seeded(seed)
        var array = random.array(limit: 60, alphabet: 100)
        var rows = ChunkedRows(array)
        for _ in 0..<120 {
            let start = random.below(array.count + 1)
            switch random.below(4) {
            case 0, 1:
                let element = random.below(100)
                array.insert(element, at: start)
                rows.insert(element, at: start)
            case 2 where start < array.count:
                #expect(rows.remove(at: start) == array.remove(at: start))
            default:
                let end = start + random.below(min(20, array.count - start) + 1)
                let new = random.array(limit: 25, alphabet: 100)
                array.replaceSubrange(start..<end, with: new)
                rows.replaceSubrange(start..<end, with: new)
            }
            rows.checkInvariants()
            #expect(rows.all == array, "seed \(seed)")
            if !array.isEmpty {
                let row = random.below(array.count)
                #expect(rows[row] == array[row])
                #expect(rows.elements(in: row..<array.count) == Array(array[row...]))
            }
        }
        let ordered = ChunkedRows(array.sorted())
        for bound in 0...100 {
            let expected = array.filter { $0 < bound }.count
            #expect(
                ordered.row(at: ordered.partitioningPlace { $0 >= bound }) == expected,
                "seed \(seed)")
        }
    }

    @Test("Marks in chunks are ranked and selected as in an array", arguments: 0..<150)
    func marks(seed: Int) {
        var random = Seeded(seed)
        var array = random.array(limit: 60, alphabet: 3).map { $0 == 0 }
        var marks = ChunkedMarks(array)
        for _ in 0..<120 {
            let start = random.below(array.count + 1)
            let mark = random.below(3) == 0
            switch random.below(5) {
            case 0, 1:
                array.insert(mark, at: start)
                marks.insert(mark, at: start)
            case 2 where start < array.count:
                #expect(marks.remove(at: start) == array.remove(at: start))
            case 3 where start < array.count:
                #expect(marks.set(mark, at: start) == array[start])
                array[start] = mark
            default:
                let end = start + random.below(min(20, array.count - start) + 1)
                let new = random.array(limit: 25, alphabet: 3).map { $0 == 0 }
                array.replaceSubrange(start..<end, with: new)
                marks.replaceSubrange(start..<end, with: new)
            }
            marks.checkInvariants()
            let marked = array.indices.filter { array[$0] }
            #expect(marks.count == array.count && marks.markedCount == marked.count)
            #expect(marks.marks(in: 0..<array.count) == array, "seed \(seed)")
            let row = random.below(array.count + 1)
            #expect(marks.rank(of: row) == marked.filter { $0 < row }.count, "seed \(seed)")
            if !marked.isEmpty {
                let mark = random.below(marked.count)
                #expect(marks.row(ofMark: mark) == marked[mark], "seed \(seed)")
                #expect(marks.rows(ofMarks: mark..<marked.count) == Array(marked[mark...]))
            }
        }
    }

    @Test("A chunk of several words keeps its bits in order", arguments: 0..<60)
    func words(seed: Int) {
        var random = Seeded(seed)
        var array = (0..<random.below(300)).map { _ in random.below(2) == 0 }
        var chunk = MarkChunk(array[...])
        for _ in 0..<300 {
            if random.below(2) == 0 || array.isEmpty {
                let row = random.below(array.count + 1)
                let mark = random.below(2) == 0
                array.insert(mark, at: row)
                chunk.insert(mark, at: row)
            } else {
                let row = random.below(array.count)
                #expect(chunk.remove(at: row) == array.remove(at: row), "seed \(seed)")
            }
            let row = random.below(array.count + 1)
            #expect(chunk.rank(of: row) == array[..<row].filter { $0 }.count, "seed \(seed)")
        }
        #expect(chunk.marks == array, "seed \(seed)")
        let marked = array.indices.filter { array[$0] }
        for (mark, row) in marked.enumerated() { #expect(chunk.row(ofMark: mark) == row) }
    }
}
