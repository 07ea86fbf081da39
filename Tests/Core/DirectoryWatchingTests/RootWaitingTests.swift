// Roots that wait for names, without a kernel, compared with a plain list.

import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Roots that wait")
struct RootWaitingTests {
    @Test("Random roots wait, get events and stop as in a plain list")
    func random() {
        withSeed { random in
            let roots = (0..<5).map { WatchedRoot(path: [UInt8($0)]) }
            var plain: [(watch: Int32, name: [UInt8])?] = roots.map { _ in nil }
            var line: [Int] = []
            var waiting = RootWaiting()
            for step in 0..<2000 {
                let index = Int.random(in: 0..<roots.count, using: &random)
                let watch = Int32.random(in: 1...3, using: &random)
                let name = [UInt8.random(in: 0..<3, using: &random)]
                func isUsed(_ watch: Int32) -> Bool { plain.contains { $0?.watch == watch } }
                switch Int.random(in: 0..<6, using: &random) {
                case 0...1:
                    if plain[index] != nil { break }
                    waiting.wait(roots[index], for: name, on: watch)
                    plain[index] = (watch, name)
                case 2:
                    let former = plain[index]?.watch
                    plain[index] = nil
                    let unused = waiting.stop(roots[index])
                    #expect(unused == former.flatMap { isUsed($0) ? nil : $0 }, "step \(step)")
                case 3:
                    // For the folder itself, or for a name in it.
                    let heard = random.chance(0.3) ? [] : name
                    waiting.handleEvent(for: heard, on: watch)
                    for (index, plain) in plain.enumerated()
                    where plain?.watch == watch && (heard.isEmpty || plain?.name == heard) {
                        if !line.contains(index) { line.append(index) }
                    }
                case 4:
                    if !random.chance(0.3) { break }
                    waiting.end(watch)
                    for index in plain.indices where plain[index]?.watch == watch {
                        plain[index] = nil
                    }
                default:
                    waiting.queueProbes(of: [roots[index]])
                    if !line.contains(index) { line.append(index) }
                }
                for watch in 1...3 as ClosedRange<Int32> {
                    #expect(waiting.isUsed(watch) == isUsed(watch), "step \(step)")
                }
                #expect(waiting.isQueueEmpty == line.isEmpty, "step \(step)")
                if random.chance(0.1) {
                    // Roots queued by one event are in no defined order.
                    let taken = waiting.takeQueue().map { Int($0.path[0]) }
                    #expect(Set(taken) == Set(line) && taken.count == line.count, "step \(step)")
                    line = []
                }
                waiting.checkInvariants()
            }
        }
    }
}
