import Observables
import Testing

// Observables as the state of a loop: the tasks are computed from the state, and
// completed tasks change the state. And a log whose late subscribers receive the last entries.

@Suite struct FeedbackScenarioTests {
    @Test("A loop loads page after page until there are enough, each requested once and in order")
    func pages() {
        let wanted = Variable(0)
        let isOnline = Variable(true)
        let rows = ArrayVariable<Int>()
        let count = rows.observableCount
        // The row to load from, while there are too few.
        let query = wanted.combined(count, isOnline) { wanted, count, isOnline in
            isOnline && count < wanted ? count : nil
        }
        let log = Log<String>()
        let effects = [
            query.connect { change in
                guard let start = change.new else {
                    log.add("rest")
                    return
                }
                log.add("load \(start)")
                transaction {
                    for row in start..<(start + 3) { rows.append(row) }
                }
                log.add("asked \(rows.count)")
            },
            // Called after it, with the same state.
            query.connect { log.add("seen \($0.new.map { "\($0)" } ?? "-") of \(rows.count)") },
        ]
        wanted.value = 5
        #expect(
            log.entries == [
                "load 0", "asked 0", "seen 0 of 0", "load 3", "asked 3", "seen 3 of 3", "rest",
                "seen - of 6",
            ])
        #expect(rows.value == Array(0..<6))
        log.entries = []
        // An unchanged query, or still none, starts nothing.
        wanted.value = 6
        transaction {
            wanted.value = 20
            isOnline.value = false
        }
        rows.append(6)
        #expect(log.entries.isEmpty)
        wanted.value = 8
        isOnline.value = true
        #expect(
            log.entries == [
                "load 7", "asked 7", "seen 7 of 7", "rest", "seen - of 10",
            ])
        for effect in effects { effect.disconnect() }
    }

    @Test("The task of a query is cancelled with the query, and started again with the next")
    func cancelling() {
        let query = Variable<String?>(nil)
        let answers = ["a": Variable("1"), "b": Variable("2")]
        let answer = query.flatMap { text in
            text.flatMap { answers[$0]?.map { Optional($0) } } ?? .constant(nil)
        }
        let log = Log<String>()
        let connection = answer.connect { log.add($0.new ?? "-") }
        query.value = "a"
        answers["a"]?.value = "11"
        transaction {
            query.value = "b"
            answers["a"]?.value = "111"
            query.value = "a"
        }
        query.value = "b"
        answers["a"]?.value = "1111"
        query.value = nil
        answers["b"]?.value = "22"
        query.value = "b"
        #expect(log.entries == ["1", "11", "111", "2", "-", "22"])
        connection.disconnect()
    }

    @Test("Late subscribers of a log get its last entries, and later ones once", arguments: 0..<60)
    func log(seed: Int) {
        var random = Seeded(seed)
        let limit = 5
        let entries = ArrayVariable<Int>()
        let kept = entries.window(fromEnd: 0, count: limit)
        var all: [Int] = []
        var next = 0
        final class Client {
            var rows: [Int]
            var connection: Connection?
            init(_ log: ObservableArray<Int>) {
                rows = log.value
                connection = log.connect { [unowned self] in $0.apply(on: &rows) }
            }
        }
        var clients: [Client] = []
        for _ in 0..<60 {
            if random.below(4) == 0 { clients.append(Client(kept)) }
            if random.below(6) == 0, !clients.isEmpty {
                clients.remove(at: random.below(clients.count))
            }
            // However many arrive at once, the log stays bounded: the oldest are dropped.
            transaction {
                for _ in 0..<random.below(9) {
                    entries.append(next)
                    all.append(next)
                    next += 1
                    if entries.count > 2 * limit { entries.remove(at: 0) }
                }
            }
            let expected = Array(all.suffix(limit))
            #expect(kept.value == expected && entries.count <= 2 * limit, "seed \(seed)")
            for client in clients { #expect(client.rows == expected, "seed \(seed)") }
        }
    }
}
