import Observables

/// Only single changes, for a profiler.
func profileSingleChanges() {
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
