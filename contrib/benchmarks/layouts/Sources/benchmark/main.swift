// What a force layout costs, and whether many cells rest as they must; what a flow of a million costs.
//
//     benchmark [PART…]           ticks, rest, limit, allocations or flow; all of them unless some are named
//     benchmark least COUNT THREADS TICKS    the least time of a tick from equilibrium, in seconds
//
// The status is 1 if a check failed. A time that misses its bound is marked, and is no failure: the
// machine may be slower, or busy.

import Glibc

let parts: [(name: String, run: () throws -> Bool)] = [
    ("ticks", measureTicks), ("rest", measureRest), ("limit", checkLimit),
    ("allocations", checkAllocations), ("flow", measureFlow),
]
let names = Array(CommandLine.arguments.dropFirst())
if names.first == "least", names.count == 4, let count = Int(names[1]),
    let threads = Int(names[2]), let ticks = Int(names[3])
{
    print(try leastTick(count, threads: threads, ticks: ticks).wall)
    exit(0)
}
for name in names where !parts.contains(where: { $0.name == name }) {
    print("There is no part '\(name)': name some of \(parts.map(\.name).joined(separator: ", ")).")
    exit(2)
}
var good = true
for part in parts where names.isEmpty || names.contains(part.name) {
    good = try part.run() && good
}
exit(good ? 0 : 1)
