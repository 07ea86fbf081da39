// What the operators of Observables cost. `benchmark [PART…]`, parts: speed, counts, memory. All of
// them unless some are named.

let parts = CommandLine.arguments.dropFirst()
let all = ["counts", "memory", "speed", "single", "flips"]
for part in parts where !all.contains(part) {
    print("There is no part '\(part)'; there are \(all.joined(separator: ", ")).")
}
if parts.isEmpty || parts.contains("counts") { measureCounts() }
if parts.isEmpty || parts.contains("memory") { measureMemory() }
if parts.isEmpty || parts.contains("speed") { measureSpeed() }
if parts.contains("single") { profileSingleChanges() }
if parts.contains("flips") { profileFlips() }
