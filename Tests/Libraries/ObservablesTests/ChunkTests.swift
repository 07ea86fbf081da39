import Testing

@testable import Observables

/// An edit of a sequence of numbers, or of marks: those of the odd numbers.
private enum ChunkStep: Equatable, Simplifiable {
    case insert(Int, at: Int)
    case remove(at: Int)
    case set(Int, at: Int)
    case replace(at: Int, count: Int, with: [Int])

    var simpler: [ChunkStep] {
        switch self {
        case .insert(let element, let index):
            index.simpler.map { .insert(element, at: $0) }
                + element.simpler.map { .insert($0, at: index) }
        case .remove(let index): index.simpler.map { .remove(at: $0) }
        case .set(let element, let index):
            index.simpler.map { .set(element, at: $0) }
                + element.simpler.map { .set($0, at: index) }
        case .replace(let index, let count, let new):
            index.simpler.map { .replace(at: $0, count: count, with: new) }
                + count.simpler.map { .replace(at: index, count: $0, with: new) }
                + new.simpler.map { .replace(at: index, count: count, with: $0) }
        }
    }

    static let generator = StepGenerator<ChunkStep> { random in
        switch random.below(6) {
        case 0, 1: .insert(random.below(100), at: random.below(100))
        case 2: .remove(at: random.below(100))
        case 3: .set(random.below(100), at: random.below(100))
        default:
            .replace(
                at: random.below(100), count: random.below(20),
                with: random.array(limit: 25, alphabet: 100))
        }
    }
}

/// The operations on the structure under test, with valid indices.
private protocol Editable {
    associatedtype Element: Equatable
    mutating func put(_ element: Element, at index: Int)
    /// Removes an element and returns it.
    mutating func take(at index: Int) -> Element
    mutating func replaceSubrange(_ range: Range<Int>, with elements: [Element])
    /// Sets an element and returns the old one.
    mutating func exchange(_ element: Element, at index: Int) -> Element
}

extension ChunkedRows: Editable where Element: Equatable {
    mutating func put(_ element: Element, at index: Int) { insert(element, at: index) }

    mutating func take(at index: Int) -> Element { remove(at: index) }

    mutating func exchange(_ element: Element, at index: Int) -> Element {
        defer { replaceSubrange(index..<(index + 1), with: [element]) }
        return self[index]
    }
}

extension ChunkedMarks: Editable {
    mutating func put(_ mark: Bool, at index: Int) {
        let rank = rank(of: index)
        #expect(insert(mark, at: index) == (mark ? rank : nil))
    }

    mutating func take(at index: Int) -> Bool {
        let (mark, rank) = (self[index], rank(of: index))
        #expect(remove(at: index) == (mark ? rank : nil))
        return mark
    }

    mutating func exchange(_ mark: Bool, at index: Int) -> Bool {
        let rank = rank(of: index)
        let found = set(mark, at: index)
        #expect(found.rank == (found.old || mark ? rank : 0))
        return found.old
    }
}

extension ChunkStep {
    /// Applies the same to an array and to the structure.
    func carryOut<Structure: Editable>(
        on array: inout [Structure.Element], _ structure: inout Structure, _ verdict: Verdict,
        element: (Int) -> Structure.Element
    ) {
        switch self {
        case .insert(let number, let index):
            let index = index % (array.count + 1)
            array.insert(element(number), at: index)
            structure.put(element(number), at: index)
        case .remove(let index):
            guard !array.isEmpty else { return }
            let index = index % array.count
            verdict.expectEqual(structure.take(at: index), array.remove(at: index), "removed")
        case .set(let number, let index):
            guard !array.isEmpty else { return }
            let index = index % array.count
            let old = structure.exchange(element(number), at: index)
            verdict.expectEqual(old, array[index], "exchanged")
            array[index] = element(number)
        case .replace(let index, let count, let new):
            let start = index % (array.count + 1)
            let end = min(array.count, start + count)
            array.replaceSubrange(start..<end, with: new.map(element))
            structure.replaceSubrange(start..<end, with: new.map(element))
        }
    }
}

@Suite struct ChunkTests {
    @Test("Rows in chunks behave as an array")
    func rows() {
        checkScripts(of: ChunkStep.generator, from: 0..<150, size: 120) { script in
            let verdict = Verdict()
            var array: [Int] = []
            var rows = ChunkedRows<Int>()
            for (index, step) in script.enumerated() {
                step.carryOut(on: &array, &rows, verdict) { $0 }
                rows.checkInvariants()
                verdict.expectEqual(rows.all, array, "all rows")
                if !array.isEmpty {
                    let row = index % array.count
                    verdict.expectEqual(rows[row], array[row], "row \(row)")
                    verdict.expectEqual(
                        rows.elements(in: row..<array.count), Array(array[row...]),
                        "rows from \(row)")
                }
            }
            let ordered = ChunkedRows(array.sorted())
            for bound in 0...100 {
                verdict.expectEqual(
                    ordered.row(at: ordered.partitioningPlace { $0 >= bound }),
                    array.filter { $0 < bound }.count,
                    "the first row from \(bound)")
            }
            return verdict.failure
        }
    }

    @Test("Marks in chunks are ranked and selected as in an array")
    func marks() {
        checkScripts(of: ChunkStep.generator, from: 150..<300, size: 120) { script in
            let verdict = Verdict()
            var array: [Bool] = []
            var marks = ChunkedMarks()
            for (index, step) in script.enumerated() {
                step.carryOut(on: &array, &marks, verdict) { $0 % 3 == 0 }
                marks.checkInvariants()
                let marked = array.indices.filter { array[$0] }
                verdict.expectEqual(marks.count, array.count, "count")
                verdict.expectEqual(marks.markedCount, marked.count, "count of the marked")
                verdict.expectEqual(marks.marks(in: 0..<array.count), array, "all marks")
                let row = index % (array.count + 1)
                verdict.expectEqual(
                    marks.rank(of: row), marked.filter { $0 < row }.count, "rank of \(row)")
                if !marked.isEmpty {
                    let mark = index % marked.count
                    verdict.expectEqual(marks.row(ofMark: mark), marked[mark], "mark \(mark)")
                    verdict.expectEqual(
                        marks.rows(ofMarks: mark..<marked.count), Array(marked[mark...]),
                        "marks from \(mark)")
                }
            }
            return verdict.failure
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
