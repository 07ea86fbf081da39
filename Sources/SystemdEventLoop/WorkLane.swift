// Queued work of one priority, and the source that runs it piece by piece.

import CSystemd

/// A source that is ready whenever it is switched on; off at first.
final class DeferSource {
    private var handle: SourceHandle?
    private let handler: () -> Void

    init(
        _ event: OpaquePointer, priority: Int64, _ handler: @escaping () -> Void
    ) throws(EventLoopError) {
        self.handler = handler
        // The user data is this object, which owns the source.
        let handle = try unsafe addSource("queue work", priority: priority) { source in
            unsafe sd_event_add_defer(
                event, source,
                { _, userdata in
                    unsafe owner(userdata, DeferSource.self)?.handler()
                    return 0
                }, userdata(for: self))
        }
        handle.disable()
        self.handle = consume handle
    }

    func enableOnce() { handle?.enableOnce() }
    func disable() { handle?.disable() }
    func setPriority(_ priority: Int64) { handle?.setPriority(priority) }
}

/// The queued work of one priority.
///
/// Switched on exactly while work waits. It is overdue once so many handlers of its priority ran
/// since its last piece did.
final class WorkLane {
    private let priority: LoopPriority
    private var queue = WorkQueue()
    private var source: DeferSource?
    private var handlersSincePiece = 0
    private let endOfTurn: EndOfTurnWork

    /// `endOfTurn` is told of each piece that runs.
    init(
        _ event: OpaquePointer, _ priority: LoopPriority, _ endOfTurn: EndOfTurnWork
    ) throws(EventLoopError) {
        self.priority = priority
        self.endOfTurn = endOfTurn
        source = try unsafe DeferSource(event, priority: SourcePriority.queue(priority)) {
            [unowned self] in runOne()
        }
    }

    var isEmpty: Bool { queue.isEmpty }

    /// Whether work has waited for as many handlers of its priority as it may.
    var isOverdue: Bool {
        !queue.isEmpty && handlersSincePiece >= TurnLimits.handlersBeforeQueue
    }

    func append(_ work: @escaping () -> Void) {
        if queue.isEmpty { source?.enableOnce() }
        queue.append(work)
    }

    /// Called before a handler of a source of the same priority.
    func noteHandlerOfSource() {
        if queue.isEmpty { return }
        handlersSincePiece += 1
        if handlersSincePiece == TurnLimits.handlersBeforeQueue {
            source?.setPriority(SourcePriority.overdueQueue(priority))
        }
    }

    private func runOne() {
        guard let work = queue.popFirst() else { return }
        if handlersSincePiece >= TurnLimits.handlersBeforeQueue {
            source?.setPriority(SourcePriority.queue(priority))
        }
        handlersSincePiece = 0
        if !queue.isEmpty { source?.enableOnce() }
        endOfTurn.noteHandler()
        work()
    }
}
