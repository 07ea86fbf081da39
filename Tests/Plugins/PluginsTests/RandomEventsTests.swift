// Random operations on subscriptions, compared with the list of sent events.

import DataBus
import JSONText
import TestSupport
import Testing
import WireProtocol

@Suite struct RandomEventsTests {
    private static let rounds = testRounds(60)

    @Test("after random operations each subscription got its events and losses exactly")
    func randomRounds() throws {
        try withSeed { random in
            for round in 0..<Self.rounds {
                var run = try RandomEvents(&random)
                for step in 0..<Int.random(in: 20...120, using: &random) {
                    try run.step(&random)
                    if run.isSound { continue }
                    Issue.record("seed \(random.seed): round \(round), step \(step) went wrong")
                    return
                }
            }
        }
    }
}

/// An event of the daemon's own that clients are not sent.
private struct Internal: Event {
    let topic = "a.x"
}

/// Some clients with some subscriptions on one bus.
private struct RandomEvents {
    private static let filters: [[String]] = [
        ["*"], ["a.*"], ["a.x", "b"], ["*", "!a.*"], ["a.*", "!a.x"], ["b.*", "b"], ["b", "b.*"],
    ]
    private static let topics = ["a", "a.x", "a.y.z", "b", "b.q"]

    private let run: EventRun
    private let clients: [FakeSession]
    private var open: [[RequestID: SubscriptionModel]]
    private var log: SentLog
    private var replayCount = 65_536
    private var lastID: Int64 = 0
    private(set) var isSound = true

    init(_ random: inout SeededRandom) throws {
        run = try Self.restarted(&random)
        log = SentLog(of: run.bus)
        clients = (0..<3).map { [run] _ in run.connect() }
        open = clients.map { _ in [:] }
    }

