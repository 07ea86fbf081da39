internal import CAllocations
import Observables

/// What user functions are called, and how often memory is asked for, for each single change, among
/// more and more rows. A count that is to grow with the logarithm is divided by it.
func measureCounts() {
    print(
        """
        Operations per single change (the most of 200), n rows; log₂ n in brackets.
        A read is one row that an operator takes from its input.
        """)
    for exponent in [10, 14, 17, 20] { countPipeline(exponent) }
    for exponent in [10, 14, 17, 20] { countReads(exponent) }
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
}

/// set → sorted → filter → two windows → first and a row's index.
private func countPipeline(_ exponent: Int) {
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
    line(exponent, "set → sorted → filter", most)

    tally = Tally()
    most = Tally()
    for _ in 0..<200 {
        tally = Tally()
        let row = sorted[random.below(count)]
        _ = sorted.firstIndex(of: row)
        most.takeMost(tally)
    }
    line(exponent, "index of an element in a sorted array", most)

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
    line(exponent, "the same, five filters over one order", most)
    withExtendedLifetime((connection, others)) {}
}

/// What windows and single elements read, above a filter, of a concatenation.
private func countReads(_ exponent: Int) {
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
    line(exponent, "window of 50 over filter over concatenation: a change", most)
    most = Tally()
    for step in 0..<200 {
        tally = Tally()
        start.value = count / 16 + step + 1
        most.takeMost(tally)
    }
    line(exponent, "the same: slid by one row", most)
    most = Tally()
    for _ in 0..<200 {
        tally = Tally()
        _ = rows[random.below(rows.count)]
        most.takeMost(tally)
    }
    line(exponent, "k-th row of the same", most)
    withExtendedLifetime(connection) {}
}

private func line(_ exponent: Int, _ name: String, _ tally: Tally) {
    var counts: [String] = []
    if tally.comparisons > 0 {
        let share = Double(tally.comparisons) / Double(exponent)
        counts.append("\(tally.comparisons) comparisons = \(number(share))·log₂ n")
    }
    if tally.questions > 0 { counts.append("\(tally.questions) predicate calls") }
    if tally.reads > 0 { counts.append("\(tally.reads) reads") }
    if tally.allocations > 0 { counts.append("\(tally.allocations) allocations") }
    print(pad("2^\(exponent)", to: 6) + pad(name, to: 58) + counts.joined(separator: ", "))
}

/// Sorts what was put off.
func finishDeferredWork() {
    while ObservableScheduler.current.performDeferredWork(budget: .max) {}
}
