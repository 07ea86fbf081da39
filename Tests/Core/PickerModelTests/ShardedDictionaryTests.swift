import TestSupport
import Testing

@testable import PickerModel

@Suite("A dictionary in parts")
struct ShardedDictionaryTests {
    @Test("After every random step it has what a dictionary has")
    func randomSteps() {
        withSeed { random in
            for keys in [1, 10, 3000] {
                var sharded = ShardedDictionary<String, Int>()
                var plain: [String: Int] = [:]
                for step in 0..<4000 {
                    let key = "k\(Int.random(in: 0..<keys, using: &random))"
                    let value = random.chance(0.4) ? nil : step
                    sharded[key] = value
                    plain[key] = value
                    #expect(sharded[key] == value && sharded.count == plain.count)
                    #expect(sharded.isEmpty == plain.isEmpty)
                    let other = "k\(Int.random(in: 0..<keys, using: &random))"
                    guard sharded[other] == plain[other] else {
                        Issue.record("\(other), step \(step): seed \(random.seed)")
                        return
                    }
                }
                for (key, value) in plain { #expect(sharded[key] == value) }
            }
        }
    }

    @Test("No step moves more than a small part of all, however many there are")
    func growth() {
        var sharded = ShardedDictionary<Int, Int>()
        var most = 0
        for key in 0..<100_000 { most = max(most, Cost.of { sharded[key] = key }.bytes) }
        // A whole dictionary of these takes more than two million bytes.
        #expect(most < 100_000, "one step took \(most) bytes")
        #expect(sharded.count == 100_000)
    }

    @Test("All keys go part by part, of which none has more than a small part of all")
    func removal() {
        var sharded = ShardedDictionary<Int, Int>()
        for key in 0..<50_000 { sharded[key] = key }
        var count = sharded.count
        while true {
            let isEmpty = sharded.removePart()
            #expect(count - sharded.count < 1_000)
            #expect(isEmpty == (sharded.count == 0))
            count = sharded.count
            if isEmpty { break }
        }
        #expect(sharded[7] == nil)
        sharded[7] = 1
        #expect(sharded.count == 1)
    }
}
