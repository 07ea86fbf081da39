import DequeModule

/// A minimal bus for one type of events, the baseline for DataBus: an array of
/// closures, called one after the other, and a queue of the last events.
final class PlainBus<E> {
    private var handlers: [(E) -> Void] = []
    private var last = Deque<E>()
    private let length: Int
    private(set) var count = 0

    init(length: Int) {
        self.length = length
    }

    func subscribe(_ handler: @escaping (E) -> Void) {
        handlers.append(handler)
    }

    @inline(never)
    func send(_ event: E) {
        count += 1
        if last.count == length { last.removeFirst() }
        last.append(event)
        for handler in handlers { handler(event) }
    }
}
