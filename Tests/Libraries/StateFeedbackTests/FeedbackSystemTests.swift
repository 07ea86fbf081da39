// The behaviour of a system, recorded by its effects.

import StateFeedback
import Testing

/// A number, and its requests.
private struct Sum: Equatable {
    var value = 0
    var wanted: String?
    var many: [Int] = []
}

private enum Change {
    case add(Int)
    case want(String?)
    case wantMany([Int])
}

private func reduce(_ state: Sum, _ change: Change) -> Sum {
    var state = state
    switch change {
    case .add(let number): state.value += number
    case .want(let wanted): state.wanted = wanted
    case .wantMany(let many): state.many = many
    }
    return state
}

private typealias Loop = Feedback<Sum, Change>
private typealias System = FeedbackSystem<Sum, Change>

/// The recorded steps, in order, and the send functions of effects.
private final class Log {
    var lines: [String] = []
    var senders: [String: (Change) -> Void] = [:]

    func effect(_ name: String) -> (String, @escaping (Change) -> Void) -> Cancellation {
        { [unowned self] query, send in
            lines.append("\(name) starts \(query)")
            senders[query] = send
            return Cancellation { [unowned self] in lines.append("\(name) ends \(query)") }
        }
    }

    func loop(_ name: String) -> Loop { .react(to: { $0.wanted }, effect: effect(name)) }

    func take() -> [String] {
        defer { lines = [] }
        return lines
    }
}

@Suite struct FeedbackSystemTests {
    private let log = Log()

    private func makeSystem(_ feedback: [Loop]) -> System {
        System(initial: Sum(), reduce: reduce, feedback: feedback)
    }

    @Test("The state is the reducer applied to the mutations, in order")
    func states() {
        var seen: [Int] = []
        let system = makeSystem([.observe { seen.append($0.value) }])
        for number in [1, 2, 3] { system.send(.add(number)) }
        #expect(system.state.value == 6)
        #expect(seen == [0, 1, 3, 6])
    }

    @Test("An effect runs while the query has a value; equal values keep it running, nil ends it")
    func queries() {
        let system = makeSystem([log.loop("a")])
        #expect(log.take() == [])
        system.send(.want("x"))
        #expect(log.take() == ["a starts x"])
        system.send(.add(1))
        system.send(.want("x"))
        #expect(log.take() == [])
        system.send(.want("y"))
        #expect(log.take() == ["a ends x", "a starts y"])
        system.send(.want(nil))
        #expect(log.take() == ["a ends y"])
        system.send(.want(nil))
        #expect(log.take() == [])
        system.send(.want("y"))
        #expect(log.take() == ["a starts y"], "after nil, the same value starts it again")
    }

    @Test("Feedbacks receive the first state, too")
    func first() {
        var initial = Sum()
        initial.wanted = "at once"
        let system = System(initial: initial, reduce: reduce, feedback: [log.loop("a")])
        #expect(log.take() == ["a starts at once"])
        system.stop()
        #expect(log.take() == ["a ends at once"])
    }

