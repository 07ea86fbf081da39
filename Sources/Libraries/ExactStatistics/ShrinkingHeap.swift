// A binary heap from which any value can be removed, not only the top.
//
// A removed value that is not the top stays where it is, and is added to a second heap of the same
// order; it is dropped when it becomes the top of both. So neither heap has to be searched. When half of
// the stored values are removed ones, one sweep drops them.
//
// Invariants: both are heaps (no value comes before its parent); `held` contains each value at least as
// often as `gone`; and their tops differ, so the top of `held` is really present.

/// A multiset with access to its first value, in ascending or descending order.
@usableFromInline
struct ShrinkingHeap<Value: Comparable> {
    /// The number of removed values below which no sweep is worthwhile.
    @usableFromInline static var leastSwept: Int { 64 }

    /// Whether the first value is the greatest, and not the least.
    @usableFromInline let isDescending: Bool
    @usableFromInline var held: [Value] = []
    @usableFromInline var gone: [Value] = []

    @usableFromInline
    init(descending: Bool) {
        isDescending = descending
    }

    /// The number of values.
    @inlinable var count: Int { held.count - gone.count }

    /// The first value; `nil` without values.
    @inlinable var top: Value? { held.first }

    /// Adds a value.
    ///
    /// - Complexity: O(log n), and O(1) on average for values in random order.
    @inlinable
    mutating func add(_ value: Value) {
        // No removed value precedes the top, so the tops differ after the push.
        Self.push(value, to: &held, isDescending)
    }

    /// Removes a value that is present.
    ///
    /// - Complexity: O(log n), amortized.
    @inlinable
    mutating func remove(_ value: Value) {
        if held.first == value {
            Self.pop(&held, isDescending)
            while let first = gone.first, held.first == first {
                Self.pop(&gone, isDescending)
                Self.pop(&held, isDescending)
            }
        } else {
            Self.push(value, to: &gone, isDescending)
        }
        if gone.count >= Self.leastSwept, gone.count > held.count / 2 { sweep() }
    }

    @inlinable
    static func comesBefore(_ one: Value, _ other: Value, _ isDescending: Bool) -> Bool {
        isDescending ? one > other : one < other
    }

    @inlinable
    static func push(_ value: Value, to heap: inout [Value], _ isDescending: Bool) {
        var place = heap.count
        heap.append(value)
        while place > 0 {
            let parent = (place - 1) / 2
            guard comesBefore(value, heap[parent], isDescending) else { break }
            heap[place] = heap[parent]
            place = parent
        }
        heap[place] = value
    }

    @inlinable
    static func pop(_ heap: inout [Value], _ isDescending: Bool) {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count,
                comesBefore(heap[child + 1], heap[child], isDescending)
            {
                child += 1
            }
            guard comesBefore(heap[child], last, isDescending) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = last
    }

    /// Drops all removed values. The sorted rest is a heap.
    ///
    /// - Complexity: O(n log n), after n/2 removals.
    @inlinable
    mutating func sweep() {
        let isDescending = isDescending
        held.sort { isDescending ? $0 > $1 : $0 < $1 }
        gone.sort { isDescending ? $0 > $1 : $0 < $1 }
        var kept: [Value] = []
        kept.reserveCapacity(count)
        var next = 0
        for value in held {
            if next < gone.count, gone[next] == value { next += 1 } else { kept.append(value) }
        }
        held = kept
        gone = []
    }

    #if DEBUG
    func checkInvariants() {
        for heap in [held, gone] {
            for place in heap.indices.dropFirst() {
                precondition(
                    !Self.comesBefore(heap[place], heap[(place - 1) / 2], isDescending),
                    "not a heap at \(place)")
            }
        }
        precondition(gone.isEmpty || gone.first != held.first, "what is on top is gone")
        precondition(
            gone.count < Self.leastSwept || gone.count <= held.count / 2, "a sweep is due")
        var rest = held.sorted()[...]
        for value in gone.sorted() {
            rest = rest.drop { $0 < value }
            precondition(rest.popFirst() == value, "something is gone that was not held")
        }
    }
    #endif
}

extension ShrinkingHeap: Sendable where Value: Sendable {}
