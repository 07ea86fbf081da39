import PickerClient
import SystemInterface

/// An event as a line for people.
enum EventLine {
    static func orAll(_ topics: [String]) -> [String] { topics.isEmpty ? ["*"] : topics }

    static func text(_ event: ReceivedEvent, _ palette: Palette) -> String {
        let time = DateText(now: SystemClock.wallSeconds()).time(event.time)
        let topic = VisibleText.escaping(event.topic)
        guard let data = event.data else { return "\(palette.dim(time))  \(palette.cyan(topic))" }
        let column = palette.cyan(DisplayWidth.padding(topic, to: 18))
        return "\(palette.dim(time))  \(column)  \(VisibleText.escaping(json: data.text))"
    }

    /// What happened to events that will not come. `mayConcernOthers` is whether the numbers may be
    /// of topics that nobody asked for.
    static func text(_ loss: EventLoss, mayConcernOthers: Bool) -> String {
        let numbers = loss.numbers.map { numbers in
            let events = numbers.count == 1 ? "1 event" : "\(numbers.count) events"
            let range =
                numbers.count == 1
                ? "number \(numbers.lowerBound)"
                : "numbers \(numbers.lowerBound) to \(numbers.upperBound)"
            return "\(mayConcernOthers ? "up to " : "")\(events) lost (\(range))"
        }
        switch loss.reason {
        case .notKept: return "\(numbers ?? "events lost"): the daemon keeps them no longer"
        case .told(let reason): return "\(numbers ?? "events lost"): \(reason)"
        case .newEpoch(let before):
            let text =
                "the daemon's events were begun anew: those after \(before), if any, are lost"
            guard let epoch = loss.position?.epoch, let numbers else { return text }
            return "\(text), and in the new epoch \(epoch) \(numbers)"
        }
    }
}
