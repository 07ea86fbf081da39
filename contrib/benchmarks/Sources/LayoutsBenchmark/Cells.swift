import Layouts
import Measuring

/// This many cells on the spiral, in a window of 1000 px.
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

/// The least time of a tick, as wall-clock time and as the calling thread's processor time.
func leastTick(_ count: Int, threads: Int, ticks: Int) throws -> (wall: Double, thread: Double) {
    let layout = try layout(count, threads: threads) { $0.stop = .residual(0) }
    layout.tick()
    var wall = Double.infinity
    var thread = Double.infinity
    for _ in 0..<ticks {
        let started = (Clock.wall.seconds, Clock.thread.seconds)
        layout.tick()
        wall = min(wall, Clock.wall.seconds - started.0)
        thread = min(thread, Clock.thread.seconds - started.1)
    }
    return (wall, thread)
}
