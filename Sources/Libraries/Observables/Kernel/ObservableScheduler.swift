// One scheduler per owner (Owner.swift: an actor, a task or a thread) runs all transactions of the
// owner's observables.
//
// A transaction has these steps:
//   1. Writes. A source takes its new value immediately and records one merged change.
//   2. Settling. Nodes whose inputs have changed are recomputed in ascending order of height. A node is
//      higher than all its inputs, so it is recomputed at most once, after all of them, and never sees
//      one input changed and another still unchanged. Propagation stops at a node whose new value equals
//      the old one. Reading a derived value inside a transaction settles the writes so far.
//   3. Delivery. After settling, each observer with a change receives it, in the order of connection.
//      All observers see the same committed state: the writes of an observer are queued and become a
//      transaction of their own after the delivery.
//   4. The queue. Queued transactions run first in, first out, each with steps 1 to 3. A transaction
//      caused by the delivery of another is one level deeper. Deeper than `cascadeLimit`, the observers
//      are assumed to write in a cycle: the rest of the queue is dropped and reported. The same happens
//      when `queueLimit` transactions wait whose observer was called because of its own writes: a cycle
//      that multiplies would fill the memory long before it is deep. All other writes of observers are
//      unlimited.
//
// Schedulers share nothing: an observable belongs to the owner that created it, and use by another owner
// stops the program (Node+Owner.swift describes when an observable changes owners instead).

internal import CSwiftRuntime
internal import Glibc

/// Runs the transactions of all observables of one actor, task or thread.
public final class ObservableScheduler {
    private enum Phase {
        case idle
        /// A transaction is open, with this nesting depth.
        case open(Int)
        /// Observers are being called; the current one has opened transactions to this nesting depth.
        case delivering(Int)
    }

    private struct QueuedTransaction {
        var writes: [() -> Void]
        let cause: WriteCause
    }

    /// The number of queued transactions, written by observers that were called because of their own
    /// writes, at which the queue is reported as a cycle. All other writes of observers are unlimited.
    public static let queueLimit = 100_000

    /// The length of a chain of transactions, each caused by an observer of the one before, beyond which
    /// the chain is reported as a cycle. The default is 1,000.
    public var cascadeLimit = 1_000

    /// Called when observers write in a cycle. The rest of the queue has already been dropped, and all
    /// observables remain usable. Without a handler, the program traps with the report.
    public var onCascade: ((CascadeReport) -> Void)?

    /// The number of recomputations of all nodes.
    package private(set) var recomputations = 0

    let owner: Owner
    /// The thread that alone identifies the owner: the owner itself, or the first thread, which is the
    /// main actor's. 0, which is no thread, for all other owners.
    private let thread: pthread_t
    /// The owner's executor, if the owner is an actor other than the main actor.
    private(set) weak var executor: AnyObject?
    private var phase = Phase.idle
    private var isSettling = false
    private var settlings = 0
    private var nextSerial = 0

    /// Nodes queued for recomputation, by height.
    private var buckets: [[Node]] = []
    private var lowest = 0
    private var queuedNodes = 0
    /// Nodes that hold a change until settling ends.
    private var emitted: [Node] = []

    /// Observers disconnected during the settling, with their nodes. Both may be running, so they stay
    /// alive, and the nodes active, until it ends.
    private var disconnected: [(observer: AnyObserver, node: Node)] = []

    /// Active nodes with deferred work. A node must remove itself before it is deactivated.
    var deferred = DeferredWork()

    private var pendingObservers: [AnyObserver] = []
    private var queue: [QueuedTransaction] = []
    /// The number of queued transactions that count towards `queueLimit`.
    private var recurringCount = 0
    /// The cause of the current transaction, if it came from the queue.
    private var cause: WriteCause?
    /// The serial number of the observer being called, and the cause of its writes once it has written.
    private var calledObserver: Int?
    private var causeOfCalledObserver: WriteCause?
    private var collectedWrites: [() -> Void] = []

    /// Nodes waiting to be deactivated or released.
    let retirement = NodeRetirement()
    /// Nodes that wait, within a settling, for an input they have chosen.
    var waits = InputWaits()
    /// Chosen inputs that depend on the nodes that chose them.
    var refusals = Refusals()

