// Operators that turn each element of a set into elements of another set by an observable in it. Several
// elements may give the same result, so results are counted; a result arrives with the first element
// that gives it and leaves with the last.
//
// It otherwise works as with arrays (see ArrayEachNode.swift); taps are found by their elements.

/// Elements computed from the elements of a set and an observable in each of them.
class SetEachNode<Input: Hashable, Field: ChangeEmitting, Output: Hashable>: SetNode<Output> {
    typealias Entry = ElementTap<Input, Field>

    private var input: InputEdge<SetNode<Input>>
    private let fieldOf: (Input) -> Field
    private lazy var collector = ElementTapCollector<Input, Field>(owner: self)
    private var taps: [Input: Entry] = [:]
    private var counts = ElementCounts<Output>()
    private var pending: SetChange<Input>?
    private var newTaps: [Entry] = []

    init(_ input: SetNode<Input>, field: @escaping (Input) -> Field) {
        self.input = InputEdge(input)
        fieldOf = field
        super.init(above: [input])
        raiseToSharingHeight()
    }

    // MARK: - For subclasses

    /// The results of an element.
    func results(of element: Input, _ field: Field) -> Set<Output> { [] }

    /// The results of an element that `change` removed and inserted.
    func difference(
        of element: Input, _ change: Field.Change
    ) -> (removed: Set<Output>, inserted: Set<Output>) { ([], []) }

    // MARK: - Reading

    private var computed: Set<Output> {
        var result: Set<Output> = []
        for element in input.node.elements {
            result.formUnion(results(of: element, fieldOf(element)))
        }
        return result
    }

    final override var elements: Set<Output> { isActive ? counts.elements : computed }

    final override var count: Int { isActive ? counts.count : computed.count }

    final override func contains(_ element: Output) -> Bool {
        isActive ? counts.contains(element) : computed.contains(element)
    }

    // MARK: - Coming and going

    final override func chooseInputs() -> [Node] {
        newTaps = input.node.elements.map { Entry($0, fieldOf($0), collector) }
        return newTaps.map(\.field)
    }

    final override func refuseInput(at index: Int) { newTaps[index].isRefused = true }

    final override func abandonInputs() { newTaps = [] }

    final override func activate() {
        input.attach(self)
        for tap in newTaps { tap.startObserving() }
        var result = SetChange<Output>()
        add(newTaps, to: &result)
        newTaps = []
    }

    final override func deactivate() {
        _ = collector.takeChangedTaps()
        for tap in taps.values { tap.stopObserving() }
        taps = [:]
        counts = ElementCounts()
        pending = nil
        newTaps = []
        input.detach(self)
    }

    // MARK: - Changing

    final override func recompute() {
        if let change = input.takeChange() {
            pending = change
            newTaps = change.inserted.map { Entry($0, fieldOf($0), collector) }
        }
        if !newTaps.isEmpty, !collector.attach(newTaps) { return }
        var result = SetChange<Output>()
        if let change = pending {
            for element in change.removed { remove(element, from: &result) }
            add(newTaps, to: &result)
            pending = nil
            newTaps = []
        }
        for tap in collector.takeChangedTaps() {
            guard let change = tap.takeChange() else { continue }
            let difference = difference(of: tap.element, change)
            for output in difference.inserted { counts.add(output, recording: &result) }
            for output in difference.removed { counts.remove(output, recording: &result) }
        }
        if !result.isEmpty { emit(result) }
    }

    private func add(_ newTaps: [Entry], to result: inout SetChange<Output>) {
        for tap in newTaps {
            taps[tap.element] = tap
            if tap.isRefused { continue }
            for output in results(of: tap.element, tap.field) {
                counts.add(output, recording: &result)
            }
        }
    }

    private func remove(_ element: Input, from result: inout SetChange<Output>) {
        guard let tap = taps.removeValue(forKey: element) else {
            stop("A set emitted the removal of an element that it never had.")
        }
        defer { tap.stopObserving() }
        if tap.isRefused { return }
        var emitted = results(of: element, tap.field)
        if let change = tap.takeChange() {
            // The counts hold the results before the change.
            let difference = difference(of: element, change)
            emitted.subtract(difference.inserted)
            emitted.formUnion(difference.removed)
        }
        for output in emitted { counts.remove(output, recording: &result) }
    }
}
