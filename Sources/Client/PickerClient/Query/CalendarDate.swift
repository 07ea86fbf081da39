internal import Glibc

/// A date and time of day, to the second.
///
/// Days are counted with years that begin in March, so that the leap day is the last; H. Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", 2013.
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
        let whole = Int(max(bounds.lowerBound, min(seconds.rounded(.down), bounds.upperBound)))
        guard zone == .utc else {
            var time = time_t(whole)
            var parts = unsafe tm()
            // Both pointers are to local variables that outlive the call.
            _ = unsafe localtime_r(&time, &parts)
            // Plain numbers; only the pointer to the zone's name, which is not read, is unsafe.
            self.init(
                year: unsafe Int(parts.tm_year) + 1900, month: unsafe Int(parts.tm_mon) + 1,
                day: unsafe Int(parts.tm_mday))
            hour = unsafe Int(parts.tm_hour)
            minute = unsafe Int(parts.tm_min)
            second = unsafe Int(parts.tm_sec)
            return
        }
        let days = Self.quotient(whole, 86_400)
        self.init(daysSince1970: days)
        let rest = whole - days * 86_400
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    private init(daysSince1970 days: Int) {
        // Counted from 0000-03-01, in eras of 400 years.
        let days = days + 719_468
        let era = Self.quotient(days, 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * fromMarch + 2) / 5 + 1
        month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    private static func quotient(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : (value - divisor + 1) / divisor
    }

    package var daysSince1970: Int {
        let year = month <= 2 ? year - 1 : year
        let era = Self.quotient(year, 400)
        let yearOfEra = year - era * 400
        let fromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * fromMarch + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// The moment at which clocks in a zone show this.
    func seconds(in zone: CalendarZone) -> Double {
        guard zone == .local else {
            return Double(daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second)
        }
        var parts = unsafe tm()
        unsafe parts.tm_year = Int32(year - 1900)
        unsafe parts.tm_mon = Int32(month - 1)
        unsafe parts.tm_mday = Int32(day)
        unsafe parts.tm_hour = Int32(hour)
        unsafe parts.tm_min = Int32(minute)
        unsafe parts.tm_sec = Int32(second)
        // The zone decides about daylight saving time.
        unsafe parts.tm_isdst = -1
        // The pointer is to a local variable that outlives the call.
        return Double(unsafe mktime(&parts))
    }

    var startOfDay: CalendarDate { CalendarDate(year: year, month: month, day: day) }

    /// The start of the day that many days later.
    func adding(days: Int) -> CalendarDate {
        CalendarDate(daysSince1970: daysSince1970 + days)
    }

    /// The start of the next month.
    func adding(months: Int) -> CalendarDate {
        let count = year * 12 + month - 1 + months
        let year = Self.quotient(count, 12)
        return CalendarDate(year: year, month: count - year * 12 + 1)
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
