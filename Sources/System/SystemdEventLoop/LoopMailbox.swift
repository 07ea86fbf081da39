// How other threads hand results to the loop.
//
// The one thing here that more than one thread may touch. A worker posts values; the loop's side
// gets them one after another, in the order they came, as handlers of a source like any other. The
// queue is bounded: a message that does not fit is refused, and stays with the one who posted it.
//
// The loop is woken through an eventfd, written under the lock only when the queue was empty, so a
// burst costs one wake-up. (The thread sanitizer does not see the standard library's `Mutex`, and
// reports races of whatever it guards.)

import Synchronization
import SystemInterface

/// A bounded queue of messages from any thread to a loop.
package final class LoopMailbox<Message: Sendable>: Sendable {
    private let limit: Int
    private let wake: OwnedDescriptor
    private let queue = Mutex<[Message]>([])

    /// A mailbox for up to `limit` messages that wait.
    package init(limit: Int) throws(EventLoopError) {
        precondition(limit > 0)
        self.limit = limit
        do { wake = try OwnedDescriptor.wakeUp() } catch { throw EventLoopError(error) }
    }

    /// Puts a message in; `false`, without effect, if the mailbox is full. From any thread.
    @discardableResult
    package func post(_ message: Message) -> Bool {
        queue.withLock { waiting in
            if waiting.count >= limit { return false }
            if waiting.isEmpty { wake.signalWakeUp() }
            waiting.append(message)
            return true
        }
    }

    /// Has `loop` call `handler` with each message, for as long as the source lives. One source at
    /// a time.
    package func deliver(
        on loop: any EventLoop, priority: LoopPriority = .normal,
        _ handler: @escaping (Message) -> Void
    ) throws(EventLoopError) -> any LoopSource {
        let delivery = MailboxDelivery()
        delivery.source = try loop.watch(wake.number, for: .readable, priority: priority) {
            [self, weak delivery] _ in
            for message in take() {
                // The handler may have cancelled the delivery, or let it go.
                if delivery?.isCancelled ?? true { return }
                handler(message)
            }
        }
        return delivery
    }

    private func take() -> [Message] {
        queue.withLock { waiting in
            wake.clearWakeUp()
            let taken = waiting
            waiting = []
            return taken
        }
    }
}

/// What watches a mailbox. Messages that were taken out before it was cancelled are dropped.
private final class MailboxDelivery: LoopSource {
    var source: (any IOSource)?

    var isCancelled: Bool { source?.isCancelled ?? true }

    func cancel() { source?.cancel() }
}
