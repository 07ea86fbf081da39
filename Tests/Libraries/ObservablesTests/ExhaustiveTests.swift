import Testing

@testable import Observables

/// All small cases instead of random ones, if there are few enough.
@Suite struct ExhaustiveTests {
    @Test("All sequences of up to five insertions and removals give the correct change")
    func setChanges() {
        func examine(_ change: SetChange<Int>, _ old: Set<Int>, _ new: Set<Int>) {
            #expect(change.removed == old.subtracting(new), "\(old) to \(new)")
            #expect(change.inserted == new.subtracting(old), "\(old) to \(new)")
            #expect(change.isEmpty == (old == new) && change.deltaCount == new.count - old.count)
            #expect(change == SetChange(from: old, to: new))
            #expect(change.reversed() == SetChange(from: new, to: old))
            var value = old
            change.apply(on: &value)
            #expect(value == new)
        }
        /// Toggles elements one after the other; `parts` are the changes from each set to the last.
        func descend(_ sets: [Set<Int>], _ parts: [SetChange<Int>], depth: Int) {
            let set = sets[sets.count - 1]
            for (start, part) in parts.enumerated() { examine(part, sets[start], set) }
            for (start, part) in parts.enumerated() where start > 0 {
                // However the sequence is split, both parts merge to the whole.
                let first = SetChange(from: sets[0], to: sets[start])
                examine(first.merged(with: part), sets[0], set)
                examine(part.reversed().merged(with: first.reversed()), set, sets[0])
            }
            guard depth > 0 else { return }
            for element in 0..<3 {
                let isThere = set.contains(element)
                let next = isThere ? set.subtracting([element]) : set.union([element])
                let longer = (parts + [SetChange()]).map { part in
                    var part = part
                    if isThere { part.remove(element) } else { part.insert(element) }
                    return part
                }
                descend(sets + [next], longer, depth: depth - 1)
            }
        }
        for bits in 0..<8 {
            let start = Set((0..<3).filter { bits & 1 << $0 != 0 })
            descend([start], [], depth: 5)
        }
    }

    @Test("Replacing any range of rows or marks by any number, around the size of a chunk")
    func chunks() {
        let sizes = [0, 1, 2, 5, 6, 7, 8, 9, 12, 13, 16, 17, 25]
        for count in sizes {
            let numbers = Array(0..<count)
            let rows = ChunkedRows(numbers)
            let bits = numbers.map { $0 % 3 != 0 }
            let marks = ChunkedMarks(bits)
            #expect(rows.all == numbers && marks.marks(in: 0..<count) == bits)
            for start in 0...count {
                for end in start...count {
                    let words = marks.words(in: start..<end)
                    var marked: [Int] = []
                    LazyOrderOperations<Int>.forEachMark(in: 0..<(end - start), of: words) {
                        marked.append(start + $0)
                    }
                    #expect(marked == (start..<end).filter { bits[$0] })
                    #expect(rows.elements(in: start..<end) == Array(start..<end))
                    for size in sizes where size < 10 || start < 3 {
                        let new = Array(100..<(100 + size))
                        var expected = numbers
                        expected.replaceSubrange(start..<end, with: new)
                        var copy = rows
                        copy.replaceSubrange(start..<end, with: new)
                        #expect(copy.all == expected)
                        var others = marks
                        others.replaceSubrange(start..<end, with: new.map { $0 % 3 != 0 })
                        #expect(others.marks(in: 0..<others.count) == expected.map { $0 % 3 != 0 })
                    }
                }
            }
        }
    }

