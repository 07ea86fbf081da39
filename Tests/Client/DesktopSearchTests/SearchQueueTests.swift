import DesktopSearch
import PickerClient
import TestSupport
import Testing

@Suite struct SearchQueueTests {
    private let query = ListQuery(search: "a")

    @Test("the searches of one caller: the newest is made, and the earlier ones are given back")
    func newest() throws {
        var queue = SearchQueue()
        let first = queue.add(query, from: ":1.1") { _ in }
        #expect(first.dropped.isEmpty)
        #expect(queue.start()?.number == first.number)
        let second = queue.add(query, from: ":1.1") { _ in }
        #expect(second.dropped.map(\.number) == [first.number])
        #expect(queue.running == nil)
        let third = queue.add(query, from: ":1.1") { _ in }
        #expect(third.dropped.map(\.number) == [second.number])
        #expect(queue.start()?.number == third.number)
        #expect(queue.start() == nil)
        #expect(queue.remove(first.number) == nil)
        #expect(queue.remove(third.number)?.number == third.number)
        #expect(queue.isEmpty)
    }

    @Test("the searches of several callers are made one after another, in their order")
    func several() throws {
        var queue = SearchQueue()
        let numbers = (1...5).map { queue.add(query, from: ":1.\($0)") { _ in }.number }
        var made: [Int] = []
        while let search = queue.start() {
            #expect(queue.start() == nil)
            made.append(search.number)
            #expect(queue.remove(search.number) != nil)
        }
        #expect(made == numbers)
    }

    @Test("with one search more than may wait, the one that waits longest is given back")
    func limit() throws {
        var queue = SearchQueue()
        _ = queue.add(query, from: "running") { _ in }
        #expect(queue.start() != nil)
        for number in 0..<SearchQueue.mostWaiting {
            #expect(queue.add(query, from: "\(number)") { _ in }.dropped.isEmpty)
        }
        #expect(queue.add(query, from: "last") { _ in }.dropped.map(\.caller) == ["0"])
    }

    @Test("one search is tried again once")
    func secondTry() throws {
        var queue = SearchQueue()
        let noneRuns = queue.tryAgain()
        #expect(!noneRuns)
        _ = queue.add(query, from: "a") { _ in }
        #expect(queue.start() != nil)
        let isTriedAgain = queue.tryAgain()
        #expect(isTriedAgain)
        let isThirdTry = queue.tryAgain()
        #expect(!isThirdTry)
    }

    @Test(
        "whatever happens, each search is given back once, and the newest of a caller is the last")
    func random() throws {
        let seed = UInt64.random(in: 0..<10_000)
        var random = SeededRandom(seed: seed)
        var queue = SearchQueue()
        var given: Set<Int> = []
        var newest: [String: Int] = [:]
        func give(_ search: SearchQueue.Search, asNewest: Bool) {
            let isNew = given.insert(search.number).inserted
            #expect(isNew, "seed \(seed): \(search.number) was given back twice")
            if asNewest { #expect(newest[search.caller] == search.number, "seed \(seed)") }
        }
        var count = 0
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let caller = "\(Int.random(in: 0..<100, using: &random))"
                let (number, dropped) = queue.add(query, from: caller) { _ in }
                count += 1
                newest[caller] = number
                for search in dropped { give(search, asNewest: false) }
            case 5..<8: _ = queue.start()
            case 8: _ = queue.tryAgain()
            default:
                let isRunning = Bool.random(using: &random)
                let number =
                    isRunning ? queue.running?.number : newest.values.randomElement(using: &random)
                if let number, let search = queue.remove(number) { give(search, asNewest: true) }
            }
        }
        while let search = queue.start() {
            if let removed = queue.remove(search.number) { give(removed, asNewest: true) }
        }
        while let running = queue.running, let search = queue.remove(running.number) {
            give(search, asNewest: true)
            while let next = queue.start() {
                if let removed = queue.remove(next.number) { give(removed, asNewest: true) }
            }
        }
        #expect(queue.isEmpty, "seed \(seed)")
        #expect(given.count == count, "seed \(seed)")
    }
}
