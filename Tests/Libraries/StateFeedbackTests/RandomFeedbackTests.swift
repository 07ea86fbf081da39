// Random mutations, compared with a plain model of the running effects.

import StateFeedback
import TestSupport
import Testing

@Suite struct RandomFeedbackTests {
    private struct Wishes: Equatable {
        var one: Int?
        var many: [Int] = []
    }

    @Test("After each mutation, the running effects are those that the state requests")
    func account() {
        for _ in 0..<20 {
            withSeed { random in
                var one: [Int] = []
                var many: Set<Int> = []
                var starts = 0
                let system = FeedbackSystem<Wishes, Wishes>(
                    initial: Wishes(), reduce: { $1 },
                    feedback: [
                        .react(to: { $0.one }) { query, _ in
                            one.append(query)
                            starts += 1
                            return Cancellation { one.removeAll { $0 == query } }
                        },
                        .reactToEach(of: { $0.many }) { query, _ in
                            #expect(many.insert(query).inserted)
                            return Cancellation { #expect(many.remove(query) != nil) }
                        },
                    ])
                var expectedStarts = 0
                for step in 0..<200 {
                    let before = system.state
                    let wishes = Wishes(
                        one: random.chance(0.3) ? nil : Int.random(in: 0...2, using: &random),
                        many: (0..<Int.random(in: 0...5, using: &random)).map { _ in
                            Int.random(in: 0...6, using: &random)
                        })
                    system.send(wishes)
                    if let wanted = wishes.one, wanted != before.one { expectedStarts += 1 }
                    let place: Comment = "seed \(random.seed), step \(step)"
                    #expect(one == wishes.one.map { [$0] } ?? [], place)
                    #expect(many == Set(wishes.many), place)
                    #expect(starts == expectedStarts, place)
                }
                system.stop()
                #expect(one.isEmpty && many.isEmpty)
            }
        }
    }
}