    init(owner: Owner) {
        self.owner = owner
        switch owner {
        case .thread(let thread): self.thread = thread
        case .mainActor: thread = is_first_thread() ? pthread_self() : 0
        case .executor, .task: thread = 0
        }
        executor = owner.executor
    }

    deinit {
        Self.forget(owner)
    }

    func makeSerial() -> Int {
        retirement.releaseKept()
        nextSerial += 1
        return nextSerial
    }

    /// Whether the calling thread alone proves that the owner is running. Most checks end here.
    @inline(__always)
    var isOwnThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    // MARK: - Transactions

    /// Runs `body` as one transaction. See ``transaction(_:)``.
    func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin()
        defer { end() }
        return try body()
    }

    /// Performs one write: immediately, if a transaction is open or can be opened; queued, if an
    /// observer is being called. The owner has been checked (see `Node.write`). The closure is created
    /// where it is used, so a write performed immediately allocates none.
    @inline(__always)
    func write(_ operation: @autoclosure () -> () -> Void) {
        if beginWrite() {
            operation()()
            end()
        } else {
            queueWrite(operation())
        }
    }

    /// Begins a transaction if a write is possible now. If so, `end` must follow the write.
    private func beginWrite() -> Bool {
        require(
            !isSettling,
            """
            A transform, predicate or comparator wrote to an observable. They must only compute; \
            write from a sink instead.
            """)
        if case .delivering = phase { return false }
        begin()
        return true
    }

    private func queueWrite(_ operation: @escaping () -> Void) {
        if case .delivering(let nested) = phase, nested > 0 {
            collectedWrites.append(operation)
        } else {
            enqueue([operation])
        }
    }

    private func begin() {
        switch phase {
        case .idle: phase = .open(1)
        case .open(let nested): phase = .open(nested + 1)
        case .delivering(let nested): phase = .delivering(nested + 1)
        }
    }

    private func end() {
        switch phase {
        case .idle: stop("A transaction ended that was never begun.")
        case .open(1): commit()
        case .open(let nested): phase = .open(nested - 1)
        case .delivering(let nested):
            phase = .delivering(nested - 1)
            if nested == 1, !collectedWrites.isEmpty {
                let writes = collectedWrites
                collectedWrites = []
                enqueue(writes)
            }
        }
    }

    private func enqueue(_ writes: [() -> Void]) {
        let cause = causeOfCalledObserver ?? WriteCause(observer: calledObserver, after: self.cause)
        causeOfCalledObserver = cause
        if cause.recurs {
            // `commit` finds the queue full once the sink has returned, and reports it.
            guard recurringCount < Self.queueLimit else { return }
            recurringCount += 1
        }
        queue.append(QueuedTransaction(writes: writes, cause: cause))
    }

    private func commit() {
        settle()
        phase = .delivering(0)
        deliver()
        // The queue is an array with a cursor: this library has no dependency that offers a deque.
        var next = 0
        while next < queue.count {
            if queue[next].cause.depth > cascadeLimit || recurringCount >= Self.queueLimit {
                let dropped = queue[next...]
                queue = []
                recurringCount = 0
                cause = nil
                phase = .idle
                report(
                    CascadeReport(kind: .observers, limit: cascadeLimit, dropped: dropped.count))
                return
            }
            let transaction = queue[next]
            // Release the writes in this turn: what they capture may write when it is released.
            queue[next].writes = []
            next += 1
            if next == 1024 {
                queue.removeFirst(next)
                next = 0
            }
            cause = transaction.cause
            if transaction.cause.recurs { recurringCount -= 1 }
            phase = .open(1)
            for write in transaction.writes { write() }
            settle()
            phase = .delivering(0)
            deliver()
        }
        queue.removeAll()
        cause = nil
        phase = .idle
        retirement.releaseKept()
        reportRefusals()
    }

    /// Counts an input that depends on the node that chose it. Traps at once if there is no handler.
    func didRefuseInput() {
        refusals.add()
        if onCascade == nil { report(refusals.takeReport()) }
    }

    /// Reports the refused inputs, unless a transaction is under way; its end reports them.
    func reportRefusals() {
        guard refusals.count > 0, !isSettling, case .idle = phase else { return }
        report(refusals.takeReport())
    }

    func report(_ report: CascadeReport) {
        guard let onCascade else { stop(report.description) }
        onCascade(report)
    }

    // MARK: - Settling

    /// Queues a node for recomputation.
    func enqueue(_ node: Node) {
        guard node.queuedHeight != node.height else { return }
        while buckets.count <= node.height { buckets.append([]) }
        node.queuedHeight = node.height
        buckets[node.height].append(node)
        lowest = min(lowest, node.height)
        queuedNodes += 1
    }

    /// Records that a node holds a change, which is cleared when all is settled.
    func didEmit(_ node: Node) {
        emitted.append(node)
    }

    /// The number of the current settling, or `nil` outside of one.
    var settlingNumber: Int? { isSettling ? settlings : nil }

    /// The height that is being recomputed.
    var settlingHeight: Int { lowest }

    /// Uncounts a recomputation in which the node only found that it must wait.
    func uncountRecomputation(of node: Node) {
        recomputations -= 1
        node.recomputations -= 1
    }

    /// Recomputes everything that depends on the writes so far. Does nothing while settling or without
    /// writes.
    func settle() {
        guard !isSettling else { return }
        while queuedNodes > 0 {
            recomputeQueued()
            while let last = disconnected.popLast() { last.node.removeUser() }
            // A change may hold the last reference to an object, which may write when it is released.
            while let node = emitted.popLast() { node.clearChange() }
            for node in refusals.takeRetries() where node.isActive { enqueue(node) }
        }
    }

    private func recomputeQueued() {
        isSettling = true
        settlings += 1
        while queuedNodes > 0 {
            guard !buckets[lowest].isEmpty else {
                lowest += 1
                continue
            }
            let height = lowest
            if buckets[height].count == 1 {
                // The usual case needs no second array.
                queuedNodes -= 1
                recompute(buckets[height].removeLast(), at: height)
                continue
            }
            var nodes = buckets[height]
            buckets[height] = []
            queuedNodes -= nodes.count
            nodes.sort { $0.serial < $1.serial }
            for node in nodes { recompute(node, at: height) }
        }
        lowest = 0
        isSettling = false
    }

    private func recompute(_ node: Node, at height: Int) {
        // A node that has risen since is in a later bucket.
        guard node.queuedHeight == height else { return }
        node.queuedHeight = -1
        guard node.isActive else { return }
        recomputations += 1
        node.recomputations += 1
        node.recompute()
    }

    // MARK: - Deferred work

    /// Whether deferred work is left: rows of a changed order are sorted only as far as they are read.
    public var hasDeferredWork: Bool { deferred.isLeft }

    /// Does a slice of the deferred work. Call it when the program is idle. Work not done in slices is
    /// done all at once when its result is needed.
    ///
    /// Inside a transaction or a sink it does nothing, so a loop there that waits for `false` would
    /// never end.
    ///
    /// - Parameter budget: About how many rows to handle. Some take a fraction of a microsecond each;
    ///   applying a finished order takes one step per row.
    /// - Returns: Whether work is left.
    @discardableResult
    public func performDeferredWork(budget: Int = 20_000) -> Bool {
        checkOwner()
        guard case .idle = phase, !isSettling else { return hasDeferredWork }
        // At least one step, whatever the budget: callers loop until the work is done.
        if let node = deferred.next, node.performDeferredWork(budget: max(1, budget)) {
            deferred.remove(node)
        }
        return hasDeferredWork
    }

    // MARK: - Delivery

    /// Removes `observer` from the users of `node`: at the end of settling if one is under way.
    func release(_ observer: AnyObserver, from node: Node) {
        if isSettling { disconnected.append((observer, node)) } else { node.removeUser() }
    }

    func scheduleDelivery(to observer: AnyObserver) {
        pendingObservers.append(observer)
    }

    private func deliver() {
        guard pendingObservers.count > 1 else {
            if let observer = pendingObservers.popLast() { call(observer) }
            return
        }
        var observers = pendingObservers
        pendingObservers.removeAll(keepingCapacity: true)
        observers.sort { $0.serial < $1.serial }
        for observer in observers { call(observer) }
    }

    private func call(_ observer: AnyObserver) {
        calledObserver = observer.serial
        observer.deliver()
        calledObserver = nil
        if causeOfCalledObserver != nil { causeOfCalledObserver = nil }
    }
}
