// Delivery of results from other threads: they post to a mailbox, and the loop delivers the messages one after
// another, in order, to a handler like that of any source.

package import SystemInterface

extension Mailbox {
    /// Calls `handler` on `loop` with each message while the source lives. One source at a time.
    package func deliver(
        on loop: any EventLoop, _ handler: @escaping (Message) -> Void
    ) throws(SystemError) -> any LoopSource {
        let delivery = MailboxDelivery()
        delivery.source = try loop.watch(number, for: .readable) { [self, weak delivery] _ in
            for message in takeAll() {
                // The handler may have cancelled or released the delivery.
                if delivery?.isCancelled ?? true { return }
                handler(message)
            }
        }
        return delivery
    }
}

/// The source that watches a mailbox. Messages that were taken but not delivered before a cancel are dropped.
private final class MailboxDelivery: LoopSource {
    var source: (any IOSource)?

    var isCancelled: Bool { source?.isCancelled ?? true }

    func cancel() { source?.cancel() }
}
