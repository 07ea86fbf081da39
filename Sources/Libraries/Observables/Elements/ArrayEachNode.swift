// Operators that turn each element of an array into a block of rows by an observable in it: no or one
// row in a filter, one for a scalar field, any number for an array field.
//
// While active, the node has a tap on each element's observable, in a list parallel to the input. A
// change of the input replaces blocks; a change of an element's observable changes its block. Both may
// happen in one settling: a removed block is emitted in the state observers know, a new one in its final
// state.
//
// The observables of new elements are attached first, which may take a second turn in the settling (see
// Node+Choosing.swift); until then no state changes. An element whose observable depends on this node's
// own result has no rows.

/// Rows computed from the elements of an array and an observable in each of them.
class ArrayEachNode<Input, Field: ChangeEmitting, Output>: ArrayNode<Output> {
    typealias Entry = ElementTap<Input, Field>

    private var input: InputEdge<ArrayNode<Input>>
    private let fieldOf: (Input) -> Field
    private let areEqual = equality(of: Output.self)
    private lazy var collector = ElementTapCollector<Input, Field>(owner: self)
    private var list = ElementTapList<Input, Field>()
    private var pending: ArrayChange<Input>?
    private var newTaps: [Entry] = []

    init(_ input: ArrayNode<Input>, field: @escaping (Input) -> Field) {
        self.input = InputEdge(input)
        fieldOf = field
        super.init(above: [input])
        raiseToSharingHeight()
    }

    // MARK: - For subclasses

    /// The rows of an element.
    func rows(of element: Input, _ field: Field) -> [Output] { [] }

    /// Some of the rows of an element.
    func rows(of element: Input, _ field: Field, in range: Range<Int>) -> [Output] {
        Array(rows(of: element, field)[range])
    }

    /// The number of rows of an element.
    func weight(of field: Field) -> Int { 1 }

    /// The rows of an element before `change`.
    func rows(of element: Input, _ field: Field, before change: Field.Change) -> [Output] { [] }

    /// The modifications of an element's rows by `change`.
    func modifications(
        of element: Input, for change: Field.Change
    ) -> [ArrayModification<Output>] { [] }

    // MARK: - Reading

    private var computed: [Output] {
        input.node.allRows.flatMap { rows(of: $0, fieldOf($0)) }
    }

    final override var count: Int { isActive ? list.weight : computed.count }

    final override func rows(in range: Range<Int>) -> [Output] {
        guard isActive else { return Array(computed[range]) }
        var result: [Output] = []
        result.reserveCapacity(range.count)
        list.forEach(inRows: range) { tap, part in
            result.append(contentsOf: rows(of: tap.element, tap.field, in: part))
        }
        return result
    }

    // MARK: - Coming and going

    private func makeTaps(_ elements: [Input]) -> [Entry] {
        elements.map { Entry($0, fieldOf($0), collector) }
    }

    final override func chooseInputs() -> [Node] {
        newTaps = makeTaps(input.node.allRows)
        return newTaps.map(\.field)
    }

    final override func refuseInput(at index: Int) { newTaps[index].isRefused = true }

    final override func abandonInputs() { newTaps = [] }

    final override func activate() {
        input.attach(self)
        for tap in newTaps { tap.startObserving() }
        list = ElementTapList(newTaps, weights: newTaps.map { weight(of: $0) })
        newTaps = []
    }

    final override func deactivate() {
        _ = collector.takeChangedTaps()
        for tap in list.taps(in: 0..<list.count) { tap.stopObserving() }
        list = ElementTapList()
        pending = nil
        newTaps = []
        input.detach(self)
    }

    private func weight(of tap: Entry) -> Int { tap.isRefused ? 0 : weight(of: tap.field) }

    // MARK: - Changing

    final override func recompute() {
        if let change = input.takeChange() {
            pending = change
            newTaps = makeTaps(change.modifications.flatMap(\.newElements))
        }
        if !newTaps.isEmpty, !collector.attach(newTaps) { return }
        var result = ArrayChange<Output>(initialCount: list.weight)
        if let change = pending {
            applyChange(change, into: &result)
            pending = nil
            newTaps = []
        }
        applyTapChanges(collector.takeChangedTaps(), into: &result)
        result = result.flattened()
        if let areEqual { result = result.trimmed(by: areEqual) }
        if !result.isEmpty { emit(result) }
    }

    private func applyChange(_ change: ArrayChange<Input>, into result: inout ArrayChange<Output>) {
        var next = 0
        for modification in change.modifications {
            let new = Array(newTaps[next..<(next + modification.outputCount)])
            next += modification.outputCount
            let old = list.taps(in: modification.inputRange)
            let position = list.weight(before: modification.startIndex)
            let oldRows = old.flatMap { emittedRows($0) }
            let newRows = new.flatMap { $0.isRefused ? [] : rows(of: $0.element, $0.field) }
            for tap in old { tap.chunk = nil }
            list.replaceSubrange(
                modification.inputRange, with: new, weights: new.map { weight(of: $0) })
            for tap in old { tap.stopObserving() }
            if let block = ArrayModification(replacing: oldRows, at: position, with: newRows) {
                result.add(block)
            }
        }
    }

    /// The rows of a tap in the state observers know.
    private func emittedRows(_ tap: Entry) -> [Output] {
        if tap.isRefused { return [] }
        if let change = tap.takeChange() { return rows(of: tap.element, tap.field, before: change) }
        return rows(of: tap.element, tap.field)
    }

    private func applyTapChanges(_ changed: [Entry], into result: inout ArrayChange<Output>) {
        var taps = changed
        if taps.count > 1 {
            // In ascending order, so that modifications are appended instead of inserted.
            let places = taps.map { (tap: $0, position: list.place(of: $0).position) }
            taps = places.sorted { $0.position < $1.position }.map(\.tap)
        }
        for tap in taps {
            guard let change = tap.takeChange() else { continue }
            let start = list.place(of: tap).weight
            for modification in modifications(of: tap.element, for: change) {
                result.add(modification.shifted(by: start))
            }
            list.setWeight(weight(of: tap), of: tap)
        }
    }
}
