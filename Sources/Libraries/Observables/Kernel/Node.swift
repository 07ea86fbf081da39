// A node of the graph that values are computed in.
//
// A node owns what it is computed from and is known, without being owned, to what is computed from
// it. It is *active* while anything uses it: an observer, or an active node computed from it. Only
// an active node keeps state and is recomputed; an idle one computes when asked. Its height is
// greater than that of each of its inputs, always while active; a node that takes on a higher input
// while active rises, and all that depend on it with it.
//
// Graphs may be deep: coming to life, going idle, rising and being released all go through lists
// (see Activation.swift and NodeRetirement.swift), so that a chain of any length takes no stack.

/// The part of a node that does not depend on what it computes.
class Node {
    private(set) final var scheduler: ObservableScheduler
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
    /// Whether it keeps state and is attached to its inputs.
    private(set) final var isActive = false
    /// The settling in which it came to life, or -1 if that was outside of any.
    private var birth = -1
    /// Whether it waits for its inputs to come to life.
    final var isBeingActivated = false
    /// What it is computed from for as long as it exists.
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

    /// The inputs it chooses for itself, by what its static inputs hold. Called just before
    /// `activate`, when the static inputs are active and settled.
    func chooseInputs() -> [Node] { [] }

    /// Told between `chooseInputs` and `activate`: the input at `index` depends on this node.
    func refuseInput(at index: Int) {}

    /// Told instead of `activate`: what was chosen is not to be kept.
    func abandonInputs() {}

    /// Calls `body` with each node that is recomputed after this one.
    func forEachDependent(_ body: (Node) -> Void) {
        dependents.forEach(body)
    }

    // MARK: - Owners

    /// Whether its scheduler knows nothing of it, so that it can go to another one.
    var canMove: Bool { !isActive && users == 0 }

    /// Goes to another scheduler. See `move(to:)`.
    final func belong(to scheduler: ObservableScheduler) {
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

    /// Comes to life. Its inputs are active by now, if it has static ones.
    final func start() {
        isActive = true
        birth = scheduler.settlingNumber ?? -1
        activate()
    }

    /// Whether an active node is up to date. Within a settling, that are those below the height
    /// being recomputed, and those that came to life in it, from settled inputs only.
    final var isSettled: Bool {
        guard let number = scheduler.settlingNumber else { return true }
        return height < scheduler.settlingHeight || birth == number
    }

    /// Comes to life with one user, who is yet to become known.
    final func hold() {
        users += 1
        start()
    }

    final func removeUser() {
        users -= 1
        if users == 0 { scheduler.retirement.retire(self) }
    }

    /// Goes idle if it has found no new user.
    final func stopIfUnused() {
        guard users == 0, isActive else { return }
        isActive = false
        queuedHeight = -1
        scheduler.waits.end(self)
        deactivate()
    }

    /// Makes `dependent` be recomputed after each change of this node. One node may depend on
    /// another by several edges.
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
            input !== self, "An observable depends on itself: its inputs form a circle.")
        raise(to: input.height + 1)
    }

    /// Gives it at least this height, and all that depend on it greater ones.
    ///
    /// Nodes are visited in ascending order of their old heights, so each of them once.
    final func raise(to floor: Int) {
        guard height < floor else { return }
        let base = height
        lift(to: floor)
        if dependents.isEmpty, !hasHiddenDependents { return }
        var visits: [[Node]] = [[self]]
        var offset = 0
        while offset < visits.count {
            for node in visits[offset] {
                node.forEachDependent { dependent in
                    guard dependent.height <= node.height else { return }
                    require(
                        dependent !== self,
                        "An observable depends on itself: its inputs form a circle.")
                    // A tap may be made above its owner, which is then yet to be put above it.
                    let place = max(dependent.height - base, offset + 1)
                    while visits.count <= place { visits.append([]) }
                    visits[place].append(dependent)
                    dependent.lift(to: node.height + 1)
                }
            }
            visits[offset] = []
            offset += 1
        }
    }

    private func lift(to floor: Int) {
        height = floor
        if queuedHeight >= 0 { scheduler.enqueue(self) }
    }

    /// Whether `forEachDependent` gives more than what was attached.
    var hasHiddenDependents: Bool { false }

    /// To be called before reading from outside the graph: what was written must be settled first,
    /// or an active node would answer with what it was. Costs a comparison if nothing was.
    final func prepareToRead() {
        checkOwner()
        scheduler.settle()
    }

    /// Idle nodes of this height and above are brought to life to be read, so that inputs that
    /// they share are computed once. Below it, computing something twice costs less than that.
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
