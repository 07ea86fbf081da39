import Observables
import Testing

@Suite struct PipelineTests {
    @Test("Each stage of a pipeline is computed once per transaction, and never when idle")
    func stages() {
        let documents = SetVariable<Int>(Set(0..<20))
        let limit = Variable(10)
        let items = (documents.sorted() + documents.sorted().map { $0 + 100 })
            .filter(where: limit.map { limit in { $0 != limit } })
        let scheduler = ObservableScheduler.current
        let c = items.connect { _ in }
        var before = scheduler.recomputations
        transaction {
            documents.insert(50)
            documents.insert(51)
            limit.value = 3
        }
        // Two sources, two sorts, one map of rows, one of the limit and one of the predicate made
        // from it, one sum, one filter.
        #expect(scheduler.recomputations - before == 9)
        c.disconnect()
        before = scheduler.recomputations
        documents.insert(60)
        #expect(scheduler.recomputations == before)
        #expect(items.count == 45)
    }

    /// The bound is log2 n + 4 comparisons for an element that arrives or leaves among n, and one
    /// predicate call. It takes at most log2 n + 1 if no chunk is split or joined.
    @Test(
        "A change costs comparisons in proportion to the logarithm, and one predicate call",
        arguments: 6...14)
    func work(exponent: Int) {
        let count = 1 << exponent
        let documents = SetVariable<Int>(Set((0..<count).map { $0 * 2 }))
        var comparisons = 0
        var calls = 0
        let items = documents.sorted {
            comparisons += 1
            return $0 < $1
        }.filter {
            calls += 1
            return $0 % 3 == 0
        }
        let c = items.connect { _ in }
        while ObservableScheduler.current.performDeferredWork() {}
        var most = 0
        for index in 0..<50 {
            let place = index * count / 50
            for write in [
                { documents.insert(2 * place + 1) }, { documents.remove(2 * place + 1) },
            ] {
                comparisons = 0
                calls = 0
                write()
                most = max(most, comparisons)
                #expect(calls <= 1)
            }
        }
        #expect(most <= exponent + 4, "\(most) comparisons among \(count) elements")
        c.disconnect()
    }

    @Test("Nothing stays alive after the last connection ends")
    func lifetimes() {
        let census = LiveCount()
        do {
            let documents = SetVariable<Tracked>()
            let search = Variable(0)
            var held = 0
            do {
                let token = Tracked(-1, census)
                let items = documents.sorted { $0.number < $1.number }
                    .map { Tracked($0.number, census) }
                    .filter(
                        where: search.map { text in { $0.number % 7 != text && token.number < 0 } })
                let one = items.connect { change in held += change.modifications.count }
                let other = items.observableCount.connect { _ in held += 1 }
                for number in 0..<30 { documents.insert(Tracked(number, census)) }
                search.value = 3
                #expect(items.count == 26)
                one.disconnect()
                #expect(items.count == 26)
                other.disconnect()
                #expect(held > 0)
            }
            #expect(census.live == 30)
            documents.removeAll()
            #expect(census.live == 0)
        }
        #expect(census.live == 0)
    }
}
