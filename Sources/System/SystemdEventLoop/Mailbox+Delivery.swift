// How other threads hand results to the loop: they post them to a mailbox, and the loop's side gets them one
// after another, in the order they came, as handlers of a source like any other.

package import SystemInterface

extension Mailbox {
    /// Has `loop` call `handler` with each message, for as long as the source lives. One source at
    /// a time.
    package func deliver(
        on loop: any EventLoop, priority: LoopPriority = .normal,
        _ handler: @escaping (Message) -> Void
    ) throws(SystemError) -> any LoopSource {
        let delivery = MailboxDelivery()
        delivery.source = try loop.watch(number, for: .readable, priority: priority) {
            [self, weak delivery] _ in
            for message in takeAll() {
                // The handler may have cancelled the delivery, or let it go.
                if delivery?.isCancelled ?? true { return }
                handler(message)
            }
        }
        return delivery
    }
}

/// What watches a mailbox. Messages that were taken out before it was cancelled are dropped.
private final class MailboxDelivery: LoopSource {
    var source: (any IOSource)?

    var isCancelled: Bool { source?.isCancelled ?? true }

    func cancel() { source?.cancel() }
}
