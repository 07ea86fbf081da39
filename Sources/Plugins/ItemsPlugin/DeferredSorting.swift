internal import EventLoops
internal import Observables

/// Sorts the rows that no client has asked for yet, while the loop is idle.
///
/// A list with a new order sorts only the rows of its window. The next access beyond the window (a changed
/// document, another window) would sort all remaining rows at once and block the loop. To avoid this, the
/// rows are sorted ahead of time in slices of idle priority; signals, clients and files run between any two
/// slices. A few steps cannot be divided: listing the rows, and installing the finished order. Without
/// deferred work nothing is queued and the loop sleeps.
final class DeferredSorting {
    /// A slice ends after the step that exceeds this time.
    private static let sliceLength = Duration.milliseconds(1)
    /// The rows of one step, and the most steps of one slice.
    private static let stepSize = 1000
    private static let mostSteps = 16

    private let loop: any EventLoop
    private var isQueued = false
    private var isStopped = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Schedules a slice if there is deferred work. Call this after opening a list or changing its order.
    func start() {
        guard !isQueued, !isStopped, ObservableScheduler.current.hasDeferredWork else { return }
        scheduleSlice()
    }

    /// Stops for good. Remaining rows are sorted when they are needed.
    func stop() {
        isStopped = true
    }

    private func scheduleSlice() {
        isQueued = true
        loop.enqueue(priority: .idle) { [weak self] in self?.runSlice() }
    }

    private func runSlice() {
        isQueued = false
        if isStopped { return }
        let start = loop.now
        var isLeft = true
        var steps = 0
        while isLeft, steps < Self.mostSteps, start.duration(to: loop.now) < Self.sliceLength {
            isLeft = ObservableScheduler.current.performDeferredWork(budget: Self.stepSize)
            steps += 1
        }
        if isLeft { scheduleSlice() }
    }
}
