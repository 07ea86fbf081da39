import Glibc

// Dates in words, in the local time zone.

package struct DateText {
    /// The time zone.
    package enum Zone {
        /// As the TZ variable or the system says.
        case local
        case utc
    }

    /// The precision of recent times.
    package enum Style {
        /// "5 min ago": true when it is printed.
        case relative
        /// "today 14:02": true until the end of the day, for text that stays on the screen.
        case clock
    }

    private let now: Double
    private let zone: Zone
    private let style: Style
    private let today: CalendarMoment

    /// Texts as of `now`, in seconds since 1970.
    package init(now: Double, zone: Zone = .local, style: Style = .relative) {
        self.now = now
        self.zone = zone
        self.style = style
        today = CalendarMoment(now, zone)
    }

    /// For example "just now", "5 min ago", "today 09:30", "yesterday 14:02", "12 Mar",
    /// "2024-03-12".
    package func text(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let age = now - seconds
        if style == .relative, age > -60 {
            if age < 60 { return "just now" }
            if age < 3600 { return "\(Int(age / 60)) min ago" }
        }
        let moment = CalendarMoment(seconds, zone)
        switch today.dayNumber - moment.dayNumber {
        case 0: return "today \(moment.clock)"
        case 1: return "yesterday \(moment.clock)"
        default: return moment.year == today.year ? moment.dayAndMonth : moment.date
        }
    }

    /// The time of day, with the date in front if it is not today.
    package func time(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let moment = CalendarMoment(seconds, zone)
        let isToday = moment.dayNumber == today.dayNumber
        return (isToday ? "" : "\(moment.date) ") + moment.clockWithSeconds
    }
}

/// A moment as local date and time.
private struct CalendarMoment {
    let year: Int
    /// From 1.
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    init(_ seconds: Double, _ zone: DateText.Zone) {
        // Beyond this the year does not fit; such a file time is invalid anyway.
        let whole = max(-60_000_000_000, min(seconds.rounded(.down), 250_000_000_000))
        var time = time_t(whole)
        var parts = unsafe tm()
        // Both pointers are to local variables that outlive the calls; the result is `parts`.
        switch zone {
        case .local: _ = unsafe localtime_r(&time, &parts)
        case .utc: _ = unsafe gmtime_r(&time, &parts)
        }
        // Plain numbers; only the pointer to the zone's name, which is not read, is unsafe.
        year = unsafe Int(parts.tm_year) + 1900
        month = unsafe Int(parts.tm_mon) + 1
        day = unsafe Int(parts.tm_mday)
        hour = unsafe Int(parts.tm_hour)
        minute = unsafe Int(parts.tm_min)
        second = unsafe Int(parts.tm_sec)
    }

    /// A day number, so that consecutive days differ by one.
    var dayNumber: Int {
        // Years start in March, so that the leap day is the last day.
        let fromMarch = month > 2 ? month - 3 : month + 9
        let year = month > 2 ? year : year - 1
        func quotient(_ divisor: Int) -> Int {
            year >= 0 ? year / divisor : (year - divisor + 1) / divisor
        }
        let leapDays = quotient(4) - quotient(100) + quotient(400)
        return year * 365 + leapDays + (fromMarch * 153 + 2) / 5 + day
    }

    var clock: String { "\(Self.twoDigits(hour)):\(Self.twoDigits(minute))" }
    var clockWithSeconds: String { "\(clock):\(Self.twoDigits(second))" }
    var date: String { "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))" }
    var dayAndMonth: String { "\(day) \(Self.months[month - 1])" }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
