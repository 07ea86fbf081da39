/// A node whose value is a set. For use within the graph: all values are as of the last settling.
class SetNode<Element: Hashable>: ChangeNode<SetChange<Element>> {
    var elements: Set<Element> {
        stop("\(Self.self) does not implement elements.")
    }

    var count: Int { elements.count }

    func contains(_ element: Element) -> Bool { elements.contains(element) }

    /// The same elements, without hashing them if the node keeps them in another form.
    var elementList: [Element] { Array(elements) }

    /// The number of layers, of nodes that keep no elements, that a query of this node passes while it
    /// is active; 0 if it keeps its own elements.
    var askingDepth: Int { 0 }

    private weak var knownHub: SetKeyHub<Element>?

    /// The hub for the observers of single elements of this node.
    final var keyHub: SetKeyHub<Element> {
        if let knownHub { return knownHub }
        let hub = SetKeyHub(self)
        knownHub = hub
        return hub
    }
}

/// A set computed from one other node.
class SetInputNode<Upstream: ChangeEmitting, Element: Hashable>: SetNode<Element> {
    final var input: InputEdge<Upstream>

    init(_ input: Upstream) {
        self.input = InputEdge(input)
        super.init(above: [input])
    }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }
}

/// A set that never changes.
final class ConstantSetNode<Element: Hashable>: SetNode<Element> {
    private let storage: Set<Element>

    init(_ elements: Set<Element>) {
        storage = elements
        super.init(above: [])
    }

    override var elements: Set<Element> { storage }
}

/// The elements of a set, each transformed; several may have the same result.
final class SetMapNode<Input: Hashable, Element: Hashable>:
    SetInputNode<SetNode<Input>, Element>
{
    private let transform: (Input) -> Element
    /// The number of elements that gave each result.
    private var origins = ElementCounts<Element>()

    init(_ input: SetNode<Input>, transform: @escaping (Input) -> Element) {
        self.transform = transform
        super.init(input)
    }

    override var elements: Set<Element> {
        isActive ? origins.elements : Set(input.node.elements.map(transform))
    }

    override var count: Int { isActive ? origins.count : elements.count }

    override func contains(_ element: Element) -> Bool {
        isActive
            ? origins.contains(element)
            : input.node.elements.contains { transform($0) == element }
    }

    override func activate() {
        super.activate()
        for element in input.node.elements { origins.add(transform(element)) }
    }

    override func deactivate() {
        origins = ElementCounts()
        super.deactivate()
    }

    override func recompute() {
        guard let change = input.takeChange() else { return }
        var result = SetChange<Element>()
        for element in change.inserted.lazy.map(transform) {
            origins.add(element, recording: &result)
        }
        for element in change.removed.lazy.map(transform) {
            origins.remove(
                element, recording: &result,
                orStop:
                    "A transform gave another result for an element than before; it must be pure."
            )
        }
        if !result.isEmpty { emit(result) }
    }
}

/// The elements of a set for which a predicate holds.
final class SetFilterNode<Element: Hashable>: SetNode<Element> {
    typealias Predicate = (Element) -> Bool

    private var input: InputEdge<SetNode<Element>>
    private var predicate: InputEdge<ScalarNode<Predicate>>
    private var matching: Set<Element> = []

    init(_ input: SetNode<Element>, where predicate: ScalarNode<Predicate>) {
        self.input = InputEdge(input)
        self.predicate = InputEdge(predicate)
        super.init(above: [input, predicate])
    }

    private var computed: Set<Element> { input.node.elements.filter(predicate.node.read()) }

    override var elements: Set<Element> { isActive ? matching : computed }

    override var count: Int { elements.count }

    override func contains(_ element: Element) -> Bool {
        isActive
            ? matching.contains(element)
            : input.node.contains(element) && predicate.node.read()(element)
    }

    override func activate() {
        input.attach(self)
        predicate.attach(self)
        matching = computed
    }

    override func deactivate() {
        matching = []
        input.detach(self)
        predicate.detach(self)
    }

    override func recompute() {
        let change = input.takeChange()
        let result: SetChange<Element>
        if predicate.takeChange() != nil {
            let new = computed
            result = SetChange(from: matching, to: new)
            matching = new
        } else if let change {
            result = SetChange(
                removed: change.removed.intersection(matching),
                inserted: change.inserted.filter(predicate.node.read()))
            matching.subtract(result.removed)
            matching.formUnion(result.inserted)
        } else {
            return
        }
        if !result.isEmpty { emit(result) }
    }
}
