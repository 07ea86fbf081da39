// The cost of a force layout, with a check of many cells at rest; the cost of a flow of a million items.
//
//     LayoutsBenchmark [--check] [PART…]       ticks, rest, limit, allocations or flow; all unless some are named
//     LayoutsBenchmark least COUNT THREADS TICKS    the least time of a tick from equilibrium, in seconds

import Measuring

let words = CommandLine.arguments
if words.count == 5, words[1] == "least", let count = Int(words[2]), let threads = Int(words[3]),
    let ticks = Int(words[4])
{
    print(try leastTick(count, threads: threads, ticks: ticks).wall)
} else {
    try run([
        Part("ticks", run: measureTicks), Part("rest", run: measureRest),
        Part("limit", run: checkLimit), Part("allocations", .count, run: checkAllocations),
        Part("flow", .count, run: measureFlow),
    ])
}
