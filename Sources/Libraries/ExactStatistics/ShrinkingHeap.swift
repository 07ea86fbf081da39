// A binary heap from which any value can be taken, not only the one on top.
//
// A value that is not on top stays where it is, and is noted in a second heap of the same order; it
// goes when it comes to the top of both. So neither has to be searched. When half of what is held
// is only waiting to go, it is taken out in one sweep.
//
// Invariants: each heap is one (no value comes before its parent); all that `gone` has, `held` has as
// often at least; and the tops differ, so that what is on top of `held` is really there.

/// Values of which the first is at hand, in one order or the other.
@usableFromInline
struct ShrinkingHeap<Value: Comparable> {
    /// Below so many values that wait to go, no sweep is worth it.
    @usableFromInline static var leastSwept: Int { 64 }

    /// Whether the greatest value is the first, and not the least.
    @usableFromInline let isDescending: Bool
    @usableFromInline var held: [Value] = []
    @usableFromInline var gone: [Value] = []

    @usableFromInline
    init(descending: Bool) {
        isDescending = descending
    }

    /// How many values there are.
    @inlinable var count: Int { held.count - gone.count }

    /// The first value; nil if there is none.
    @inlinable var top: Value? { held.first }

    /// Puts in a value.
    ///
    /// - Complexity: O(log n), and O(1) on average for values in random order.
    @inlinable
    mutating func add(_ value: Value) {
        // Nothing that waits to go comes before the top, so it can't be on top of both now.
        Self.push(value, to: &held, isDescending)
    }

    /// Takes out a value that is there.
    ///
    /// - Complexity: O(log n), amortised.
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

    /// Takes out all that waits to go. What is sorted is a heap.
    ///
    /// - Complexity: O(n log n), for n/2 values taken out before.
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
