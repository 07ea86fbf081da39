internal import Glibc

/// A date and time of day, to the second. The C library counts the days.
package struct CalendarDate: Equatable {
    package var year: Int
    /// From 1.
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0

    /// Seconds of the years with four digits: 0001 to 9999.
    static let range = -62_135_596_800.0...253_402_300_799.0

    init(year: Int, month: Int = 1, day: Int = 1) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The date in a zone. Seconds are rounded down.
    package init(_ seconds: Double, in zone: CalendarZone) {
        let bounds = Self.range
        let rounded = max(bounds.lowerBound, min(seconds.rounded(.down), bounds.upperBound))
        self.init(wholeSeconds: Int(rounded), in: zone)
    }

    private init(wholeSeconds: Int, in zone: CalendarZone) {
        var time = time_t(wholeSeconds)
        var parts = unsafe tm()
        // Both pointers are to local variables that outlive the calls.
        switch zone {
        case .local: _ = unsafe localtime_r(&time, &parts)
        case .utc: _ = unsafe gmtime_r(&time, &parts)
        }
        // Plain numbers; only the pointer to the zone's name, which is not read, is unsafe.
        self.init(
            year: unsafe Int(parts.tm_year) + 1900, month: unsafe Int(parts.tm_mon) + 1,
            day: unsafe Int(parts.tm_mday))
        hour = unsafe Int(parts.tm_hour)
        minute = unsafe Int(parts.tm_min)
        second = unsafe Int(parts.tm_sec)
    }

    /// The moment at which clocks in a zone show this.
    func seconds(in zone: CalendarZone) -> Double {
        var parts = unsafe tm()
        unsafe parts.tm_year = Int32(year - 1900)
        unsafe parts.tm_mon = Int32(month - 1)
        unsafe parts.tm_mday = Int32(day)
        unsafe parts.tm_hour = Int32(hour)
        unsafe parts.tm_min = Int32(minute)
        unsafe parts.tm_sec = Int32(second)
        // The zone decides about daylight saving time.
        unsafe parts.tm_isdst = -1
        // The pointer is to a local variable that outlives the calls.
        switch zone {
        case .local: return Double(unsafe mktime(&parts))
        case .utc: return Double(unsafe timegm(&parts))
        }
    }

    package var startOfDay: CalendarDate { CalendarDate(year: year, month: month, day: day) }

    /// The start of the day that many days later.
    package func adding(days: Int) -> CalendarDate {
        let start = Int(startOfDay.seconds(in: .utc))
        return CalendarDate(wholeSeconds: start + days * 86_400, in: .utc)
    }

    /// The start of the next month.
    var nextMonth: CalendarDate {
        month == 12
            ? CalendarDate(year: year + 1) : CalendarDate(year: year, month: month + 1)
    }

    /// Whether the month has this day.
    func hasDay(_ day: Int) -> Bool {
        let first = CalendarDate(year: year, month: month)
        return day >= 1 && first.adding(days: day - 1).month == month
    }

    /// As `2026-11-21T17:30:00`.
    var text: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
            + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
    }
}
