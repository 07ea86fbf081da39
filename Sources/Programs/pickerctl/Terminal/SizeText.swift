// Sizes for people, in powers of ten.

package enum SizeText {
    private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

    /// For example "0 B", "999 B", "1.2 kB", "34 MB": two or three digits, rounded to the nearest.
    package static func text(_ bytes: Int64) -> String {
        if bytes < 0 { return "?" }
        if bytes < 1000 { return "\(bytes) B" }
        var scale: Int64 = 1000
        for (index, unit) in units.enumerated() {
            let isLast = index == units.count - 1
            // Tenths first: 9.95 is shown as 10, not as 10.0.
            let tenths = rounded(bytes, scale / 10)
            if tenths < 100 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
            let whole = rounded(bytes, scale)
            if whole < 1000 || isLast { return "\(whole) \(unit)" }
            scale *= 1000
        }
        return "\(bytes) B"
    }

    private static func rounded(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor + (value % divisor >= divisor - divisor / 2 ? 1 : 0)
    }
}
