internal import Observables
internal import SystemdEventLoop

/// Sorts, when the loop has nothing else to do, what no client has looked at yet.
///
/// A list whose order is new is sorted only as far as its window shows. Whatever needs the rest (a
/// document that changes, another window) would sort all of it at once and hold the loop; until
/// that comes, it is done here in slices, of idle priority: signals, clients and files go first,
/// between any two of them. A few steps can't be cut: to list the rows, and to put the finished order
/// to use. Without such work nothing is queued and the loop sleeps.
final class DeferredSorting {
    /// A slice ends with the step in which this time is up.
    private static let sliceLength = Duration.milliseconds(1)
    /// How many rows are handled in a step, and steps are made in a slice at most.
    private static let stepSize = 1000
    private static let mostSteps = 16

    private let loop: any EventLoop
    private var isQueued = false
    private var isStopped = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Goes to work if there is any. To be called by who may have put work off: opened a list, or
    /// given it another order.
    func start() {
        guard !isQueued, !isStopped, ObservableScheduler.current.hasDeferredWork else { return }
        enqueue()
    }

    /// Ends it for good; what is left is done when it is needed.
    func stop() {
        isStopped = true
    }

    private func enqueue() {
        isQueued = true
        loop.enqueue(priority: .idle) { [weak self] in self?.work() }
    }

    private func work() {
        isQueued = false
        if isStopped { return }
        let start = loop.now
        var isLeft = true
        var steps = 0
        while isLeft, steps < Self.mostSteps, start.duration(to: loop.now) < Self.sliceLength {
            isLeft = ObservableScheduler.current.performDeferredWork(budget: Self.stepSize)
            steps += 1
        }
        if isLeft { enqueue() }
    }
}
