internal import Layouts
internal import SystemInterface
internal import WireProtocol

/// A thread that moves the cells of force layouts, so that the loop never does.
///
/// It owns the layouts and is told of them by number. Orders are carried out in turn; one that would take long
/// is answered as cut short, and goes on behind the others with the next. It runs in the background:
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

    /// What came of an order, and the layout's number.
    struct Answer: Sendable {
        var number: Int
        var answer: ForceAnswer
    }

    private let worker: Worker<Task, Answer>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - limit: The most tasks that wait; the caller keeps to it.
    ///   - answer: Called on the thread with what came of an order.
    /// - Throws: what the system says if there is no thread to be had.
    init(limit: Int, answer: @escaping @Sendable (Answer) -> Void) throws(SystemError) {
        worker = try Worker(limit: limit, isBackground: true, answer: answer) { desk in
            var runs: [Int: ForceRun] = [:]
            while true {
                switch desk.next(within: nil) {
                case .open(let number, let opening)?:
                    // What it is made of was held to the same limits when it was read; without a layout the
                    // first order is answered with a failure.
                    runs[number] = try? ForceRun(
                        sub: opening.sub, items: opening.items, bounds: opening.bounds,
                        options: opening.options)
                case .perform(let number, let order)?:
                    desk.answer(
                        Answer(number: number, answer: Self.perform(order, on: runs[number])))
                case .close(let number)?: runs[number] = nil
                case .end?: return
                case nil: break
                }
            }
        }
    }

    private static func perform(_ order: ForceOrder, on run: ForceRun?) -> ForceAnswer {
        guard let run else {
            return ForceAnswer(rev: order.rev, failure: "the layout could not be made")
        }
        let end = SystemClock.monotonicNanoseconds() + turn
        return run.perform(order) { SystemClock.monotonicNanoseconds() >= end }
    }

    func open(_ number: Int, _ opening: Opening) { hand(over: .open(number, opening)) }

    func perform(_ order: ForceOrder, on number: Int) { hand(over: .perform(number, order)) }

    func close(_ number: Int) { hand(over: .close(number)) }

    /// How many tasks it has not begun.
    var backlog: Int { worker.backlog }

    /// Ends the thread, after what it is at. Nobody waits for it.
    func end() { hand(over: .end) }

    private func hand(over task: Task) {
        let isTaken = worker.post(task)
        assert(isTaken, "there is room for the tasks of as many layouts as there can be")
    }
}
