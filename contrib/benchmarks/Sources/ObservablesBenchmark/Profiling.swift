import Observables

/// Only single changes, for a profiler.
func profileChanges() {
    var random = Seeded(42)
    let rows = random.rows(1_000_000)
    let pipeline = Pipeline(rows)
    var changes = 0
    let connection = pipeline.filtered.connect { changes += $0.modifications.count }
    for _ in 0..<20 {
        let extra = random.rows(10_000).map { Row(key: $0.key, id: $0.id & ~7) }
        for row in extra { pipeline.set.insert(row) }
        for row in extra { pipeline.set.remove(row) }
    }
    withExtendedLifetime(connection) {}
}

/// Only flips of the order, for a profiler.
func profileFlips() {
    var random = Seeded(42)
    let pipeline = Pipeline(random.rows(1_000_000))
    let connection = pipeline.filtered.observableCount.connect { _ in }
    for _ in 0..<5 {
        pipeline.order.value = { $0.id < $1.id }
        finishDeferredWork()
        pipeline.order.value = Row.precedes
        finishDeferredWork()
    }
    withExtendedLifetime(connection) {}
}

/// Only reads of single rows, for a profiler.
func profileReads() {
    var random = Seeded(42)
    let pipeline = Pipeline(random.rows(1_000_000))
    let connection = pipeline.filtered.extents.connect { _ in }
    finishDeferredWork()
    let total = pipeline.filtered.count
    var sum: UInt64 = 0
    for _ in 0..<2_000_000 { sum &+= pipeline.filtered[random.below(total)].key }
    withExtendedLifetime((connection, sum)) {}
}
