// A node of the dependency graph that computes observable values.
//
// A node owns its inputs; an input refers to its dependents without owning them. A node is *active*
// while it has a user: an observer or an active dependent. Only active nodes keep state and are
// recomputed; an idle node computes its value on each read. The height of a node is greater than the
// height of each of its inputs, always while active. An active node that attaches a higher input rises,
// and all its dependents rise with it.
//
// Graphs may be deep. Activation, deactivation, rising and release use lists instead of recursion (see
// Activation.swift and NodeRetirement.swift), so a chain of any length needs no stack.

/// The part of a node that is independent of the value it computes.
class Node {
    private(set) final var scheduler: ObservableScheduler
    /// The creation order, in which nodes of one height are recomputed.
    let serial: Int
    private(set) var height: Int
    /// The height at which the node is queued for recomputation, or -1.
    final var queuedHeight = -1
    /// How often the node has been recomputed.
    final var recomputations = 0

    private var observers = NodeTable<AnyObserver>()
    private var dependents = NodeTable<Node>()
    private var users = 0
    /// Whether the node keeps state and is attached to its inputs.
    private(set) final var isActive = false
    /// The number of the settling that activated the node, or -1 if none was under way.
    private var activationSettling = -1
    /// Whether the activation of the node waits for its inputs.
    final var isBeingActivated = false
    /// The inputs that never change.
    final let staticInputs: [Node]

    init(scheduler: ObservableScheduler, height: Int) {
        self.scheduler = scheduler
        self.height = height
        staticInputs = []
        serial = scheduler.makeSerial()
    }

    /// A node computed from `inputs`, which must have one owner.
    init(above inputs: [Node]) {
        var scheduler = inputs.first?.scheduler ?? .current
        if inputs.contains(where: { $0.scheduler !== scheduler }) {
            scheduler = .current
            for input in inputs { input.join(scheduler) }
        }
        self.scheduler = scheduler
        height = (inputs.map(\.height).max() ?? -1) + 1
        staticInputs = inputs
        serial = scheduler.makeSerial()
    }

    deinit {
        if height > NodeRetirement.recursionLimit { scheduler.retirement.keep(staticInputs) }
    }

    // MARK: - For subclasses

    /// Attaches the inputs and builds the state. Called when the first user arrives.
    func activate() {}

    /// Drops the state and detaches the inputs. Called when the last user has gone.
    func deactivate() {}

    /// Updates the state from the inputs, and emits a change if there is one.
    func recompute() {}

    /// Drops the emitted change.
    func clearChange() {}

    /// Does about `budget` steps of deferred work.
    ///
    /// - Returns: Whether all of it is done.
    func performDeferredWork(budget: Int) -> Bool { true }

    /// The inputs that depend on the values of the static inputs. Called just before `activate`, when
    /// the static inputs are active and settled.
    func chooseInputs() -> [Node] { [] }

    /// Called between `chooseInputs` and `activate` for each chosen input that depends on this node.
    func refuseInput(at index: Int) {}

    /// Called instead of `activate` when the activation is given up: drops the chosen inputs.
    func abandonInputs() {}

    /// Calls `body` with each node that is recomputed after this one.
    func forEachDependent(_ body: (Node) -> Void) {
        dependents.forEach(body)
    }

    // MARK: - Owners

    /// Whether the scheduler holds no reference to the node, so that the node can move to another
    /// scheduler.
    var canMove: Bool { !isActive && users == 0 }

    /// Changes the scheduler. See `move(to:)`.
    final func setScheduler(to scheduler: ObservableScheduler) {
        self.scheduler = scheduler
    }

    // MARK: - Users

    final func addUser() {
        users += 1
        guard !isActive else { return }
        if staticInputs.isEmpty {
            start()
        } else {
            Activation.activate(self)
        }
    }

    /// Activates the node. Its static inputs must be active.
    final func start() {
        isActive = true
        activationSettling = scheduler.settlingNumber ?? -1
        activate()
    }

    /// Whether an active node is up to date. During a settling, this holds for nodes below the height
    /// that is being recomputed, and for nodes activated in this settling, which start from settled
    /// inputs.
    final var isSettled: Bool {
        guard let number = scheduler.settlingNumber else { return true }
        return height < scheduler.settlingHeight || activationSettling == number
    }

    /// Activates the node with one user, which holds it until its dependents are attached.
    final func startHeld() {
        users += 1
        start()
    }

    final func removeUser() {
        users -= 1
        if users == 0 { scheduler.retirement.retire(self) }
    }

    /// Deactivates the node if it still has no user.
    final func stopIfUnused() {
        guard users == 0, isActive else { return }
        isActive = false
        queuedHeight = -1
        scheduler.waits.end(self)
        deactivate()
    }

    /// Recomputes `dependent` after each change of this node. A dependent may be attached several times.
    final func attach(_ dependent: Node) {
        join(dependent.scheduler)
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
        scheduler.release(observer, from: self)
    }

    final func notifyObservers() {
        observers.forEach { $0.receive() }
    }

    private func rise(above input: Node) {
        require(
            input !== self, "An observable depends on itself: its inputs form a cycle.")
        raise(to: input.height + 1)
    }

    /// Raises the node to at least `floor`, and its dependents above it.
    ///
    /// Visits nodes in ascending order of their old heights, so each node once.
    final func raise(to floor: Int) {
        guard height < floor else { return }
        let base = height
        setHeight(to: floor)
        if dependents.isEmpty, !hasHiddenDependents { return }
        var visits: [[Node]] = [[self]]
        var offset = 0
        while offset < visits.count {
            for node in visits[offset] {
                node.forEachDependent { dependent in
                    guard dependent.height <= node.height else { return }
                    require(
                        dependent !== self,
                        "An observable depends on itself: its inputs form a cycle.")
                    // A tap's owner may still be below the tap when the tap is created.
                    let place = max(dependent.height - base, offset + 1)
                    while visits.count <= place { visits.append([]) }
                    visits[place].append(dependent)
                    dependent.setHeight(to: node.height + 1)
                }
            }
            visits[offset] = []
            offset += 1
        }
    }

    private func setHeight(to floor: Int) {
        height = floor
        if queuedHeight >= 0 { scheduler.enqueue(self) }
    }

    /// Whether `forEachDependent` visits nodes that were not attached.
    var hasHiddenDependents: Bool { false }

    /// Checks the owner and settles pending writes. Call it before each read from outside the graph:
    /// otherwise an active node would return a stale value. Without pending writes it costs one
    /// comparison.
    final func prepareToRead() {
        checkOwner()
        scheduler.settle()
    }

    /// The height from which an idle node is activated for a read, so that shared inputs are computed
    /// once. Below it, computing an input twice is cheaper than activation.
    static let sharingHeight = 4

    /// Calls `body`, which reads this node from outside the graph.
    final func reading<Result>(_ body: () -> Result) -> Result {
        prepareToRead()
        guard !isActive, height >= Self.sharingHeight, scheduler.settlingNumber == nil else {
            return body()
        }
        addUser()
        defer { removeUser() }
        return body()
    }
}
