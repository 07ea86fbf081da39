// Scalars, arrays and sets that follow the inner observable chosen by an outer scalar. The change of a
// switch leads from the state that observers know to the value of the new inner observable. If the old
// inner one has changed in the same settling, no observer knows that change, so it is reversed first.

/// The value of the scalar chosen by an outer scalar.
final class ScalarSwitchNode<Outer, Value>: ScalarNode<Value> {
    private var input: ChosenInput<Outer, ScalarNode<Value>>
    private let areEqual = equality(of: Value.self)
    private var value: Value?

    init(_ outer: ScalarNode<Outer>, choose: @escaping (Outer) -> ScalarNode<Value>) {
        input = ChosenInput(outer, choose: choose)
        super.init(above: [outer])
        raiseToSharingHeight()
    }

    override func read() -> Value { value ?? input.current.read() }

    override func chooseInputs() -> [Node] { input.chooseInputs() }

    override func abandonInputs() { input.abandon() }

    override func refuseInput(at index: Int) { input.abandon() }

    override func activate() {
        input.attach(self)
        guard let node = input.inner?.node else {
            stop(
                """
                An observable scalar chose an input that is computed from itself and never had \
                another: it has no value.
                """)
        }
        value = node.read()
    }

    override func deactivate() {
        value = nil
        input.detach(self)
    }

    override func recompute() {
        if let node = input.takeChoice() {
            let isDone = attachChosenInputs([node], retriesRefusals: true) {
                input.follow(node, isRefused: !$0.isEmpty, for: self)
            }
            if !isDone { return }
        }
        guard let old = value, let new = input.inner?.node.read() else { return }
        if areEqual?(old, new) == true { return }
        value = new
        emit(ScalarChange(from: old, to: new))
    }
}

/// The rows of the array chosen by a scalar.
final class ArraySwitchNode<Outer, Element>: ArrayNode<Element> {
    private var input: ChosenInput<Outer, ArrayNode<Element>>
    private let areEqual = equality(of: Element.self)

    init(_ outer: ScalarNode<Outer>, choose: @escaping (Outer) -> ArrayNode<Element>) {
        input = ChosenInput(outer, choose: choose)
        super.init(above: [outer])
        raiseToSharingHeight()
    }

    /// `nil` only while active, if the chosen node was refused.
    private var inner: ArrayNode<Element>? { isActive ? input.inner?.node : input.current }

    override var count: Int { inner?.count ?? 0 }

    override func rows(in range: Range<Int>) -> [Element] { inner?.rows(in: range) ?? [] }

    override var pendingOrder: ArrayReordering<Element>? { inner?.pendingOrder }

    override func chooseInputs() -> [Node] { input.chooseInputs() }

    override func abandonInputs() { input.abandon() }

    override func refuseInput(at index: Int) { input.abandon() }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        if let node = input.takeChoice() {
            var emitted: [Element]?
            let isDone = attachChosenInputs([node], retriesRefusals: true) { refused in
                if refused.isEmpty {
                    var rows = inner?.allRows ?? []
                    input.takeChange()?.reversed().apply(on: &rows)
                    emitted = rows
                }
                input.follow(node, isRefused: !refused.isEmpty, for: self)
            }
            if !isDone { return }
            if let emitted {
                emitDifference(from: emitted, to: node.allRows)
                return
            }
        }
        if let change = input.takeEmission() { emit(change) }
    }

    private func emitDifference(from old: [Element], to new: [Element]) {
        let ends = areEqual.map { old.commonEnds(with: new, by: $0) } ?? (prefix: 0, suffix: 0)
        if let difference = ArrayModification(from: old, to: new, except: ends) {
            emit(ArrayChange(initialCount: old.count, modification: difference))
        }
    }
}

/// The elements of the set chosen by a scalar.
final class SetSwitchNode<Outer, Element: Hashable>: SetNode<Element> {
    private var input: ChosenInput<Outer, SetNode<Element>>

    init(_ outer: ScalarNode<Outer>, choose: @escaping (Outer) -> SetNode<Element>) {
        input = ChosenInput(outer, choose: choose)
        super.init(above: [outer])
        raiseToSharingHeight()
    }

    /// `nil` only while active, if the chosen node was refused.
    private var inner: SetNode<Element>? { isActive ? input.inner?.node : input.current }

    override var elements: Set<Element> { inner?.elements ?? [] }

    override var count: Int { inner?.count ?? 0 }

    override func contains(_ element: Element) -> Bool { inner?.contains(element) ?? false }

    /// The depth of the chosen node is unknown beforehand.
    override var askingDepth: Int { .max }

    override func chooseInputs() -> [Node] { input.chooseInputs() }

    override func abandonInputs() { input.abandon() }

    override func refuseInput(at index: Int) { input.abandon() }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }

    override func recompute() {
        if let node = input.takeChoice() {
            var emitted: Set<Element>?
            let isDone = attachChosenInputs([node], retriesRefusals: true) { refused in
                if refused.isEmpty {
                    var elements = inner?.elements ?? []
                    input.takeChange()?.reversed().apply(on: &elements)
                    emitted = elements
                }
                input.follow(node, isRefused: !refused.isEmpty, for: self)
            }
            if !isDone { return }
            if let emitted {
                let change = SetChange(from: emitted, to: node.elements)
                if !change.isEmpty { emit(change) }
                return
            }
        }
        if let change = input.takeChange() { emit(change) }
    }
}
