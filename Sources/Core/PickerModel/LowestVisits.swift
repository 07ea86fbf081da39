/// Which marks have the lowest scores of visits: a heap in which each mark is found by its id, so that no change of one
/// looks at all.
struct LowestVisits {
    /// Each is not above those at twice its place and one or two more.
    private var heap: [(score: VisitScore, id: Int64)] = []
    private var places: [Int64: Int] = [:]

    var count: Int { heap.count }

    /// The mark with the lowest score; of several the one with the lowest id.
    var first: Int64? { heap.first?.id }

    /// The score of a mark.
    func score(of id: Int64) -> VisitScore? { places[id].map { heap[$0].score } }

    /// Gives a mark a score, or none.
    /// - Complexity: O(log n).
    mutating func set(_ id: Int64, _ score: VisitScore?) {
        guard let score else { return remove(id) }
        if let place = places[id] {
            heap[place].score = score
            settle(place)
        } else {
            places[id] = heap.count
            heap.append((score, id))
            settle(heap.count - 1)
        }
    }

    private mutating func remove(_ id: Int64) {
        guard let place = places.removeValue(forKey: id) else { return }
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        places[last.id] = place
        settle(place)
    }

    private func isBelow(_ one: Int, _ other: Int) -> Bool {
        (heap[one].score, heap[one].id) < (heap[other].score, heap[other].id)
    }

    /// Moves an entry up or down to where it may be.
    private mutating func settle(_ start: Int) {
        var place = start
        while place > 0, isBelow(place, (place - 1) / 2) {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            let left = 2 * place + 1
            guard left < heap.count else { return }
            let lower = left + 1 < heap.count && isBelow(left + 1, left) ? left + 1 : left
            guard isBelow(lower, place) else { return }
            swap(place, lower)
            place = lower
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        places[heap[one].id] = one
        places[heap[other].id] = other
    }
}
