// The union or intersection of the sets in a list that may change.
//
// While active, the node keeps the result. After a change, it gathers the elements that may have arrived
// or left and checks each against the sets of the list.
//
// New sets are attached as described in Node+Choosing.swift, which may take a second turn in the same
// settling; the changes of the first turn are kept until then. A set that depends on this node is
// refused and ignored until the list changes at its index.

/// The union or intersection of a list of sets.
final class SetListNode<Element: Hashable>: SetNode<Element> {
    private let isUnion: Bool
    private var list: InputEdge<ArrayNode<ObservableSet<Element>>>
    /// The attached sets by their indices in the list; `nil` for a refused one.
    private var inputs: [InputEdge<SetNode<Element>>?] = []
    /// The sets of the list while they are not attached yet.
    private var chosenSets: [SetNode<Element>?] = []
    /// The change of the list since the sets were attached.
    private var listChange: ArrayChange<ObservableSet<Element>>?
    private var storage: Set<Element> = []
    /// Elements that may have arrived or left.
    private var candidates: Set<Element> = []

    init(_ list: ArrayNode<ObservableSet<Element>>, isUnion: Bool) {
        self.list = InputEdge(list)
        self.isUnion = isUnion
        super.init(above: [list])
        raiseToSharingHeight()
    }

    // MARK: - Reading

    private func combine(_ sets: [SetNode<Element>]) -> Set<Element> {
        if isUnion { return sets.reduce(into: []) { $0.formUnion($1.elements) } }
        guard let smallest = sets.min(by: { $0.count < $1.count }) else { return [] }
        return smallest.elements.filter { element in
            sets.allSatisfy { $0.contains(element) }
        }
    }

    override var elements: Set<Element> {
        isActive ? storage : combine(list.node.allRows.map(\.node))
    }

    override var count: Int { elements.count }

    override func contains(_ element: Element) -> Bool {
        if isActive { return storage.contains(element) }
        return holds(element, in: list.node.allRows.map(\.node))
    }

    private func holds(_ element: Element, in sets: [SetNode<Element>]) -> Bool {
        isUnion
            ? sets.contains { $0.contains(element) }
            : !sets.isEmpty && sets.allSatisfy { $0.contains(element) }
    }

    // MARK: - Coming and going

    override func chooseInputs() -> [Node] {
        let sets = list.node.allRows.map(\.node)
        chosenSets = sets
        return sets
    }

    override func refuseInput(at index: Int) { chosenSets[index] = nil }

    override func abandonInputs() { chosenSets = [] }

    override func activate() {
        list.attach(self)
        inputs = chosenSets.map { $0.map(attached) }
        chosenSets = []
        storage = combine(followed)
    }

    override func deactivate() {
        storage = []
        candidates = []
        listChange = nil
        for input in inputs { input?.detach(self) }
        inputs = []
        list.detach(self)
    }

    private func attached(_ node: SetNode<Element>) -> InputEdge<SetNode<Element>> {
        var edge = InputEdge(node)
        edge.attach(self)
        return edge
    }

    private var followed: [SetNode<Element>] { inputs.compactMap { $0?.node } }

    // MARK: - Changing

    override func recompute() {
        for index in inputs.indices {
            guard let change = inputs[index]?.takeChange() else { continue }
            candidates.formUnion(change.removed)
            candidates.formUnion(change.inserted)
        }
        if let change = list.takeChange() {
            listChange = listChange.map { $0.merged(with: change) } ?? change
        }
        if let change = listChange {
            let arriving = change.modifications.flatMap(\.newElements).map(\.node)
            guard attachChosenInputs(arriving, { applyChange(change, refused: $0) }) else { return }
            listChange = nil
            if !isUnion {
                candidates.formUnion(storage)
                candidates.formUnion(combine(followed))
            }
        }
        emitDifference()
    }

    /// Attaches the new sets and detaches the old ones.
    private func applyChange(
        _ change: ArrayChange<ObservableSet<Element>>, refused: Set<Int>
    ) {
        var number = 0
        for modification in change.modifications {
            let gone = inputs[modification.inputRange]
            // Attach first, so that a set that stays is in use throughout.
            let come = modification.newElements.map { set in
                defer { number += 1 }
                return refused.contains(number) ? nil : attached(set.node)
            }
            if isUnion {
                for input in gone + come {
                    if let set = input?.node { candidates.formUnion(set.elements) }
                }
            }
            for input in gone { input?.detach(self) }
            inputs.replaceSubrange(modification.inputRange, with: come)
        }
    }

    private func emitDifference() {
        let sets = followed
        var result = SetChange<Element>()
        for element in candidates {
            switch (storage.contains(element), holds(element, in: sets)) {
            case (false, true): result.insert(element)
            case (true, false): result.remove(element)
            case (true, true), (false, false): break
            }
        }
        candidates = []
        storage.subtract(result.removed)
        storage.formUnion(result.inserted)
        if !result.isEmpty { emit(result) }
    }
}

extension ObservableSet {
    /// The elements that are in any set of a list, which may change. Empty without sets.
    ///
    /// - Complexity: for each changed element, and each element of a set that arrives or leaves, O(1)
    ///   for each set of the list.
    public static func union<List: ObservableArrayType>(
        of sets: List
    ) -> ObservableSet where List.Element == ObservableSet {
        ObservableSet(SetListNode(sets.observableArray.node, isUnion: true))
    }

    /// The elements that are in all sets of a list, which may change. Empty without sets.
    ///
    /// - Complexity: for each changed element, O(1) for each set of the list; when sets arrive or leave,
    ///   the same for each element of the smallest set and of the result.
    public static func intersection<List: ObservableArrayType>(
        of sets: List
    ) -> ObservableSet where List.Element == ObservableSet {
        ObservableSet(SetListNode(sets.observableArray.node, isUnion: false))
    }
}
