import Glibc

/// The processor time of `body` in seconds. All of it runs on one thread, so on a machine with
/// nothing else to do this is the time it takes; on another, what others do counts less.
func seconds(_ body: () -> Void) -> Double {
    let start = processorTime()
    body()
    return processorTime() - start
}

private func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Prints one line: what was measured, the median of the runs with the least and the most, the
/// figure to reach, and whether it was reached.
func report(_ name: String, _ values: [Double], unit: String, target: Double? = nil) {
    let sorted = values.sorted()
    let median = sorted[sorted.count / 2]
    var line = pad(name, to: 66) + pad(number(median) + " " + unit, to: 12)
    line += pad("[\(number(sorted[0]))…\(number(sorted[sorted.count - 1]))]", to: 22)
    if let target {
        line += median <= target ? "≤ \(number(target))" : "> \(number(target)) MISSED"
    }
    print(line)
}

func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// Three digits that count.
func number(_ value: Double) -> String {
    let digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
}
