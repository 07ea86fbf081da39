// The least and the greatest of very many values, of which few are kept.
//
// All values of documents in heaps would take more memory than their columns. The extremes are known from the few
// hundred values next to them; only when all of these have been removed must the others be read again.

/// The least and the greatest of values that can be added and removed, until too many have been removed.
struct BoundedExtremes<Value: Comparable> {
    private var least = BoundedEnd<Value>(isDescending: false)
    private var greatest = BoundedEnd<Value>(isDescending: true)
    private var count = 0

    /// Whether the extremes are known: not once the values that were kept have gone.
    var isKnown: Bool { count == 0 || least.first != nil && greatest.first != nil }

    /// The extremes; nil without values.
    /// - Precondition: they are known.
    var bounds: (least: Value, greatest: Value)? {
        precondition(isKnown, "the extremes are not known")
        guard let least = least.first, let greatest = greatest.first else { return nil }
        return (least, greatest)
    }

    /// - Complexity: O(log k + k) for the k values that are kept, if it is kept; else O(1).
    mutating func add(_ value: Value) {
        count += 1
        least.add(value)
        greatest.add(value)
    }

    /// Removes a value that has been added.
    mutating func remove(_ value: Value) {
        precondition(count > 0, "a value is removed from empty extremes")
        count -= 1
        least.remove(value)
        greatest.remove(value)
        // What is not kept has gone as well.
        if count == 0 { self = BoundedExtremes() }
    }

    func checkInvariants() {
        least.checkInvariants()
        greatest.checkInvariants()
    }
}

/// The values before a bound, each once with its number.
private struct BoundedEnd<Value: Comparable> {
    private static var most: Int { 256 }

    private struct Entry {
        let value: Value
        var count: Int
    }

    let isDescending: Bool
    /// The last comes first, so that few values move when another one arrives there.
    private var entries: [Entry] = []
    /// The first value of those that are not kept; nil if all are.
    private var bound: Value?

    init(isDescending: Bool) { self.isDescending = isDescending }

    var first: Value? { entries.last?.value }

    private func comesBefore(_ one: Value, _ other: Value) -> Bool {
        isDescending ? one > other : one < other
    }

    private func isKept(_ value: Value) -> Bool { bound.map { comesBefore(value, $0) } ?? true }

    /// The first entry that does not come after a value.
    private func place(of value: Value) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(value, entries[middle].value) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func add(_ value: Value) {
        guard isKept(value) else { return }
        let place = place(of: value)
        if place < entries.count, entries[place].value == value {
            entries[place].count += 1
            return
        }
        entries.insert(Entry(value: value, count: 1), at: place)
        if entries.count > Self.most { bound = entries.removeFirst().value }
    }

    mutating func remove(_ value: Value) {
        guard isKept(value) else { return }
        let place = place(of: value)
        precondition(
            place < entries.count && entries[place].value == value,
            "a value is removed that has not been added")
        entries[place].count -= 1
        if entries[place].count == 0 { entries.remove(at: place) }
    }

    func checkInvariants() {
        precondition(entries.count <= Self.most, "too many values are kept")
        for (one, next) in zip(entries, entries.dropFirst()) {
            precondition(comesBefore(next.value, one.value), "the values are not in order")
        }
        precondition(entries.allSatisfy { $0.count > 0 && isKept($0.value) }, "a value is not kept")
    }
}
