// How threads hand values to one another.
//
// Any thread posts; one thread takes, in the order of posting. The queue is bounded: a message that does not
// fit is refused, and stays with the one who posted it. Messages wait exactly while the descriptor is
// readable, so that a burst costs one wake-up, and the taker may sleep on the descriptor or have a loop
// watch it. (The thread sanitizer does not see the standard library's `Mutex`, and reports races of
// whatever it guards.)

internal import DequeModule
internal import Synchronization

/// A bounded queue of messages from any thread to one.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct Queue {
        var waiting = Deque<Message>()
        var isClosed = false
    }

    private let limit: Int
    private let wake: OwnedDescriptor
    private let queue = Mutex(Queue())

    /// A mailbox for up to `limit` messages that wait.
    package init(limit: Int) throws(SystemError) {
        precondition(limit > 0)
        self.limit = limit
        wake = try OwnedDescriptor.wakeUp()
    }

    /// The number of a descriptor that is readable while messages wait; lent.
    package var number: Int32 { wake.number }

    /// How many messages wait.
    package var count: Int { queue.withLock { $0.waiting.count } }

    /// Puts a message in. From any thread.
    ///
    /// - Parameters:
    ///   - message: What waits.
    ///   - isNeedless: Told of the last message that waits; true makes the new one superfluous.
    /// - Returns: `false`, without effect, if the mailbox is full or closed.
    @discardableResult
    package func post(
        _ message: Message, unlessLast isNeedless: (Message) -> Bool = { _ in false }
    ) -> Bool {
        queue.withLock { queue in
            if queue.isClosed { return false }
            if let last = queue.waiting.last, isNeedless(last) { return true }
            if queue.waiting.count >= limit { return false }
            if queue.waiting.isEmpty { wake.signalWakeUp() }
            queue.waiting.append(message)
            return true
        }
    }

    /// Takes the message that has waited longest; nil if there is none.
    package func next() -> Message? {
        queue.withLock { queue in
            guard let message = queue.waiting.popFirst() else { return nil }
            if queue.waiting.isEmpty { wake.clearWakeUp() }
            return message
        }
    }

    /// Takes the message that has waited longest, and waits for one if need be.
    ///
    /// - Parameter milliseconds: How long to wait; for ever with nil.
    /// - Returns: Nil if none came in time, and now and then sooner.
    package func next(within milliseconds: Int32?) -> Message? {
        if let message = next() { return message }
        wake.waitUntilReadable(milliseconds: milliseconds)
        return next()
    }

    /// Takes all that waits.
    package func takeAll() -> [Message] {
        queue.withLock { takeAll(&$0) }
    }

    /// Takes all that waits, and has whatever comes later refused.
    package func close() -> [Message] {
        queue.withLock { queue in
            queue.isClosed = true
            return takeAll(&queue)
        }
    }

    private func takeAll(_ queue: inout Queue) -> [Message] {
        if queue.waiting.isEmpty { return [] }
        wake.clearWakeUp()
        defer { queue.waiting = [] }
        return Array(queue.waiting)
    }
}
