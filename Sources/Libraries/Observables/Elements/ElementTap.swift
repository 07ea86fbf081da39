// An operator on an observable in each element creates one tap per element. A tap is a node below its
// owner: when the element's observable changes, the tap adds itself to the owner's list, so the owner
// need not visit all elements to find the changed one. It emits nothing; its only dependent is the
// owner, which no list holds.
//
// A tap records the version up to which it has received its observable's changes. So the state the owner
// has last emitted for an element is the observable's value without the change that the tap has yet to
// hand out.

/// Collects the taps whose observables have changed.
final class ElementTapCollector<Element, Field: ChangeEmitting> {
    unowned let owner: Node
    fileprivate var changedTaps: [ElementTap<Element, Field>] = []

    init(owner: Node) {
        self.owner = owner
    }

    /// Removes and returns the taps whose observables have changed since the last call, except removed
    /// ones.
    func takeChangedTaps() -> [ElementTap<Element, Field>] {
        guard !changedTaps.isEmpty else { return [] }
        defer { changedTaps.removeAll() }
        for tap in changedTaps { tap.isCollected = false }
        return changedTaps.filter { !$0.isRemoved }
    }

    /// Attaches the owner to new taps, as `attachChosenInputs` does. A tap whose observable depends on
    /// the owner is refused.
    ///
    /// - Returns: Whether they are attached. If not, the owner has been queued again.
    func attach<Tap: ElementTap<Element, Field>>(_ taps: [Tap]) -> Bool {
        owner.attachChosenInputs(taps.map(\.field)) { refused in
            for index in refused { taps[index].isRefused = true }
            for tap in taps { tap.startObserving() }
        }
    }
}

/// The connection from one element's observable to the operator that reads it.
class ElementTap<Element, Field: ChangeEmitting>: Node {
    let element: Element
    private var edge: InputEdge<Field>
    private let collector: ElementTapCollector<Element, Field>
    /// The chunk of an `ElementTapList` that contains the tap.
    unowned var chunk: ElementTapChunk<Element, Field>?
    fileprivate var isCollected = false
    /// Whether the element has been removed.
    private(set) final var isRemoved = false
    /// Whether the observable depends on the owner, so that the tap must not attach to it.
    final var isRefused = false

    init(_ element: Element, _ field: Field, _ collector: ElementTapCollector<Element, Field>) {
        self.element = element
        self.collector = collector
        edge = InputEdge(field)
        super.init(scheduler: field.scheduler, height: field.height + 1)
    }

    final var field: Field { edge.node }

    /// The change of the element's observable since the last call.
    final func takeChange() -> Field.Change? { isRefused ? nil : edge.takeChange() }

    /// Starts observing, unless refused. The owner has activated the observable.
    final func startObserving() {
        guard !isRefused else { return }
        collector.owner.raise(to: max(height, field.height + 1) + 1)
        addUser()
    }

    final func stopObserving() {
        isRemoved = true
        chunk = nil
        if isActive { removeUser() }
    }

    override final func activate() { edge.attach(self) }

    override final func deactivate() { edge.detach(self) }

    override final func recompute() {
        guard !isCollected else { return }
        isCollected = true
        collector.changedTaps.append(self)
        scheduler.enqueue(collector.owner)
    }

    override final var hasHiddenDependents: Bool { true }

    override final func forEachDependent(_ body: (Node) -> Void) { body(collector.owner) }
}
