import Observables
import Testing

extension Array {
    /// The existing rows of a window.
    fileprivate func rows(from start: Int, count: Int) -> [Element] {
        let start = Swift.min(start, self.count)
        return Array(self[start..<Swift.min(self.count, start + count)])
    }
}

@Suite struct WindowTests {
    @Test("Rows that arrive and leave outside of a window only shift it at its edges")
    func edges() {
        let array = ArrayVariable(Array(0..<20))
        let total = array.observableCount
        let counts = Log<Int>()
        let c = total.connect { counts.add($0.new) }
        let mirror = Mirror(array.window(5..<10))
        array.append(20)
        array.insert(100, at: 15)
        #expect(mirror.takeChanges().isEmpty && counts.entries == [21, 22])
        array.insert(101, at: 2)
        #expect(mirror.takeChanges() == [[.insert(4, at: 0), .remove(9, at: 5)]])
        array.remove(at: 0)
        #expect(mirror.takeChanges() == [[.remove(4, at: 0), .insert(9, at: 4)]])
        array.insert(102, at: 7)
        #expect(mirror.takeChanges() == [[.insert(102, at: 2), .remove(9, at: 5)]])
        array[6] = 66
        #expect(mirror.takeChanges() == [[.replace(6, at: 1, with: 66)]])
        array.replaceSubrange(0..<5, with: [7, 7])
        #expect(mirror.value == Array(array.value[5..<10]))
        array.value = [1, 2]
        #expect(mirror.value.isEmpty)
        array.append(contentsOf: [3, 4, 5, 6])
        #expect(mirror.value == [6])
        c.disconnect()
    }

    @Test("A move into, out of, within, across and outside of a window")
    func moves() {
        func move(_ from: Int, _ to: Int) -> [[ArrayModification<Int>]] {
            let array = ArrayVariable(Array(0..<12))
            let mirror = Mirror(array.window(4..<8))
            transaction {
                array.remove(at: from)
                array.insert(from, at: to)
            }
            #expect(mirror.value == Array(array.value[4..<8]))
            return mirror.takeChanges()
        }
        #expect(move(0, 2).isEmpty && move(9, 11).isEmpty)
        #expect(move(0, 5) == [[.remove(4, at: 0), .insert(0, at: 1)]])
        #expect(move(0, 7) == [[.remove(4, at: 0), .insert(0, at: 3)]])
        #expect(move(5, 11) == [[.remove(5, at: 1), .insert(8, at: 3)]])
        #expect(move(4, 6) == [[.remove(4, at: 0), .insert(4, at: 2)]])
        #expect(move(0, 11) == [[.remove(4, at: 0), .insert(8, at: 3)]])
    }

