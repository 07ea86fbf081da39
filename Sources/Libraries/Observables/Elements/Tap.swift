// An operator on an observable in each element creates one tap per element. A tap is a node below its
// owner: when the element's observable changes, the tap adds itself to the owner's list, so the owner
// need not visit all elements to find the changed one. It emits nothing; its only dependent is the
// owner, which no list holds.
//
// A tap records the version up to which it has received its observable's changes. So the state the owner
// has last emitted for an element is the observable's value without the change that the tap has yet to
// hand out.

/// Collects the taps whose observables have changed.
final class TapCollector<Element, Field: ChangeEmitting> {
    unowned let owner: Node
    fileprivate var noted: [Tap<Element, Field>] = []

    init(owner: Node) {
        self.owner = owner
    }

    /// Removes and returns the taps whose observables have changed since the last call, except removed
    /// ones.
    func takeNoted() -> [Tap<Element, Field>] {
        guard !noted.isEmpty else { return [] }
        defer { noted.removeAll() }
        for tap in noted { tap.isNoted = false }
        return noted.filter { !$0.hasLeft }
    }
}

/// The connection from one element's observable to the operator that reads it.
class Tap<Element, Field: ChangeEmitting>: Node {
    let element: Element
    private var edge: Edge<Field>
    private let collector: TapCollector<Element, Field>
    /// The chunk of a `TapList` that contains the tap.
    unowned var chunk: TapChunk<Element, Field>?
    fileprivate var isNoted = false
    /// Whether the element has been removed.
    private(set) final var hasLeft = false
    /// Whether the observable depends on the owner, so that the tap must not attach to it.
    final var isRefused = false

    init(_ element: Element, _ field: Field, _ collector: TapCollector<Element, Field>) {
        self.element = element
        self.collector = collector
        edge = Edge(field)
        super.init(scheduler: field.scheduler, height: field.height + 1)
    }

    final var field: Field { edge.node }

    /// The change of the element's observable since the last call.
    final func take() -> Field.Change? { isRefused ? nil : edge.take() }

    /// Starts observing, unless refused. The owner has activated the observable.
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
