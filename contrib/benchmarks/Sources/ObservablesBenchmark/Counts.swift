import CAllocations
import Measuring
import Observables

/// The calls of user functions and the allocations for each single change, among
/// increasing numbers of rows: the maximum of 200. A read is one row that an operator reads from its input.
func countOperations() -> Bool {
    let thresholds = Thresholds("observables")
    for exponent in [10, 14, 17, 20] { countPipeline(exponent, thresholds) }
    for exponent in [10, 14, 17, 20] { countReads(exponent, thresholds) }
    return thresholds.areKept()
}

private struct Tally {
    var comparisons = 0
    var questions = 0
    var reads = 0
    var allocations = 0

    mutating func takeMost(_ other: Tally) {
        comparisons = max(comparisons, other.comparisons)
        questions = max(questions, other.questions)
        reads = max(reads, other.reads)
        allocations = max(allocations, other.allocations)
    }

    /// Checks all counts. A count with logarithmic growth is also printed as a multiple of the logarithm.
    func hold(_ thresholds: Thresholds, _ exponent: Int, _ name: String) {
        for (count, unit) in [
            (comparisons, "comparisons"), (questions, "predicate calls"), (reads, "reads"),
            (allocations, "allocations"),
        ] where count > 0 {
            let share = number(Double(count) / Double(exponent))
            thresholds.hold(
                Double(count), "\(unit): \(name), 2^\(exponent) rows",
                note: unit == "comparisons" ? "\(share)·log₂ n" : "")
        }
    }
}

/// set → sorted → filter → two windows → first and a row's index.
private func countPipeline(_ exponent: Int, _ thresholds: Thresholds) {
    let count = 1 << exponent
    var random = Seeded(UInt64(exponent))
    var tally = Tally()
    let set = SetVariable(Set(random.rows(count)))
    let sorted = set.sorted {
        tally.comparisons += 1
        return Row.precedes($0, $1)
    }
    let filtered = sorted.filter {
        tally.questions += 1
        return Row.matches($0)
    }
    let connection = filtered.connect { _ in }
    finishDeferredWork()
    // The first change allocates what the next ones use again.
    set.insert(Row(key: 0, id: 0))
    set.remove(Row(key: 0, id: 0))
    var most = Tally()
    var changes = 0
    for _ in 0..<200 {
        let row = Row(key: random.next(), id: random.next() & ~7)
        for insert in [true, false] {
            tally = Tally()
            let before = allocation_count()
            if insert { set.insert(row) } else { set.remove(row) }
            tally.allocations = Int(allocation_count() - before)
            most.takeMost(tally)
            changes += 1
        }
    }
    most.hold(thresholds, exponent, "set → sorted → filter")

    tally = Tally()
    most = Tally()
    for _ in 0..<200 {
        tally = Tally()
        let row = sorted[random.below(count)]
        _ = sorted.firstIndex(of: row)
        most.takeMost(tally)
    }
    most.hold(thresholds, exponent, "index of an element in a sorted array")

    // Several filters over one order: the order's work is done once.
    let others = (1...4).map { digit in
        sorted.filter {
            tally.questions += 1
            return $0.id % 5 == UInt64(digit)
        }.connect { _ in }
    }
    most = Tally()
    for _ in 0..<200 {
        tally = Tally()
        set.insert(random.row())
        most.takeMost(tally)
    }
    most.hold(thresholds, exponent, "the same, five filters over one order")
    withExtendedLifetime((connection, others)) {}
}

/// The reads of windows and single elements, above a filter of a concatenation.
private func countReads(_ exponent: Int, _ thresholds: Thresholds) {
    let count = 1 << exponent
    var random = Seeded(UInt64(exponent))
    var tally = Tally()
    let set = SetVariable(Set(random.rows(count)))
    let rows =
        (ObservableArray.constant([Row(key: 0, id: 0)]) + set.sorted(by: Row.precedes))
        .filter(Row.matches)
        .map { (row: Row) -> Row in
            tally.reads += 1
            return row
        }
    let start = Variable(count / 16)
    let window = rows.window(start: start.observable, count: .constant(50))
    let connection = window.connect { _ in }
    finishDeferredWork()
    var most = Tally()
    for _ in 0..<200 {
        let row = Row(key: random.next(), id: random.next() & ~7)
        for insert in [true, false] {
            tally = Tally()
            if insert { set.insert(row) } else { set.remove(row) }
            most.takeMost(tally)
        }
    }
    most.hold(thresholds, exponent, "window of 50 over filter over concatenation: a change")
    most = Tally()
    for step in 0..<200 {
        tally = Tally()
        start.value = count / 16 + step + 1
        most.takeMost(tally)
    }
    most.hold(thresholds, exponent, "the same: slid by one row")
    most = Tally()
    for _ in 0..<200 {
        tally = Tally()
        _ = rows[random.below(rows.count)]
        most.takeMost(tally)
    }
    most.hold(thresholds, exponent, "k-th row of the same")
    withExtendedLifetime(connection) {}
}

/// Completes deferred sorting.
func finishDeferredWork() {
    while ObservableScheduler.current.performDeferredWork(budget: .max) {}
}
