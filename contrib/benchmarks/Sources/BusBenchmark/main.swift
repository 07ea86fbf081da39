// The cost of sending an event on a DataBus, compared with the simplest replacement.
// `BusBenchmark [--check] [PART…]`: counts, speed, or both.

import CAllocations
import Measuring

let lengths = [5, 65_536]

/// Allocations per send, once all buffers have grown.
func countAllocations(into received: Received) -> Bool {
    let thresholds = Thresholds("bus")
    for scenario in scenarios(into: received) {
        for length in lengths {
            let send = scenario.prepare(length)
            for number in 0..<200_000 { send(number) }
            let before = allocation_count()
            for number in 0..<100_000 { send(number) }
            thresholds.hold(
                Double(allocation_count() - before) / 100_000,
                "allocations: \(scenario.name), a buffer of \(length)")
        }
    }
    return thresholds.areKept()
}

func measureSpeed(into received: Received) {
    print("Processor time for each send, a million sends; median of 7 runs [least…most]")
    for length in lengths {
        print("with a buffer of \(length)")
        for scenario in scenarios(into: received) {
            let send = scenario.prepare(length)
            for number in 0..<200_000 { send(number) }
            let runs = (0..<7).map { _ in
                seconds { for number in 0..<1_000_000 { send(number) } } * 1e3
            }
            report(scenario.name, runs, unit: "ns", bound: scenario.bound)
        }
    }
    // The received events are used, so no send can be optimized away.
    precondition(received.sum != 0)
}

let received = Received()
try run([
    Part("counts", .count) { countAllocations(into: received) },
    Part("speed") { measureSpeed(into: received) },
])
