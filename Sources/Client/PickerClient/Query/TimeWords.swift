/// The time zone of dates.
public enum CalendarZone: Hashable, Sendable {
    /// The zone of the TZ variable or of the system.
    case local
    /// Coordinated Universal Time.
    case utc
}

/// Ages and dates in a query's text.
enum TimeWords {
    /// A moment, or a range of time.
    struct Span {
        let start: Double
        /// The first moment after it; nil for just the moment `start`.
        let end: Double?

        /// Documents changed in this span.
        var filter: PickerFilter {
            guard let end else { return .modified(.equal, start) }
            return .modified(.atLeast, start) && .modified(.less, end)
        }

        /// Documents whose attribute, a time, compares so with this span.
        func filter(of name: String, _ comparison: PickerFilter.Comparison) -> PickerFilter {
            func at(_ comparison: PickerFilter.Comparison, _ time: Double) -> PickerFilter {
                .attribute(name, comparison, AttributeValue(time))
            }
            guard let end else { return at(comparison, start) }
            switch comparison {
            case .equal: return at(.atLeast, start) && at(.less, end)
            case .notEqual: return at(.less, start) || at(.atLeast, end)
            case .greater: return at(.atLeast, end)
            case .atLeast: return at(.atLeast, start)
            case .less: return at(.less, start)
            case .atMost: return at(.less, end)
            }
        }

        /// Documents changed after this span.
        var isAfter: PickerFilter {
            end.map { .modified(.atLeast, $0) } ?? .modified(.greater, start)
        }
    }

    private static let ageUnits: [(name: String, seconds: Double)] = [
        ("min", 60), ("mo", 30 * 86_400), ("s", 1), ("h", 3600), ("d", 86_400), ("w", 7 * 86_400),
        ("y", 365 * 86_400),
    ]

    /// The seconds that `7d` stands for. A month has 30 days and a year 365.
    static func age(_ text: String) -> Double? {
        guard let unit = ageUnits.first(where: { text.hasSuffix($0.name) }) else { return nil }
        guard let count = number(text.dropLast(unit.name.count), digits: 1...9) else { return nil }
        return Double(count) * unit.seconds
    }

    /// The span of a date: a year, a month, a day, or a moment of a day.
    static func span(_ text: String, now: Timestamp, in zone: CalendarZone) -> Span? {
        if text.hasPrefix("@") {
            guard let seconds = Double(text.dropFirst()), seconds.isFinite else { return nil }
            return Span(start: seconds, end: nil)
        }
        if text == "today" || text == "yesterday" {
            var day = CalendarDate(now.seconds, in: zone).startOfDay
            if text == "yesterday" { day = day.adding(days: -1) }
            return Span(
                start: day.seconds(in: zone), end: day.adding(days: 1).seconds(in: zone))
        }
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard let date = halves.first, halves.count <= 2 else { return nil }
        let parts = date.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 3, let year = number(parts[0], digits: 4...4) else { return nil }
        var start = CalendarDate(year: year)
        var end = CalendarDate(year: year + 1)
        if parts.count > 1 {
            guard let month = number(parts[1], digits: 2...2), 1...12 ~= month else { return nil }
            start.month = month
            end = start.nextMonth
        }
        if parts.count > 2 {
            guard let day = number(parts[2], digits: 2...2), start.hasDay(day) else { return nil }
            start.day = day
            end = start.adding(days: 1)
        }
        guard halves.count == 2 else {
            return Span(start: start.seconds(in: zone), end: end.seconds(in: zone))
        }
        return parts.count == 3 ? moment(of: start, halves[1], in: zone) : nil
    }

    /// A moment of a day: hours and minutes, and optionally seconds, a fraction of them, and `Z`.
    private static func moment(
        of day: CalendarDate, _ time: Substring, in zone: CalendarZone
    ) -> Span? {
        let isUTC = time.hasSuffix("Z")
        let parts = (isUTC ? time.dropLast() : time)
            .split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count,
            let hour = number(parts[0], digits: 2...2), hour < 24,
            let minute = number(parts[1], digits: 2...2), minute < 60
        else { return nil }
        var date = day
        (date.hour, date.minute) = (hour, minute)
        var fraction = 0.0
        if parts.count == 3 {
            let pieces = parts[2].split(separator: ".", omittingEmptySubsequences: false)
            guard let second = number(pieces[0], digits: 2...2), second < 60, pieces.count <= 2
            else { return nil }
            date.second = second
            if pieces.count == 2 {
                guard number(pieces[1], digits: 1...9) != nil,
                    let value = Double("0." + pieces[1])
                else { return nil }
                fraction = value
            }
        }
        return Span(start: date.seconds(in: isUTC ? .utc : zone) + fraction, end: nil)
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        return Int(text)
    }

    /// The moment as text: a date and a time in UTC if it is whole, else seconds since 1970.
    static func text(_ seconds: Double) -> String {
        let isDate = seconds == seconds.rounded() && CalendarDate.range.contains(seconds)
        return isDate ? CalendarDate(seconds, in: .utc).text + "Z" : "@\(seconds)"
    }
}
