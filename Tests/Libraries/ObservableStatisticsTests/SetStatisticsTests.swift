import ExactStatistics
import ObservableStatistics
import Observables
import TestSupport
import Testing

@Suite struct SetStatisticsTests {
    @Test("statistics of a randomly changing set are those of its elements, after each step")
    func randomChanges() {
        withSeed { random in
            let seed = Comment(rawValue: "seed \(random.seed)")
            let set = SetVariable<Int>()
            let large = { (element: Int) -> UInt64? in
                element.isMultiple(of: 3) ? nil : UInt64(element) << 56
            }
            let all = set.statistics(of: { $0 % 7 })
            let some = set.statistics(of: large)
            let means = set.exactMean(of: { $0 })
            let sums = set.exactSum(of: large)
            let extremes = set.extremes(of: { -$0 })
            // The last emitted value, for observers that only listen.
            var told = Statistics<Int>()
            let connections = [
                all.connect { change in
                    #expect(change.old == told, seed)
                    told = change.new
                },
                some.connect { _ in }, means.connect { _ in }, sums.connect { _ in },
                extremes.connect { _ in },
            ]
            for _ in 0..<2_000 {
                transaction {
                    for _ in 0...Int.random(in: 0...3, using: &random) {
                        let element = Int.random(in: 0..<200, using: &random)
                        if set.contains(element) {
                            set.remove(element)
                        } else {
                            set.insert(element)
                        }
                    }
                }
                let elements = set.value
                #expect(all.value == Statistics(elements.map { $0 % 7 }), seed)
                #expect(told == all.value, seed)
                #expect(some.value == Statistics(elements.compactMap(large)), seed)
                #expect(means.value == ExactMean(elements), seed)
                #expect(sums.value == ExactSum(elements.compactMap(large)), seed)
                #expect(extremes.value == Extremes(elements.map { -$0 }), seed)
            }
            for connection in connections { connection.disconnect() }
            set.insert(-1)
            #expect(means.value == ExactMean(set.value), "read without observers")
        }
    }

    @Test("a change calls the function for changed elements only")
    func work() {
        let set = SetVariable<Int>(Set(0..<10_000))
        var calls = 0
        let connection = set.statistics(of: { element in
            calls += 1
            return element
        }).connect { _ in }
        calls = 0
        transaction {
            set.remove(9_999)
            set.insert(-1)
        }
        #expect(calls == 2)
        connection.disconnect()
    }

    @Test("no change is emitted when nothing differs in the end")
    func silence() {
        let set: SetVariable<Int> = [1, 3]
        var told = 0
        let connection = set.statistics(of: { $0 % 2 }).connect { _ in told += 1 }
        transaction {
            set.remove(1)
            set.insert(5)
        }
        #expect(told == 0)
        set.insert(2)
        #expect(told == 1)
        connection.disconnect()
    }
}

@Suite struct ArticleTests {
    @Test("the example of the article prints its claimed output")
    func example() {
        let prices: SetVariable<Int> = [3, 10, 4]
        var printed: [String] = []
        let statistics = prices.statistics(of: { $0 })
        let mean = statistics.map(\.mean.rounded)
        let connection = statistics.connect { change in
            printed.append("\(change.new.count) \(change.new.greatest ?? 0)")
        }
        prices.insert(100)
        prices.remove(10)
        #expect(printed == ["4 100", "3 100"])
        #expect(mean.value == 36)
        let dear = prices.statistics(of: { $0 > 50 ? $0 : nil })
        #expect(dear.value.count == 1)
        connection.disconnect()
    }
}
