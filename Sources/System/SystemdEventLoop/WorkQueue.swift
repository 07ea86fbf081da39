// Work that waits its turn, first in, first out.
//
// Each piece is run once, and let go before the next. The storage is reused: once the queue has
// been as long as it gets, adding allocates nothing. Queues have no limit of their own, because
// what fills them is bounded: each user keeps at most a few pieces waiting.

/// A first-in-first-out queue of closures.
package struct WorkQueue {
    private var pieces: [(() -> Void)?] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == pieces.count }

    package var count: Int { pieces.count - head }

    package mutating func append(_ work: @escaping () -> Void) {
        pieces.append(work)
    }

    /// - Complexity: O(1) amortized.
    package mutating func popFirst() -> (() -> Void)? {
        if isEmpty { return nil }
        let work = pieces[head]
        pieces[head] = nil
        head += 1
        if head == pieces.count {
            pieces.removeAll(keepingCapacity: pieces.capacity <= Self.keptCapacity)
            head = 0
        } else if head >= Self.keptCapacity, head * 2 >= pieces.count {
            pieces.removeSubrange(..<head)
            head = 0
        }
        return work
    }

    /// A queue that was longer than this gives its memory back.
    private static let keptCapacity = 1024
}
