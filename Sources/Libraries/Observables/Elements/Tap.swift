// An operator that looks at an observable in each element has one tap on each of them. A tap is a
// node below its owner: when the element's observable changes, it notes itself in the owner's list,
// so that the owner need not go through all elements to find out whose it was. It emits nothing; its
// only dependent, which no list holds, is the owner.
//
// A tap remembers how far it has taken in its observable's changes. What the owner last told of an
// element is thus what the observable holds, less the change that the tap has not given out yet.

/// Where taps note themselves.
final class TapCollector<Element, Field: ChangeEmitting> {
    unowned let owner: Node
    fileprivate var noted: [Tap<Element, Field>] = []

    init(owner: Node) {
        self.owner = owner
    }

    /// The taps whose observables have changed since it was last asked, and that have not left.
    func takeNoted() -> [Tap<Element, Field>] {
        guard !noted.isEmpty else { return [] }
        defer { noted.removeAll() }
        for tap in noted { tap.isNoted = false }
        return noted.filter { !$0.hasLeft }
    }
}

/// The connection from one element's observable to the operator that looks at it.
class Tap<Element, Field: ChangeEmitting>: Node {
    let element: Element
    private var edge: Edge<Field>
    private let collector: TapCollector<Element, Field>
    /// The part of a `TapList` it is in.
    unowned var chunk: TapChunk<Element, Field>?
    fileprivate var isNoted = false
    /// Whether its element is no longer there.
    private(set) final var hasLeft = false
    /// Whether its observable depends on the owner, so that it must not be listened to.
    final var isRefused = false

    init(_ element: Element, _ field: Field, _ collector: TapCollector<Element, Field>) {
        self.element = element
        self.collector = collector
        edge = Edge(field)
        super.init(scheduler: field.scheduler, height: field.height + 1)
    }

    final var field: Field { edge.node }

    /// The change of the element's observable since it was last asked.
    final func take() -> Field.Change? { isRefused ? nil : edge.take() }

    /// Begins to listen, unless it was refused. The owner has taken up its observable.
    final func arrive() {
        guard !isRefused else { return }
        collector.owner.raise(to: max(height, field.height + 1) + 1)
        addUser()
    }

    final func leave() {
        hasLeft = true
        chunk = nil
        if isActive { removeUser() }
    }

    override final func activate() { edge.attach(self) }

    override final func deactivate() { edge.detach(self) }

    override final func recompute() {
        guard !isNoted else { return }
        isNoted = true
        collector.noted.append(self)
        scheduler.enqueue(collector.owner)
    }

    override final var hasHiddenDependents: Bool { true }

    override final func forEachDependent(_ body: (Node) -> Void) { body(collector.owner) }
}
