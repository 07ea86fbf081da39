import Measuring
import Observables

private let rowCount = 1_000_000
private let runs = 5

/// The pipeline of a document picker: a set, with a replaceable order and a filter.
struct Pipeline {
    let set: SetVariable<Row>
    let order: Variable<(Row, Row) -> Bool>
    let sorted: ObservableArray<Row>
    let filtered: ObservableArray<Row>

    init(_ rows: [Row]) {
        set = SetVariable(Set(rows))
        order = Variable(Row.precedes)
        sorted = set.sorted(by: order.observable)
        filtered = sorted.filter(Row.matches)
    }
}

func measureSpeed() {
    var random = Seeded(42)
    let rows = random.rows(rowCount)
    print("\(rowCount) rows of 16 bytes, one in eight matches; median of \(runs) runs")
    var builds: [Double] = []
    var screens: [Double] = []
    for _ in 0..<3 {
        let set = SetVariable(Set(rows))
        let filtered = set.sorted(by: Row.precedes).filter(Row.matches)
        var connection: Connection?
        let first = seconds {
            connection = filtered.connect { _ in }
            _ = filtered[0..<50]
        }
        screens.append(first * 1e3)
        builds.append(first + seconds { finishDeferredWork() })
        connection?.disconnect()
    }
    report("build: set.sorted(by:).filter, the first 50 rows", screens, unit: "ms")
    report("build: set.sorted(by:).filter, all of it", builds, unit: "s", bound: 1)

    // One observer at a time: each part connects its own before the previous part's is released.
    let pipeline = Pipeline(rows)
    var changes = 0
    var connection = pipeline.filtered.connect { changes += $0.modifications.count }
    finishDeferredWork()
    measureSingleChanges(pipeline, &random)
    precondition(changes > 0)
    measureReads(pipeline, &random)
    measureTransactions(pipeline, &random)
    let start = Variable(0)
    let window = pipeline.filtered.window(start: start.observable, count: .constant(50))
    var shown = window.value
    connection = window.connect { $0.apply(on: &shown) }
    measureWindow(pipeline, start, &random)
    start.value = 0
    measureFlips(pipeline)
    precondition(shown == pipeline.filtered[0..<50])
    connection.disconnect()
    measureMerging(&random)
    measureBatches(&random)
}

private func measureSingleChanges(_ pipeline: Pipeline, _ random: inout Seeded) {
    let count = 10_000
    // All of them match, so that each passes the whole pipeline.
    let same = random.rows(count).map { Row(key: $0.key, id: $0.id & ~7) }
    for isNew in [false, true] {
        var inserts: [Double] = []
        var removes: [Double] = []
        for _ in 0..<runs {
            let extra =
                isNew ? random.rows(count).map { Row(key: $0.key, id: $0.id & ~7) } : same
            inserts.append(seconds { for row in extra { pipeline.set.insert(row) } })
            removes.append(seconds { for row in extra { pipeline.set.remove(row) } })
        }
        let rows = isNew ? "10,000 new rows" : "the same 10,000 rows"
        report(
            "set insert → sorted → filter → observer, \(rows)",
            inserts.map { $0 / Double(count) * 1e6 }, unit: "µs", bound: 3)
        report(
            "set remove → sorted → filter → observer, \(rows)",
            removes.map { $0 / Double(count) * 1e6 }, unit: "µs", bound: 3)
    }
}

private func measureReads(_ pipeline: Pipeline, _ random: inout Seeded) {
    let total = pipeline.filtered.count
    var single: [Double] = []
    var windows: [Double] = []
    var sum: UInt64 = 0
    for _ in 0..<runs {
        let places = (0..<10_000).map { _ in random.below(total - 50) }
        single.append(seconds { for place in places { sum &+= pipeline.filtered[place].key } })
        windows.append(
            seconds {
                for place in places { sum &+= pipeline.filtered[place..<(place + 50)][0].key }
            })
    }
    report("k-th filtered row", single.map { $0 / 10_000 * 1e6 }, unit: "µs", bound: 0.5)
    report(
        "50 filtered rows at a random place", windows.map { $0 / 10_000 * 1e6 }, unit: "µs",
        bound: 10)
    withExtendedLifetime(sum) {}
}

