internal import Layouts
internal import SystemInterface
internal import WireProtocol

/// A thread that moves the cells of force layouts, so that the loop does not.
///
/// It owns the layouts, which the loop names by number. Orders run in turn; an order that takes long is cut
/// short, and continues after the others with the next order. The thread has low priority: the loop and its
/// clients come first when processors are scarce.
enum LayoutWorker {
    enum Task: Sendable {
        case open(Int, Opening)
        case perform(Int, ForceOrder)
        case close(Int)
        /// Ends the thread.
        case end
    }

    /// The parameters of a new layout.
    struct Opening: Sendable {
        var sub: RequestID
        var items: RequestID
        var bounds: Rect
        var options: ForceOptions
    }

    /// The time limit of one order, in nanoseconds; its last tick may exceed it.
    private static let turn: Int64 = 8_000_000

    /// The result of an order, and the layout's number.
    struct Answer: Sendable {
        var number: Int
        var answer: ForceAnswer
    }

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - limit: The most queued tasks; the caller must not exceed it.
    ///   - answer: Called on the thread with the result of an order.
    /// - Returns: Its worker.
    /// - Throws: the system's error if no thread can be created.
    static func start(
        limit: Int, answer: @escaping @Sendable (Answer) -> Void
    ) throws(SystemError) -> Worker<Task, Answer> {
        try Worker(limit: limit, isBackground: true, answer: answer) { desk in
            var runs: [Int: ForceRun] = [:]
            while true {
                switch desk.next(within: nil) {
                case .open(let number, let opening)?:
                    // The parameters were validated against the same limits when they were read. Without a
                    // layout, the first order fails.
                    runs[number] = try? ForceRun(opening)
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
}
