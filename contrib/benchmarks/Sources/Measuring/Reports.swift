// The output of the benchmarks: a line for each figure, with its bound.

import Glibc

/// Prints one line: the measurement, the median of the runs with the least and the most, the bound, and
/// whether it was kept. A missed bound of a time is marked, but no failure: the machine may be slower, or busy.
package func report(_ name: String, _ runs: [Double], unit: String, bound: Double? = nil) {
    let sorted = runs.sorted()
    let median = sorted[sorted.count / 2]
    let spread = "[\(number(sorted[0]))…\(number(sorted[sorted.count - 1]))]"
    print(
        pad(name, to: 66) + pad(number(median) + " " + unit, to: 14) + pad(spread, to: 22)
            + verdict(median, atMost: bound, otherwise: "MISSED"))
}

/// Prints one line: the measurement, the figure, and the bound.
package func report(_ name: String, _ value: Double, unit: String, bound: Double? = nil) {
    print(
        pad(name, to: 66) + pad(number(value) + " " + unit, to: 14)
            + verdict(value, atMost: bound, otherwise: "MISSED"))
}

/// Prints one line, and returns whether the value is within the bound. Use it for values that are the same on every
/// machine: a missed bound is a failure.
package func check(_ name: String, _ value: Double, atMost bound: Double) -> Bool {
    print(
        pad(name, to: 66) + pad(number(value), to: 14)
            + verdict(value, atMost: bound, otherwise: "FAILED"))
    return value <= bound
}

private func verdict(_ value: Double, atMost bound: Double?, otherwise: String) -> String {
    guard let bound else { return "" }
    return value <= bound ? "≤ \(number(bound))" : "> \(number(bound)) \(otherwise)"
}

package func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// Formats with three significant digits, and integers below a million unchanged.
package func number(_ value: Double) -> String {
    guard value.isFinite else { return "\(value)" }
    if value == value.rounded(), abs(value) < 1e6 { return "\(Int(value))" }
    if abs(value) < 1e-3 || abs(value) >= 1e6 {
        let exponent = Int(log10(abs(value)).rounded(.down))
        return "\((value / pow(10, Double(exponent)) * 100).rounded() / 100)e\(exponent)"
    }
    let digits = 2 - log10(abs(value)).rounded(.down)
    if digits <= 0 { return "\(Int(value.rounded()))" }
    let scale = pow(10, digits)
    return "\((value * scale).rounded() / scale)"
}