    @Test("Effects start and end in the order in which their feedbacks were declared")
    func order() {
        let system = makeSystem([log.loop("a"), log.loop("b"), log.loop("c")])
        system.send(.want("x"))
        #expect(log.take() == ["a starts x", "b starts x", "c starts x"])
        system.send(.want("y"))
        #expect(
            log.take() == [
                "a ends x", "a starts y", "b ends x", "b starts y", "c ends x", "c starts y",
            ])
        system.stop()
        #expect(log.take() == ["a ends y", "b ends y", "c ends y"])
    }

    @Test("Mutations sent during a mutation wait until all feedbacks have received the state")
    func reentrant() {
        var seen: [String] = []
        let system = makeSystem([
            .observe { seen.append("first \($0.value)") },
            .react(to: { $0.value == 1 ? true : nil }) { _, send in
                send(.add(10))
                send(.add(100))
                seen.append("sent")
                return .none
            },
            .observe { seen.append("last \($0.value)") },
        ])
        seen = []
        system.send(.add(1))
        #expect(
            seen == [
                "first 1", "sent", "last 1", "first 11", "last 11", "first 111", "last 111",
            ])
    }

    @Test("An effect that starts with the first state may send at once")
    func atOnce() {
        let system = makeSystem([
            .react(to: { $0.value < 3 ? $0.value : nil }) { _, send in
                send(.add(1))
                return .none
            }
        ])
        #expect(system.state.value == 3)
    }

    @Test("Mutations sent by an ended effect are ignored, even during its own end")
    func late() {
        let system = makeSystem([
            log.loop("a"),
            .react(to: { $0.wanted }) { _, send in Cancellation { send(.add(1000)) } },
        ])
        system.send(.want("x"))
        let send = log.senders["x"]
        send?(.add(1))
        #expect(system.state.value == 1)
        system.send(.want("y"))
        send?(.add(1))
        #expect(system.state.value == 1)
        log.senders["y"]?(.add(1))
        #expect(system.state.value == 2)
        system.stop()
        log.senders["y"]?(.add(1))
        system.send(.add(1))
        #expect(system.state.value == 2)
    }

    @Test("An effect whose first mutation withdraws its request is ended after its start")
    func selfEnding() {
        var ends = 0
        let system = makeSystem([
            .react(to: { $0.wanted }) { _, send in
                send(.want(nil))
                return Cancellation { ends += 1 }
            }
        ])
        system.send(.want("x"))
        #expect(ends == 1)
        #expect(system.state.wanted == nil)
    }

    @Test("Of several requests, unchanged ones keep their effects")
    func many() {
        let system = makeSystem([
            .reactToEach(of: { $0.many }) { [log] number, _ in
                log.lines.append("+\(number)")
                return Cancellation { log.lines.append("-\(number)") }
            }
        ])
        system.send(.wantMany([1, 2, 2, 3]))
        #expect(log.take() == ["+1", "+2", "+3"])
        system.send(.add(1))
        #expect(log.take() == [])
        system.send(.wantMany([4, 3, 1]))
        #expect(log.take() == ["-2", "+4"])
        system.send(.wantMany([]))
        #expect(log.take() == ["-4", "-3", "-1"])
        system.send(.wantMany([1]))
        #expect(log.take() == ["+1"])
        system.stop()
        #expect(log.take() == ["-1"])
    }

    @Test("A loop that feeds itself is stopped and reported, and the system continues")
    func runaway() {
        var dropped: [Int] = []
        let system = makeSystem([
            .react(to: { $0.wanted == nil ? nil : $0.value }) { _, send in
                send(.add(1))
                return .none
            }
        ])
        system.onRunaway = { dropped.append($0) }
        system.send(.want("for ever"))
        #expect(dropped == [1])
        #expect(system.state.value == System.cascadeLimit - 1)
        system.send(.want(nil))
        system.send(.add(1))
        #expect(system.state.value == System.cascadeLimit)
        #expect(dropped == [1])
    }

    @Test("After a stop from within, later feedbacks do not receive the state")
    func stopWithin() {
        var seen = 0
        var system: System?
        system = makeSystem([
            .observe { if $0.value > 0 { system?.stop() } }, .observe { _ in seen += 1 },
        ])
        system?.send(.add(1))
        system?.send(.add(1))
        #expect(seen == 1)
        #expect(system?.state.value == 1)
    }

    @Test("A released system ends its effects and keeps nothing")
    func lifetime() {
        var system: System? = makeSystem([log.loop("a")])
        weak let weakSystem = system
        system?.send(.want("x"))
        _ = log.take()
        system = nil
        #expect(log.take() == ["a ends x"])
        #expect(weakSystem == nil)
        log.senders["x"]?(.add(1))
    }
}
