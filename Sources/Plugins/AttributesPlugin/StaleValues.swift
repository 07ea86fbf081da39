internal import DequeModule
internal import EventLoops
internal import PickerModel

/// Documents whose files have changed since their values were read, the oldest change first.
struct StaleValues {
    private var due: [KeyNumber: MonotonicInstant] = [:]
    /// In the order of time; those that are not in `due` have been read.
    private var order = Deque<(key: KeyNumber, due: MonotonicInstant)>()

    /// Notes until when the values of a document may stay. Another change does not give them more time.
    mutating func begin(_ key: KeyNumber, due time: MonotonicInstant) {
        if due[key] != nil { return }
        due[key] = time
        order.append((key, time))
    }

    /// The values of a document are those of its file.
    mutating func end(_ key: KeyNumber) {
        due[key] = nil
        while let first = order.first, due[first.key] != first.due { order.removeFirst() }
    }

    var isEmpty: Bool { due.isEmpty }

    /// When the next values have stayed for too long.
    var next: MonotonicInstant? { order.first?.due }

    /// Removes the documents whose values have stayed for too long.
    mutating func takeDue(at now: MonotonicInstant) -> [KeyNumber] {
        var taken: [KeyNumber] = []
        while let first = order.first, first.due <= now {
            order.removeFirst()
            guard due[first.key] == first.due else { continue }
            due[first.key] = nil
            taken.append(first.key)
        }
        return taken
    }
}
