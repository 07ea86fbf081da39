internal import PickerClient

/// How sizes and dates are written.
package struct PickTexts {
    /// Of a number of bytes.
    package var size: (Int64) -> String
    /// Of seconds since 1970.
    package var date: (Double) -> String

    package init(size: @escaping (Int64) -> String, date: @escaping (Double) -> String) {
        self.size = size
        self.date = date
    }

    /// Plain numbers, and days of the universal time.
    package static var plain: PickTexts {
        PickTexts(size: { "\($0)" }, date: { day($0) })
    }

    private static func day(_ seconds: Double) -> String {
        guard seconds.isFinite else { return "?" }
        let date = CalendarDate(seconds, in: .utc)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
}
