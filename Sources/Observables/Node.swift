// A node of the graph that values are computed in.
//
// A node owns what it is computed from and is known, without being owned, to what is computed from
// it. It is *active* while anything uses it: an observer, or an active node computed from it. Only
// an active node keeps state and is recomputed; an idle one computes when asked. Its height is
// greater than that of each of its inputs, always while active; a node that takes on a higher input
// while active rises, and all that depend on it with it.

/// The part of a node that does not depend on what it computes.
class Node {
    let scheduler: ObservableScheduler
    /// Nodes of one height are recomputed in the order in which they were made.
    let serial: Int
    private(set) var height: Int
    /// The height under which it waits to be recomputed, or -1.
    final var queuedHeight = -1
    /// How often it has been recomputed.
    final var recomputations = 0

    private var observers = NodeTable<AnyObserver>()
    private var dependents = NodeTable<Node>()
    private var users = 0

    init(scheduler: ObservableScheduler, height: Int) {
        self.scheduler = scheduler
        self.height = height
        serial = scheduler.makeSerial()
    }

    /// A node computed from `inputs`, which must belong to one thread.
    init(above inputs: [Node]) {
        let scheduler = inputs.first?.scheduler ?? .current
        for input in inputs {
            precondition(
                input.scheduler === scheduler,
                "Observables made on different threads cannot be combined.")
        }
        self.scheduler = scheduler
        height = (inputs.map(\.height).max() ?? -1) + 1
        serial = scheduler.makeSerial()
    }

    final var isActive: Bool { users > 0 }

    // MARK: - For subclasses

    /// Takes up its inputs and builds its state. Called when the first user arrives.
    func activate() {}

    /// Gives up its state and inputs. Called when the last user has gone.
    func deactivate() {}

    /// Brings its state up to date with its inputs, and emits the change if there is one.
    func recompute() {}

    /// Forgets the change it has emitted.
    func clearChange() {}

    /// Does about `budget` steps of work that was put off, and says whether it is done.
    func performDeferredWork(budget: Int) -> Bool { true }

    // MARK: - Users

    final func addUser() {
        users += 1
        if users == 1 { activate() }
    }

    final func removeUser() {
        users -= 1
        if users == 0 { deactivate() }
    }

    /// Makes `dependent` be recomputed after each change of this node. One node may depend on
    /// another by several edges.
    final func attach(_ dependent: Node) {
        precondition(
            dependent.scheduler === scheduler,
            "Observables made on different threads cannot be combined.")
        addUser()
        dependents.add(dependent)
        dependent.rise(above: self)
    }

    final func detach(_ dependent: Node) {
        dependents.remove(dependent)
        removeUser()
    }

    final func enqueueDependents() {
        dependents.forEach(scheduler.enqueue)
    }

    final func add(_ observer: AnyObserver) {
        observers.add(observer)
        addUser()
    }

    final func remove(_ observer: AnyObserver) {
        observers.remove(observer)
        removeUser()
    }

    final func notifyObservers() {
        observers.forEach { $0.receive() }
    }

    private func rise(above input: Node) {
        precondition(
            input !== self, "An observable depends on itself: its inputs form a circle.")
        raise(to: input.height + 1, because: input)
    }

    private func raise(to floor: Int, because cause: Node) {
        guard height < floor else { return }
        precondition(
            self !== cause, "An observable depends on itself: its inputs form a circle.")
        height = floor
        if queuedHeight >= 0 { scheduler.enqueue(self) }
        dependents.forEach { $0.raise(to: floor + 1, because: cause) }
    }

    /// To be called before reading from outside the graph: what was written must be settled first,
    /// or an active node would answer with what it was. Costs a comparison if nothing was.
    final func prepareToRead() {
        scheduler.checkThread()
        scheduler.settle()
    }
}