    @Test("Rows and marks are inserted and removed at every position of every small list")
    func singleRows() {
        for count in 0..<26 {
            // Chunks as full as possible, filled by insertion.
            var rows = ChunkedRows<Int>()
            var marks = ChunkedMarks()
            for row in 0..<count {
                rows.insert(row, at: row)
                marks.insert(row % 3 != 0, at: row)
            }
            for row in 0...count {
                var (more, moreMarks) = (rows, marks)
                more.insert(99, at: row)
                moreMarks.insert(true, at: row)
                var expected = Array(0..<count)
                expected.insert(99, at: row)
                #expect(more.all == expected)
                #expect(moreMarks.rank(of: row) == (0..<row).count { $0 % 3 != 0 })
                #expect(moreMarks[row] && moreMarks.row(ofMark: moreMarks.rank(of: row)) == row)
            }
            // All are removed again, starting at each.
            for first in 0..<count {
                var (fewer, fewerMarks) = (rows, marks)
                var expected = Array(0..<count)
                while !expected.isEmpty {
                    let row = first % expected.count
                    let number = expected.remove(at: row)
                    #expect(fewer.remove(at: row) == number)
                    #expect((fewerMarks.remove(at: row) != nil) == (number % 3 != 0))
                    #expect(fewer.all == expected && fewerMarks.count == expected.count)
                    #expect(fewerMarks.markedCount == expected.count { $0 % 3 != 0 })
                }
            }
        }
    }

    @Test("Keeping any of up to ten marks, in chunks, clears the others")
    func keeping() {
        for count in 0..<11 {
            for bits in 0..<(1 << count) {
                let stays = (0..<count).map { bits & 1 << $0 != 0 }
                // Other rows lie between the marked ones.
                var marks = ChunkedMarks((0..<(2 * count)).map { $0 % 2 == 1 })
                marks.keep(stays)
                #expect(marks.markedCount == stays.count { $0 })
                #expect(
                    marks.rows(ofMarks: 0..<marks.markedCount)
                        == (0..<count).filter { stays[$0] }.map { 2 * $0 + 1 })
            }
        }
    }

    /// In debug builds no chunk is as long as a word.
    @Test("Marks in several words are shifted, counted and found", arguments: 0..<8)
    func words(seed: Int) {
        var random = Seeded(seed)
        for count in [0, 1, 62, 63, 64, 65, 127, 128, 129, 200] {
            var bits = (0..<count).map { _ in random.below(3) > 0 }
            var chunk = MarkChunk(bits[...])
            func check(_ what: String) {
                let rows = bits.indices.filter { bits[$0] }
                #expect(chunk.marks == bits && chunk.marked == rows.count, "\(what) seed \(seed)")
                #expect(chunk.words.count == (bits.count + 63) / 64, "\(what) seed \(seed)")
                #expect(
                    (0...bits.count).map { chunk.rank(of: $0) }
                        == bits.reduce(into: [0]) { $0.append($0[$0.count - 1] + ($1 ? 1 : 0)) })
                #expect(rows.indices.map { chunk.row(ofMark: $0) } == rows)
                var found: [Int] = []
                let skipped = rows.isEmpty ? 0 : random.below(rows.count)
                chunk.appendMarkedRows(to: &found, skipping: skipped, limit: 90, base: 7)
                #expect(found == rows.dropFirst(skipped).prefix(90).map { $0 + 7 })
            }
            check("made")
            for _ in 0..<12 {
                let row = random.below(bits.count + 1)
                let mark = random.below(2) == 0
                bits.insert(mark, at: row)
                chunk.insert(mark, at: row)
                check("insert \(row)")
            }
            for edge in [0, 63, 64, 127, 128] where edge < bits.count {
                #expect(chunk.remove(at: edge) == bits.remove(at: edge), "seed \(seed)")
                check("remove \(edge)")
            }
            for _ in 0..<5 where !bits.isEmpty {
                let row = random.below(bits.count)
                let mark = random.below(2) == 0
                #expect(chunk.set(mark, at: row) == bits[row], "seed \(seed)")
                bits[row] = mark
                check("set \(row)")
            }
            let stays = (0..<(chunk.marked + 3)).map { _ in random.below(2) == 0 }
            var next = 3
            for row in bits.indices where bits[row] {
                bits[row] = stays[next]
                next += 1
            }
            #expect(chunk.keep(stays, from: 3) == next, "seed \(seed)")
            check("keep")
        }
    }
}
