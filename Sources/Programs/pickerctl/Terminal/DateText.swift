package import PickerClient

// Dates in words, in the local time zone.

package struct DateText {
    /// The precision of recent times.
    package enum Style {
        /// "5 min ago": true when it is printed.
        case relative
        /// "today 14:02": true until the end of the day, for text that stays on the screen.
        case clock
    }

    private let now: Double
    private let zone: CalendarZone
    private let style: Style
    private let today: CalendarDate
    private let yesterday: CalendarDate

    /// Texts as of `now`, in seconds since 1970.
    package init(now: Double, zone: CalendarZone = .local, style: Style = .relative) {
        self.now = now
        self.zone = zone
        self.style = style
        today = Self.date(now, zone).startOfDay
        yesterday = today.adding(days: -1)
    }

    private static func date(_ seconds: Double, _ zone: CalendarZone) -> CalendarDate {
        // From the year 68 to 9892: beyond that, the time of a file is invalid anyway.
        CalendarDate(max(-60_000_000_000, min(seconds, 250_000_000_000)), in: zone)
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
        let date = Self.date(seconds, zone)
        switch date.startOfDay {
        case today: return "today \(date.clock)"
        case yesterday: return "yesterday \(date.clock)"
        default: return date.year == today.year ? date.dayAndMonth : date.yearMonthDay
        }
    }

    /// The time of day, with the date in front if it is not today.
    package func time(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let date = Self.date(seconds, zone)
        let isToday = date.startOfDay == today
        return (isToday ? "" : "\(date.yearMonthDay) ") + date.clockWithSeconds
    }
}

extension CalendarDate {
    fileprivate var clock: String { "\(Self.twoDigits(hour)):\(Self.twoDigits(minute))" }
    fileprivate var clockWithSeconds: String { "\(clock):\(Self.twoDigits(second))" }
    fileprivate var yearMonthDay: String {
        "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))"
    }
    fileprivate var dayAndMonth: String { "\(day) \(Self.months[month - 1])" }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
