import PickerClient
import SystemInterface
import TerminalCells

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

    /// Describes lost events. `mayConcernOthers` is whether the numbers may be of topics that were not
    /// requested.
    static func text(_ loss: EventLoss, mayConcernOthers: Bool) -> String {
        let events = loss.count == 1 ? "1 event" : "\(loss.count) events"
        let lost = "\(mayConcernOthers ? "up to " : "")\(events) lost (\(places(of: loss)))"
        switch loss.reason {
        case .notKept: return "\(lost): the daemon does not have them any more"
        case .told(let reason): return "\(lost): \(reason)"
        case .newEpoch(let before):
            let text =
                "the daemon's events were begun anew: those after \(before), if any, are lost, "
                + "and some that are kept may come again"
            guard let epoch = loss.position?.epoch, loss.count > 0 else { return text }
            return "\(text); in the new epoch \(epoch) \(lost)"
        }
    }

    private static func places(of loss: EventLoss) -> String {
        var places: [String] = []
        if let numbers = loss.numbers {
            places.append(
                numbers.count == 1
                    ? "number \(numbers.lowerBound)"
                    : "numbers \(numbers.lowerBound) to \(numbers.upperBound)")
        }
        if loss.gaps > 0 { places.append("\(loss.gaps) further on") }
        return places.joined(separator: ", ")
    }
}
