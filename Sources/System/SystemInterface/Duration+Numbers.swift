// Durations as plain numbers.

extension Duration {
    /// In nanoseconds, rounded towards zero; saturates out of range.
    package var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, tooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        if !tooMuch, !overflow { return sum }
        return seconds < 0 ? .min : .max
    }

    /// In seconds, for people and statistics.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
