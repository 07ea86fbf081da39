// Scripts that build changes, for the laws of changes.

import Observables

/// One modification of an array, or the end of one change and the beginning of the next.
enum ArrayChangeStep: Equatable, Simplifiable {
    case replace(at: Int, count: Int, with: [Int])
    case cut

    var simpler: [ArrayChangeStep] {
        guard case .replace(let start, let count, let new) = self else { return [] }
        return start.simpler.map { .replace(at: $0, count: count, with: new) }
            + count.simpler.map { .replace(at: start, count: $0, with: new) }
            + new.simpler.map { .replace(at: start, count: count, with: $0) }
    }

    static let generator = StepGenerator<ArrayChangeStep> { random in
        if random.below(5) == 0 { return .cut }
        return .replace(
            at: random.below(13), count: random.below(4),
            with: random.array(limit: 3, alphabet: 4))
    }

    /// The step as a modification of `array`, if it changes anything.
    func modification(of array: [Int]) -> ArrayModification<Int>? {
        guard case .replace(let start, let count, let new) = self else { return nil }
        let lower = start % (array.count + 1)
        let upper = min(array.count, lower + count)
        return ArrayModification(
            replacing: Array(array[lower..<upper]), at: lower, with: new)
    }
}

/// The changes of a script, and the arrays before, between and after them. The array that
/// the script starts from is the result of its steps up to the first cut on an empty array.
func carryOut(
    _ script: [ArrayChangeStep]
) -> (changes: [ArrayChange<Int>], arrays: [[Int]]) {
    var array: [Int] = []
    var changes: [ArrayChange<Int>] = []
    var arrays: [[Int]] = []
    for step in script {
        if step == .cut {
            arrays.append(array)
            changes.append(ArrayChange(initialCount: array.count))
        } else if let modification = step.modification(of: array) {
            if !changes.isEmpty { changes[changes.count - 1].add(modification) }
            array.apply(modification)
        }
    }
    return (changes, arrays + [array])
}

/// An element of a set is toggled; or the next change begins.
enum SetChangeStep: Equatable, Simplifiable {
    case toggle(Int)
    case cut

    var simpler: [SetChangeStep] {
        guard case .toggle(let element) = self else { return [] }
        return element.simpler.map { .toggle($0) }
    }

    static let generator = StepGenerator<SetChangeStep> { random in
        random.below(4) == 0 ? .cut : .toggle(random.below(5))
    }
}

func carryOut(_ script: [SetChangeStep]) -> (changes: [SetChange<Int>], sets: [Set<Int>]) {
    var set: Set<Int> = []
    var changes: [SetChange<Int>] = []
    var sets: [Set<Int>] = []
    for step in script {
        switch step {
        case .cut:
            sets.append(set)
            changes.append(SetChange())
        case .toggle(let element):
            let one =
                set.remove(element) != nil
                ? SetChange(removed: [element]) : SetChange(inserted: [element])
            if !one.removed.contains(element) { set.insert(element) }
            if !changes.isEmpty { changes.append(changes.removeLast().merged(with: one)) }
        }
    }
    return (changes, sets + [set])
}

/// All changes merged, the first two first.
func mergedFromLeft<Change: ChangeType>(_ changes: [Change]) -> Change? {
    guard let first = changes.first else { return nil }
    return changes.dropFirst().reduce(first) { $0.merged(with: $1) }
}

/// All changes merged, the last two first.
func mergedFromRight<Change: ChangeType>(_ changes: [Change]) -> Change? {
    guard let last = changes.last else { return nil }
    return changes.dropLast().reversed().reduce(last) { $1.merged(with: $0) }
}
