import Glibc
import Layouts

/// A clock of the system, in seconds.
func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    // Writes one timespec.
    _ = unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Prints one line: what was measured, the figure, and the bound, if there is one.
func report(_ name: String, _ value: Double, _ unit: String, bound: Double? = nil) {
    var line = pad(name, to: 60) + pad(number(value) + " " + unit, to: 14)
    if let bound { line += value <= bound ? "≤ \(number(bound))" : "> \(number(bound)) MISSED" }
    print(line)
}

/// Prints one line, and says whether the value is within the bound.
func check(_ name: String, _ value: Double, atMost bound: Double) -> Bool {
    let good = value <= bound
    print(
        pad(name, to: 60) + pad(number(value), to: 14) + (good ? "≤ " : "> ") + number(bound)
            + (good ? "" : " FAILED"))
    return good
}

func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

/// Three digits that count.
func number(_ value: Double) -> String {
    guard value != 0, value.isFinite else { return "\(value)" }
    if abs(value) < 1e-3 || abs(value) >= 1e6 {
        let exponent = Int(log10(abs(value)).rounded(.down))
        return "\((value / pow(10, Double(exponent)) * 100).rounded() / 100)e\(exponent)"
    }
    let scale = pow(10, 2 - log10(abs(value)).rounded(.down))
    return "\((value * scale).rounded() / scale)"
}

/// So many cells on the spiral, in a window of 1000 px.
func layout(
    _ count: Int, threads: Int, _ change: (inout ForceOptions) -> Void = { _ in }
) throws -> ForceLayout<Int> {
    var options = ForceOptions()
    options.stop = .residual(1e-3)
    change(&options)
    let layout = try ForceLayout<Int>(
        bounds: Rect(x: 0, y: 0, width: 1000, height: 1000), options: options, threads: threads,
        hash: { UInt64($0) })
    try layout.insert(0..<count)
    return layout
}

/// The least time of a tick, on the wall and on the calling thread's processor.
func leastTick(_ count: Int, threads: Int, ticks: Int) throws -> (wall: Double, thread: Double) {
    let layout = try layout(count, threads: threads) { $0.stop = .residual(0) }
    layout.tick()
    var wall = Double.infinity
    var thread = Double.infinity
    for _ in 0..<ticks {
        let started = (seconds(CLOCK_MONOTONIC), seconds(CLOCK_THREAD_CPUTIME_ID))
        layout.tick()
        wall = min(wall, seconds(CLOCK_MONOTONIC) - started.0)
        thread = min(thread, seconds(CLOCK_THREAD_CPUTIME_ID) - started.1)
    }
    return (wall, thread)
}
