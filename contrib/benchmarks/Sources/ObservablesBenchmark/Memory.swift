import CAllocations
import Measuring
import Observables

/// The memory per row beyond the elements, counted by the allocator.
func measureMemory() {
    var random = Seeded(7)
    let count = 1_000_000
    let rows = random.rows(count)
    let start = Int(allocated_bytes())
    let set = SetVariable(Set(rows))
    let withSet = Int(allocated_bytes())
    let filtered = set.sorted(by: Row.precedes).filter(Row.matches)
    let connection = filtered.connect { _ in }
    finishDeferredWork()
    let withAll = Int(allocated_bytes())
    let element = Double(MemoryLayout<Row>.size)
    report(
        "the set, beyond its elements", [Double(withSet - start) / Double(count) - element],
        unit: "B/row")
    report(
        "sorted and filtered, beyond the set", [Double(withAll - withSet) / Double(count)],
        unit: "B/row")
    report(
        "set, sorted, filtered, beyond the elements",
        [Double(withAll - start) / Double(count) - element], unit: "B/row", bound: 64)
    withExtendedLifetime((connection, rows)) {}
}