    /// A run with some events of earlier ones, of which some are missing.
    private static func restarted(_ random: inout SeededRandom) throws -> EventRun {
        var run = try EventRun()
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            try run.publish("a.x", Int.random(in: 0...6, using: &random))
            #expect(run.store())
            try run.publish("b", Int.random(in: 0...6, using: &random))
            run = try EventRun(run.killed())
        }
        return run
    }

    private mutating func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        guard isSound, !condition else { return }
        isSound = false
        Issue.record(Comment(rawValue: what()))
    }

    mutating func step(_ random: inout SeededRandom) throws {
        let client = Int.random(in: 0..<clients.count, using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0..<10:
            for _ in 0..<Int.random(in: 1...4, using: &random) { try publish(&random) }
        case 10:
            // More than are kept in the form in which they are sent.
            if random.chance(0.1) { for _ in 0..<1500 { try publish(&random) } }
        case 11..<16: try subscribe(client, &random)
        case 16..<18: try unsubscribe(client, &random)
        case 18..<21: read(client, lines: Int.random(in: 0...6, using: &random))
        case 21..<26: read(client, lines: .max)
        case 26: leave(client)
        case 27: try changeLimits(&random)
        case 28:
            run.bus << Internal()
            // Whatever its topic, it is nothing to send, and wakes nobody.
            log.append("a.x")
            log.hideLast()
        default: run.loop.advance(by: .milliseconds(300))
        }
        for client in clients.indices {
            for (id, model) in open[client] {
                expect(
                    clients[client].isWanting(id) != model.isSatisfied,
                    "\(id) of client \(client) was \(model.isSatisfied ? "woken for nothing" : "not woken")"
                )
            }
        }
    }

    private mutating func wasSent(_ topic: String) {
        log.append(topic)
        for client in open.indices {
            for id in open[client].keys { open[client][id]?.wasSent(log.last, in: log) }
        }
    }

    private mutating func publish(_ random: inout SeededRandom) throws {
        let topic = Self.topics.randomElement(using: &random) ?? "a"
        expect(try run.publish(topic) == log.last + 1, "the wrong number was given")
        wasSent(topic)
    }

    private mutating func changeLimits(_ random: inout SeededRandom) throws {
        if random.chance(0.5) {
            replayCount = Int.random(in: 0...50, using: &random)
            try run.offer(replayCount)
        }
        run.bus.limits.count = Int.random(in: 0...60, using: &random)
        if random.chance(0.3) { run.bus.limits.bytes = Int.random(in: 0...10_000, using: &random) }
        if random.chance(0.4) { run.bus.limits = .init(count: 3000) }
    }

    private mutating func leave(_ client: Int) {
        for id in open[client].keys { clients[client].close(id) }
        open[client] = [:]
    }

    private mutating func unsubscribe(_ client: Int, _ random: inout SeededRandom) throws {
        guard let id = open[client].keys.min(by: { "\($0)" < "\($1)" }) else { return }
        _ = try clients[client].call("events.unsubscribe", ["sub": id.value]).get()
        open[client][id] = nil
    }

    // MARK: Reading

    /// One client takes so many lines at most.
    private mutating func read(_ client: Int, lines limit: Int) {
        let due = open[client].mapValues { [log, run] in
            $0.due(log, oldest: run.bus.oldestSequence)
        }
        var given: [RequestID: [SubscriptionModel.Line]] = [:]
        let lines = clients[client].read(lines: limit)
        for line in lines {
            guard let id = line["params"]?["sub"].flatMap({ RequestID(JSONView($0)) }),
                let line = SubscriptionModel.Line(line)
            else { return expect(false, "\(line) is no line of a subscription") }
            given[id, default: []].append(line)
        }
        let total = due.values.reduce(0) { $0 + $1.count }
        expect(
            lines.count == min(limit, total),
            "\(lines.count) of \(total) lines came, \(limit) asked")
        for (id, lines) in given {
            expect(
                lines == due[id].map { Array($0.prefix(lines.count)) },
                "\(id) was sent \(lines), and due was \(due[id] ?? [])")
        }
        for (id, due) in due {
            // Where the room ends with the last line, what follows unwanted may have been looked at or not.
            let isUnsure = lines.count == limit && clients[client].isWanting(id)
            let count = given[id]?.count ?? 0
            open[client][id]?.wasGiven(count, of: due, hasSeenAll: count == due.count && !isUnsure)
        }
    }

    // MARK: Subscribing

    private mutating func subscribe(_ client: Int, _ random: inout SeededRandom) throws {
        lastID += 1
        // Some ask for an id that is taken, and nothing may come of it.
        let taken = random.chance(0.1) ? open[client].keys.first : nil
        let id = taken ?? .integer(lastID)
        let patterns = Self.filters.randomElement(using: &random) ?? ["*"]
        var params: JSONObject = ["topics": .array(patterns.map { JSONValue($0) })]
        let kept = (1...max(1, log.last)).filter { run.bus.kept(sequence: $0) != nil }
        let offered = kept.filter { $0 > log.last - replayCount }
        var start = log.last + 1
        var lost = 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let count = Int.random(in: 0...20, using: &random)
            params["replay"] = JSONValue(count)
            start = offered.filter { log.wants(patterns, $0) }.suffix(count).first ?? start
        case 1:
            let isForeign = random.chance(0.2)
            let since = Int.random(in: max(0, log.last - 80)...log.last, using: &random)
            params["since"] = JSONValue("\(isForeign ? "foreign" : "e"):\(since)")
            let after = isForeign ? 0 : since
            let had = offered.filter { $0 > after }
            start = had.first ?? start
            lost = log.last - after - had.count
        default: break
        }
        let answer = clients[client].call("events.subscribe", .object(params), id: id)
        guard taken == nil else {
            return expect((try? answer.get()) == nil, "\(id) was opened twice")
        }
        let result = try answer.get()
        expect(
            result["from"] == JSONValue(start) && result["lost"] == JSONValue(lost),
            "\(params) answered \(result), not from \(start) with \(lost) lost")
        open[client][id] = SubscriptionModel(patterns, from: start, in: log)
    }
}