private func measureWindow(
    _ pipeline: Pipeline, _ start: Variable<Int>, _ random: inout Seeded
) {
    let total = pipeline.filtered.count
    var jumps: [Double] = []
    var changes: [Double] = []
    for _ in 0..<runs {
        let places = (0..<2_000).map { _ in random.below(total - 50) }
        jumps.append(seconds { for place in places { start.value = place } })
        start.value = total / 2
        let extra = random.rows(2_000).map { Row(key: $0.key, id: $0.id & ~7) }
        changes.append(seconds { for row in extra { pipeline.set.insert(row) } })
        pipeline.set.subtract(Set(extra))
    }
    report(
        "window of 50 jumps to a random place, told to one observer",
        jumps.map { $0 / 2_000 * 1e6 }, unit: "µs", bound: 10)
    report(
        "set insert → sorted → filter → window of 50 → observer",
        changes.map { $0 / 2_000 * 1e6 }, unit: "µs")
}

private func measureTransactions(_ pipeline: Pipeline, _ random: inout Seeded) {
    var times: [Double] = []
    for _ in 0..<(4 * runs) {
        let extra = random.rows(500)
        times.append(
            seconds {
                transaction {
                    for row in extra { pipeline.set.insert(row) }
                }
            })
        pipeline.set.subtract(Set(extra))
    }
    report(
        "transaction of 500 scattered inserts", times.map { $0 * 1e3 }, unit: "ms", bound: 2)
}

private func measureFlips(_ pipeline: Pipeline) {
    let orders: [(name: String, order: (Row, Row) -> Bool)] = [
        ("by another key", { $0.id < $1.id }), ("to the reverse", { $0.id > $1.id }),
    ]
    for (name, order) in orders {
        var first: [Double] = []
        var complete: [Double] = []
        for _ in 0..<runs {
            let start = seconds { pipeline.order.value = order }
            let end = seconds { finishDeferredWork() }
            first.append(start * 1e3)
            complete.append((start + end) * 1e3)
            if name == "by another key" {
                pipeline.order.value = Row.precedes
            } else {
                pipeline.order.value = { $0.id < $1.id }
            }
            finishDeferredWork()
        }
        report(
            "order flipped \(name): a window of the first 50 is told", first, unit: "ms", bound: 5)
        report("order flipped \(name): all", complete, unit: "ms", bound: 250)
    }
}

private func measureMerging(_ random: inout Seeded) {
    var times: [Double] = []
    for _ in 0..<runs {
        var change = ArrayChange<Row>(initialCount: rowCount)
        for _ in 0..<2_000 { change.add(.insert(random.row(), at: random.below(rowCount))) }
        var more: [ArrayModification<Row>] = []
        for _ in 0..<1_000 { more.append(.insert(random.row(), at: random.below(rowCount))) }
        times.append(seconds { for modification in more { change.add(modification) } })
    }
    report(
        "merging a modification into 2,000 pending ones", times.map { $0 / 1_000 * 1e6 },
        unit: "µs", bound: 2)
}

private func measureBatches(_ random: inout Seeded) {
    // 1,000 deletions, 1,000 insertions and 200 moves, scattered over 100,000 rows.
    let old = random.rows(100_000)
    var new = old
    for _ in 0..<1_000 { new.remove(at: random.below(new.count)) }
    for _ in 0..<1_000 { new.insert(random.row(), at: random.below(new.count)) }
    for _ in 0..<200 {
        let row = new.remove(at: random.below(new.count))
        new.insert(row, at: random.below(new.count))
    }
    var times: [Double] = []
    var moves = 0
    for _ in 0..<runs {
        times.append(
            seconds {
                let batch = ArrayBatch(from: old, to: new, identifiedBy: { (row: Row) in row })
                moves = batch.moved.count
            })
    }
    report(
        "snapshot difference of 100,000 (\(moves) moves)", times.map { $0 * 1e3 }, unit: "ms",
        bound: 14.7)

    let million = random.rows(1_000_000)
    var edited = million
    edited[500_000] = random.row()
    times = []
    for _ in 0..<runs {
        times.append(
            seconds {
                let batch = ArrayBatch(
                    from: million, to: edited, identifiedBy: { (row: Row) in row })
                precondition(batch.inserted == [500_000])
            })
    }
    report(
        "snapshot difference of 1,000,000, one edit", times.map { $0 * 1e3 }, unit: "ms",
        bound: 25)
}
