internal import Layouts
internal import Synchronization
internal import SystemInterface
internal import WireProtocol

/// A thread that moves the cells of force layouts, so that the loop never does.
///
/// It owns the layouts and is told of them by number. Orders are carried out in turn; one that would take long
/// is answered as cut short, and goes on behind the others with the next. Only values go over and back,
/// through a queue that a mutex guards. With nothing to do the thread sleeps. It runs in the background:
/// the loop and its clients come first where processors are short.
final class LayoutWorker: Sendable {
    private enum Task: Sendable {
        case open(Int, Opening)
        case perform(Int, ForceOrder)
        case close(Int)
        case end
    }

    /// What a new layout needs.
    struct Opening: Sendable {
        var sub: RequestID
        var items: RequestID
        var bounds: Rect
        var options: ForceOptions
    }

    /// How long one order may take, in nanoseconds, but for one tick.
    private static let turn: Int64 = 8_000_000

    private let tasks = Mutex<[Task]>([])
    private let wake: OwnedDescriptor
    private let answer: @Sendable (Int, ForceAnswer) -> Void

    /// Starts the thread.
    ///
    /// - Parameter answer: Called on the thread with a layout's number and what came of an order.
    /// - Throws: what the system says if there is no thread to be had.
    init(answer: @escaping @Sendable (Int, ForceAnswer) -> Void) throws(SystemError) {
        self.answer = answer
        wake = try OwnedDescriptor.wakeUp()
        // The thread keeps this object alive until it ends.
        try WorkerThread.start(isBackground: true) { [self] in run() }
    }

    func open(_ number: Int, _ opening: Opening) { hand(over: .open(number, opening)) }

    func perform(_ order: ForceOrder, on number: Int) { hand(over: .perform(number, order)) }

    func close(_ number: Int) { hand(over: .close(number)) }

    /// How many tasks it has not begun.
    var backlog: Int { tasks.withLock { $0.count } }

    /// Ends the thread, after what it is at. Nobody waits for it.
    func end() { hand(over: .end) }

    private func hand(over task: Task) {
        tasks.withLock { $0.append(task) }
        wake.signalWakeUp()
    }

    // MARK: On the thread

    private func run() {
        var runs: [Int: ForceRun] = [:]
        while true {
            wake.waitUntilReadable(milliseconds: nil)
            wake.clearWakeUp()
            let taken = tasks.withLock { waiting in
                let taken = waiting
                waiting = []
                return taken
            }
            for task in taken {
                if case .end = task { return }
                perform(task, &runs)
            }
        }
    }

    private func perform(_ task: Task, _ runs: inout [Int: ForceRun]) {
        switch task {
        case .open(let number, let opening):
            // What it is made of was held to the same limits when it was read; without a layout the first
            // order is answered with a failure.
            runs[number] = try? ForceRun(
                sub: opening.sub, items: opening.items, bounds: opening.bounds,
                options: opening.options)
        case .perform(let number, let order):
            guard let run = runs[number] else {
                return answer(
                    number,
                    ForceAnswer(rev: order.rev, failure: "the layout could not be made"))
            }
            let end = SystemClock.monotonicNanoseconds() + Self.turn
            answer(number, run.perform(order) { SystemClock.monotonicNanoseconds() >= end })
        case .close(let number): runs[number] = nil
        case .end: break
        }
    }
}
