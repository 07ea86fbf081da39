// A model of what a subscriber must get, computed from the list of all sent events.

import DataBus
import JSONText

/// All that was sent on a bus, by number. A number that is missing from an earlier run has no event.
struct SentLog {
    /// The topics, the first of them of event 1; nil for what no client can be sent.
    private(set) var topics: [String?] = []
    /// Numbers without events.
    private(set) var gaps: Set<Int> = []

    /// What a bus begins with.
    init(of bus: EventBus) {
        for number in 0..<bus.lastSequence {
            let kept = bus.kept(sequence: number + 1)
            topics.append(kept?.event.topic)
            if kept == nil { gaps.insert(number + 1) }
        }
    }

    var last: Int { topics.count }

    mutating func append(_ topic: String) { topics.append(topic) }

    /// The last is nothing that clients are sent.
    mutating func hideLast() { topics[topics.count - 1] = nil }

    func wants(_ patterns: [String], _ number: Int) -> Bool {
        guard let topic = topics[number - 1] else { return false }
        func fits(_ pattern: Substring) -> Bool {
            if pattern == "*" { return true }
            return pattern.hasSuffix(".*") ? topic.hasPrefix(pattern.dropLast()) : topic == pattern
        }
        let wanted = patterns.contains { !$0.hasPrefix("!") && fits($0[...]) }
        return wanted && !patterns.contains { $0.hasPrefix("!") && fits($0.dropFirst()) }
    }
}

/// One subscription: its received and its next lines.
struct SubscriptionModel {
    enum Line: Equatable {
        case event(Int, replayed: Bool)
        case lost(Int, Int)

        var numbers: ClosedRange<Int> {
            switch self {
            case .event(let number, _): number...number
            case .lost(let first, let last): first...last
            }
        }
    }

    let patterns: [String]
    let replayedUpTo: Int
    /// The first number that has not been sent, passed over or told as lost.
    private(set) var next: Int
    /// It has had all; what comes unwanted is passed over, whether it is still kept or not.
    private(set) var isSatisfied: Bool

    init(_ patterns: [String], from next: Int, in log: SentLog) {
        self.patterns = patterns
        self.next = next
        replayedUpTo = log.last
        isSatisfied = next > log.last
    }

    /// Event `number` was sent.
    mutating func wasSent(_ number: Int, in log: SentLog) {
        guard isSatisfied, log.wants(patterns, number) else { return }
        isSatisfied = false
        next = number
    }

    /// The lines that it is due, while the events from `oldest` on are kept.
    func due(_ log: SentLog, oldest: Int) -> [Line] {
        if isSatisfied { return [] }
        var lines: [Line] = []
        let lost = (next..<max(next, oldest)).filter { !log.gaps.contains($0) }
        var start = lost.startIndex
        for index in lost.indices where index + 1 == lost.count || lost[index + 1] > lost[index] + 1
        {
            lines.append(.lost(lost[start], lost[index]))
            start = index + 1
        }
        for number in max(next, oldest)..<max(next, oldest, log.last + 1)
        where log.wants(patterns, number) {
            lines.append(.event(number, replayed: number <= replayedUpTo))
        }
        return lines
    }

    /// It has been sent the first `count` of `due`, and with `hasSeenAll` has looked at all that is there.
    mutating func wasGiven(_ count: Int, of due: [Line], hasSeenAll: Bool) {
        if hasSeenAll { isSatisfied = true }
        guard !isSatisfied, count > 0 else { return }
        // What is not wanted before the next line has been passed over.
        next =
            count < due.count
            ? due[count].numbers.lowerBound : due[count - 1].numbers.upperBound + 1
    }
}

extension SubscriptionModel.Line {
    /// The line that was sent; nil if it is none of a subscription.
    init?(_ line: JSONValue) {
        let params = line["params"]
        if line["method"] == "$/lost", let from = params?["from"]?.integerValue,
            let last = params?["to"]?.integerValue
        {
            self = .lost(Int(from), Int(last))
        } else if line["method"] == "event", let number = params?["seq"]?.integerValue {
            self = .event(Int(number), replayed: params?["replayed"] == true)
        } else {
            return nil
        }
    }
}
