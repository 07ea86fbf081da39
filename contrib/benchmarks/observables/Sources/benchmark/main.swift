// What the operators of Observables cost. `benchmark [PART…]`: counts of operations, memory, speed, or
// all of these; `changes`, `flips` and `reads` repeat one kind of work for a profiler.

import Foundation

// Memory comes first, while nothing has been given back that could be used again.
let parts: [(name: String, isMeasurement: Bool, run: () -> Void)] = [
    ("memory", true, measureMemory), ("counts", true, measureCounts),
    ("speed", true, measureSpeed), ("changes", false, profileChanges),
    ("flips", false, profileFlips), ("reads", false, profileReads),
]
let names = CommandLine.arguments.dropFirst()
for name in names where !parts.contains(where: { $0.name == name }) {
    print("There is no part '\(name)': name some of \(parts.map(\.name).joined(separator: ", ")).")
    exit(2)
}
for part in parts where names.isEmpty ? part.isMeasurement : names.contains(part.name) {
    part.run()
}