    @Test("A window that slides emits the difference, and nothing when it stays")
    func sliding() {
        let array = ArrayVariable(Array(0..<100))
        let start = Variable(10)
        let size = Variable(5)
        let range = Variable(10..<15)
        let mirror = Mirror(array.window(start: start.observable, count: size.observable))
        let other = Mirror(array.window(range.observable))
        start.value = 11
        range.value = 11..<16
        let slid: [[ArrayModification<Int>]] = [[.remove(10, at: 0), .insert(15, at: 4)]]
        #expect(mirror.takeChanges() == slid && other.takeChanges() == slid)
        start.value = 11
        range.value = 11..<16
        transaction {
            start.value = 60
            start.value = 11
        }
        #expect(mirror.takeChanges().isEmpty && other.takeChanges().isEmpty)
        size.value = 6
        #expect(mirror.takeChanges() == [[.insert(16, at: 5)]])
        start.value = 50
        #expect(mirror.takeChanges().map(\.count) == [1])
        transaction {
            start.value = 49
            array.insert(-1, at: 0)
        }
        #expect(
            mirror.takeChanges() == [
                [
                    .replaceRange([], at: 0, with: [48, 49]),
                    .replaceRange([54, 55], at: 6, with: []),
                ]
            ])
        #expect(mirror.value == [48, 49, 50, 51, 52, 53])
        start.value = 500
        #expect(mirror.value.isEmpty)
        size.value = 0
        start.value = 0
        #expect(mirror.value.isEmpty && other.value == [10, 11, 12, 13, 14])
        size.value = .max
        #expect(mirror.value == array.value)
    }

    @Test("A window from the end follows short, shrinking and growing arrays")
    func fromEnd() {
        let array = ArrayVariable(Array(0..<10))
        let last = Mirror(array.window(fromEnd: 0, count: 3))
        let earlier = Mirror(array.window(fromEnd: 3, count: 3))
        #expect(last.value == [7, 8, 9] && earlier.value == [4, 5, 6])
        array.append(10)
        #expect(last.takeChanges() == [[.remove(7, at: 0), .insert(10, at: 2)]])
        array.insert(-1, at: 0)
        #expect(last.takeChanges().isEmpty)
        array.value = [1, 2, 3, 4]
        #expect(last.value == [2, 3, 4] && earlier.value == [1])
        array.value = [1, 2]
        #expect(last.value == [1, 2] && earlier.value.isEmpty)
        array.removeAll()
        #expect(last.value.isEmpty && earlier.value.isEmpty)
    }

    @Test("Windows of all kinds equal recomputation on random scripts", arguments: 0..<100)
    func randomScripts(seed: Int) {
        var random = Seeded(seed)
        let array = ArrayVariable(random.array(limit: 30))
        let modulus = Variable(1)
        let start = Variable(3)
        let size = Variable(6)
        let rows = array.filter(where: modulus.map { modulus in { $0 % modulus == 0 } })
        var model: [Int] { array.value.filter { $0 % modulus.value == 0 } }
        let s = start.observable
        let n = size.observable
        let trials: [any AnyTrial] = [
            Trial(rows.window(start: s, count: n)) {
                model.rows(from: start.value, count: size.value)
            },
            Trial(rows.window(2..<7)) { model.rows(from: 2, count: 5) },
            Trial(rows.window(fromEnd: s, count: n)) {
                Array(model.dropLast(start.value).suffix(size.value))
            },
            Trial(rows.window(start: s, count: n).window(1..<3)) {
                Array(model.rows(from: start.value, count: size.value).dropFirst().prefix(2))
            },
            Trial((rows + rows).window(start: s, count: n)) {
                (model + model).rows(from: start.value, count: size.value)
            },
            Trial(rows.observableFirst) { model.first },
            Trial(rows.observableLast) { model.last },
            Trial(rows.observable(at: 3)) { model.count > 3 ? model[3] : nil },
            Trial(rows.observable(at: s)) {
                model.count > start.value ? model[start.value] : nil
            },
            Trial(rows.observableIsEmpty) { model.isEmpty },
        ]
        run(trials, seed: seed, random: &random) { random in
            switch random.below(6) {
            case 0: modulus.value = 1 + random.below(3)
            case 1: start.value = random.below(9)
            case 2: size.value = random.below(9)
            case 3 where random.below(4) == 0: array.value = random.array(limit: 30)
            default:
                let low = random.below(array.count + 1)
                let high = min(array.count, low + random.below(4))
                array.replaceSubrange(low..<high, with: random.array(limit: 4))
            }
        }
    }

    @Test("All small windows emit only the rows that arrive or leave, for all small changes")
    func exhaustive() {
        let array = ArrayVariable<Int>()
        let request = Variable(0..<0)
        let mirror = Mirror(array.window(request.observable))
        let windows = (0...4).flatMap { start in (0...3).map { start..<(start + $0) } }
        for old in windows {
            for new in windows {
                for low in 0...4 {
                    for high in low...4 {
                        for size in 0...2 {
                            transaction {
                                array.value = [0, 1, 2, 3]
                                request.value = old
                            }
                            let before = Set(mirror.value)
                            _ = mirror.takeChanges()
                            transaction {
                                request.value = new
                                array.replaceSubrange(
                                    low..<high, with: (0..<size).map { 10 + $0 })
                            }
                            let after = Array(
                                array.value[new.clamped(to: 0..<array.count)])
                            let told = mirror.takeChanges().flatMap { $0 }
                            #expect(mirror.value == after)
                            #expect(
                                Set(told.flatMap(\.oldElements)) == before.subtracting(after))
                            #expect(
                                told.flatMap(\.newElements)
                                    == after.filter { !before.contains($0) })
                        }
                    }
                }
            }
        }
    }

    @Test("A negative start or count is refused")
    func refusal() async {
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            _ = array.window(-1..<1)
        }
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            let size = Variable(1)
            let c = array.window(start: .constant(0), count: size.observable).connect { _ in }
            size.value = -1
            c.disconnect()
        }
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            _ = array.window(fromEnd: 1, count: -1)
        }
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            _ = array.window(anchoredAt: .constant(1), before: -1, count: 1)
        }
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            _ =
                array.window(
                    anchoredAt: .constant(1), before: .constant(-1), count: .constant(1)
                ).value
        }
        await #expect(processExitsWith: .failure) {
            let array: ArrayVariable<Int> = [1, 2]
            let behind = Variable(0)
            let c = array.window(fromEnd: behind.observable, count: .constant(1)).connect { _ in }
            behind.value = -1
            c.disconnect()
        }
    }

    @Test("A single change does not read the kept rows of a window")
    func work() {
        var reads = 0
        let array = ArrayVariable(Array(0..<5_000))
        let window = array.map { element in
            reads += 1
            return element
        }.window(1_000..<3_000)
        let c = window.connect { _ in }
        reads = 0
        array.insert(-1, at: 0)
        // The inserted row is mapped for the change, the entering one for the window.
        #expect(reads == 2)
        reads = 0
        array.remove(at: 2_000)
        #expect(reads == 2)
        c.disconnect()
    }
}
