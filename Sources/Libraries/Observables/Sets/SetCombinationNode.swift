// Set algebra. The node keeps only the number of elements: the inputs determine whether an element
// belongs to the result. When this node is recomputed, all inputs are in their new state, so the old
// membership in an input is the new one, corrected by the input's change. Only the elements of these
// changes are checked.
//
// An input that is a combination itself queries its own inputs. If both sides of each of many layers
// come from one set, the number of paths to it doubles with each layer. So at most `askingLimit` layers
// query through each other; a combination above them keeps its elements while it is active.

/// A combination of sets, as a membership rule.
enum SetCombination {
    /// Elements in any of the sets.
    case union
    /// Elements in all of the sets, of which there is at least one.
    case intersection
    /// Elements in the first set and in none of the others.
    case difference
    /// Elements in an odd number of the sets.
    case symmetricDifference

    /// Whether an element belongs to the combination of `count` sets, given its membership in each.
    func holds(in count: Int, _ isIn: (Int) -> Bool) -> Bool {
        switch self {
        case .union: return (0..<count).contains(where: isIn)
        case .intersection: return count > 0 && (0..<count).allSatisfy(isIn)
        case .difference: return count > 0 && isIn(0) && !(1..<count).contains(where: isIn)
        case .symmetricDifference:
            return (0..<count).reduce(false) { $0 != isIn($1) }
        }
    }

    func combine<Element>(_ left: Set<Element>, _ right: Set<Element>) -> Set<Element> {
        switch self {
        case .union: return left.union(right)
        case .intersection: return left.intersection(right)
        case .difference: return left.subtracting(right)
        case .symmetricDifference: return left.symmetricDifference(right)
        }
    }
}

/// A combination of several sets.
final class SetCombinationNode<Element: Hashable>: SetNode<Element> {
    private let combination: SetCombination
    private var inputs: [InputEdge<SetNode<Element>>]
    private var size = 0
    /// The elements, if the node keeps them and is active.
    private var storage: Set<Element> = []
    private let keepsElements: Bool

    /// The number of combinations that may query through each other.
    private static var askingLimit: Int { 2 }

    override var askingDepth: Int { depth }
    private let depth: Int

    init(_ combination: SetCombination, of inputs: [SetNode<Element>]) {
        self.combination = combination
        self.inputs = inputs.map { InputEdge($0) }
        let below = inputs.map(\.askingDepth).max() ?? 0
        keepsElements = below >= Self.askingLimit
        depth = keepsElements ? 0 : below + 1
        super.init(above: inputs)
    }

    override var elements: Set<Element> { isActive && keepsElements ? storage : computed }

    private var computed: Set<Element> {
        guard let first = inputs.first?.node.elements else { return [] }
        return inputs.dropFirst().reduce(first) { combination.combine($0, $1.node.elements) }
    }

    override var count: Int { isActive ? size : computedCount }

    override func contains(_ element: Element) -> Bool {
        isActive && keepsElements ? storage.contains(element) : follows(element)
    }

    /// Whether an element belongs to the result, computed from the inputs.
    private func follows(_ element: Element) -> Bool {
        combination.holds(in: inputs.count) { inputs[$0].node.contains(element) }
    }

    override func activate() {
        for index in inputs.indices { inputs[index].attach(self) }
        if keepsElements {
            storage = computed
            size = storage.count
        } else {
            size = computedCount
        }
    }

    /// The number of elements, computed from the inputs. A union counts only those outside of its largest input.
    private var computedCount: Int {
        guard combination == .union else { return computed.count }
        let bySize = inputs.map(\.node).sorted { $0.count > $1.count }
        guard let largest = bySize.first else { return 0 }
        var others: Set<Element> = []
        for input in bySize.dropFirst() {
            for element in input.elementList where !largest.contains(element) {
                others.insert(element)
            }
        }
        return largest.count + others.count
    }

    override func deactivate() {
        size = 0
        storage = []
        for input in inputs { input.detach(self) }
    }

    override func recompute() {
        let changes = inputs.indices.map { inputs[$0].takeChange() }
        var result = SetChange<Element>()
        for (index, change) in changes.enumerated() {
            guard let change else { continue }
            for elements in [change.removed, change.inserted] {
                for element in elements {
                    // An element of an earlier input's change has been handled there.
                    let isDone = changes[..<index].contains { $0?.concerns(element) ?? false }
                    if !isDone { compare(element, changes, recording: &result) }
                }
            }
        }
        size += result.deltaCount
        if keepsElements {
            storage.subtract(result.removed)
            storage.formUnion(result.inserted)
        }
        if !result.isEmpty { emit(result) }
    }

    private func compare(
        _ element: Element, _ changes: [SetChange<Element>?],
        recording result: inout SetChange<Element>
    ) {
        let isIn = follows(element)
        let wasIn = keepsElements ? storage.contains(element) : wasIn(element, changes)
        switch (wasIn, isIn) {
        case (false, true): result.insert(element)
        case (true, false): result.remove(element)
        case (true, true), (false, false): break
        }
    }

    private func wasIn(_ element: Element, _ changes: [SetChange<Element>?]) -> Bool {
        combination.holds(in: inputs.count) { index in
            if let change = changes[index] {
                if change.inserted.contains(element) { return false }
                if change.removed.contains(element) { return true }
            }
            return inputs[index].node.contains(element)
        }
    }
}

extension SetChange {
    fileprivate func concerns(_ element: Element) -> Bool {
        removed.contains(element) || inserted.contains(element)
    }
}
