// Passes values between threads.
//
// Any thread posts; one thread takes, in the order of the posts. The queue is bounded: a message that does not
// fit is refused and stays with its sender. The descriptor is readable while messages wait, so that a burst
// costs one wake-up, and the receiver may sleep on the descriptor or have a loop watch it. (The thread
// sanitizer does not recognize the standard library's `Mutex`, and reports races for the data it guards.)
//
// Nobody calls the system while it holds the lock: whoever is woken would find it held, and a thread of low
// priority that has to give up its processor there would make the other one wait for it. So a message can be
// taken before its wake-up comes, which then wakes the receiver for nothing; no message is without one.

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

    /// A mailbox for up to `limit` waiting messages.
    package init(limit: Int) throws(SystemError) {
        precondition(limit > 0)
        self.limit = limit
        wake = try OwnedDescriptor.wakeUp()
    }

    /// A descriptor that is readable while messages wait; borrowed.
    package var number: Int32 { wake.number }

    /// The number of waiting messages.
    package var count: Int { queue.withLock { $0.waiting.count } }

    /// Posts a message. From any thread.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - isNeedless: Called with the last waiting message; true makes the new one superfluous.
    /// - Returns: `false`, without effect, if the mailbox is full or closed.
    @discardableResult
    package func post(
        _ message: Message, unlessLast isNeedless: (Message) -> Bool = { _ in false }
    ) -> Bool {
        let (isTaken, isFirst) = queue.withLock { queue in
            if queue.isClosed { return (false, false) }
            if let last = queue.waiting.last, isNeedless(last) { return (true, false) }
            if queue.waiting.count >= limit { return (false, false) }
            queue.waiting.append(message)
            return (true, queue.waiting.count == 1)
        }
        if isFirst { wake.signalWakeUp() }
        return isTaken
    }

    /// Takes the oldest message; nil if there is none.
    package func next() -> Message? {
        let (message, isLast) = queue.withLock { queue in
            let message = queue.waiting.popFirst()
            return (message, queue.waiting.isEmpty)
        }
        if isLast { clearWakeUp() }
        return message
    }

    /// Takes the oldest message, waiting for one if necessary.
    ///
    /// - Parameter milliseconds: The time limit; nil means for ever.
    /// - Returns: Nil if none came in time, and occasionally sooner.
    package func next(within milliseconds: Int32?) -> Message? {
        if let message = next() { return message }
        wake.waitUntilReadable(milliseconds: milliseconds)
        return next()
    }

    /// Takes all waiting messages.
    package func takeAll() -> [Message] { takeAll(closing: false) }

    /// Takes all waiting messages, and refuses all later ones.
    package func close() -> [Message] { takeAll(closing: true) }

    private func takeAll(closing: Bool) -> [Message] {
        let taken = queue.withLock { queue in
            queue.isClosed = queue.isClosed || closing
            return exchange(&queue.waiting, with: [])
        }
        clearWakeUp()
        return Array(taken)
    }

    /// Called when no message waited: those that came since then have a wake-up again.
    private func clearWakeUp() {
        wake.clearWakeUp()
        if queue.withLock({ !$0.waiting.isEmpty }) { wake.signalWakeUp() }
    }
}
