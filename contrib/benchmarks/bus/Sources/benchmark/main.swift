// What sending an event on a DataBus costs, beside the plainest thing that could take its place.
// `benchmark [PART…]`: counts, speed, or both.

internal import CAllocations
import Foundation

let lengths = [5, 65_536]

/// Allocations for each send, once all has its size.
func measureCounts(into received: Received) {
    print("Allocations for each send, counted over 100,000")
    for scenario in scenarios(into: received) {
        var line = pad(scenario.name, to: 40)
        for length in lengths {
            let send = scenario.prepare(length)
            for number in 0..<200_000 { send(number) }
            let before = allocation_count()
            for number in 0..<100_000 { send(number) }
            let perSend = Double(allocation_count() - before) / 100_000
            line += pad("ring of \(length): \(number(perSend))", to: 26)
        }
        print(line)
    }
}

func measureSpeed(into received: Received) {
    print("Processor time for each send, a million sends; median of 7 runs [least…most]")
    for length in lengths {
        print("with a ring of \(length)")
        for scenario in scenarios(into: received) {
            let send = scenario.prepare(length)
            for number in 0..<200_000 { send(number) }
            let runs = (0..<7).map { _ in
                seconds { for number in 0..<1_000_000 { send(number) } } * 1e3
            }
            report(scenario.name, runs, unit: "ns", target: scenario.target)
        }
    }
}

let parts: [(name: String, run: (Received) -> Void)] = [
    ("counts", measureCounts(into:)), ("speed", measureSpeed(into:)),
]
let names = CommandLine.arguments.dropFirst()
for name in names where !parts.contains(where: { $0.name == name }) {
    print("There is no part '\(name)': name some of \(parts.map(\.name).joined(separator: ", ")).")
    exit(2)
}
let received = Received()
for part in parts where names.isEmpty || names.contains(part.name) { part.run(received) }
precondition(received.sum != 0)
