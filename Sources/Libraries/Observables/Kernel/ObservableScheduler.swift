// One scheduler for each owner (Owner.swift: an actor, a task or a thread) carries every transaction of
// that owner's observables.
//
// A transaction goes through these steps:
//   1. Writes. A source takes its new value at once and records a merged change.
//   2. Settling. Nodes whose inputs have changed are recomputed in ascending order of height. As a
//      node is higher than all its inputs, each is recomputed at most once, after all of them, and
//      never sees one input changed and another not yet. A node that comes out equal stops there.
//      Reading a derived value inside a transaction settles what has been written so far.
//   3. Delivery. Once everything is settled, each observer with a change gets it, in the order in
//      which observers were connected. All of them see the same committed state: what an observer
//      writes is put in a queue and becomes a transaction of its own after the delivery.
//   4. The queue. Its transactions run first come, first served, each with steps 1 to 3. One caused
//      by the delivery of another is one deeper than it; beyond `cascadeLimit`, the observers are
//      held to be writing in a circle: the rest of the queue is dropped and reported. So they are if
//      `queueLimit` transactions wait whose observer was itself called because of what it had written:
//      a circle that multiplies would fill the memory long before it is deep. However much an observer
//      writes otherwise, that is no circle.
//
// Nothing here is shared between owners: an observable belongs to the one that made it, and use by
// another one stops the program (Node+Owner.swift says when it changes hands instead).

internal import CSwiftRuntime
internal import Glibc

/// Carries the transactions of all observables of one actor, task or thread.
public final class ObservableScheduler {
    private enum Phase {
        case idle
        /// A transaction is being written, nested to this depth.
        case open(Int)
        /// Observers are being called; this many transactions are open in the one being called.
        case delivering(Int)
    }

    private struct QueuedTransaction {
        var writes: [() -> Void]
        let cause: WriteCause
    }

    /// How many transactions may wait in the queue that observers caused who had caused themselves to
    /// be called, before it is held to be endless. What an observer writes otherwise is not limited.
    public static let queueLimit = 100_000

    /// How long a chain of transactions, each caused by an observer of the one before, may grow
    /// before it is reported as a circle. 1,000 unless set.
    public var cascadeLimit = 1_000

    /// Called when observers write in a circle. What was still queued has been dropped by then, and
    /// everything can be used as before. If there is no handler, the program traps with the report.
    public var onCascade: ((CascadeReport) -> Void)?

    /// How often any node has been recomputed.
    public private(set) var recomputations = 0

    let owner: Owner
    /// The thread on which no more need be asked: the owner itself, or the first one, which is the main
    /// actor's. For all other owners 0, which is no thread.
    private let thread: pthread_t
    /// The owner's, if it is an actor other than the main one.
    private(set) weak var executor: AnyObject?
    private var phase = Phase.idle
    private var isSettling = false
    private var settlings = 0
    private var nextSerial = 0

    /// Nodes to be recomputed, by height.
    private var buckets: [[Node]] = []
    private var lowest = 0
    private var queuedNodes = 0
    /// Nodes that hold a change until the end of settling.
    private var emitted: [Node] = []

    /// Observers that were disconnected within the settling, and what they observed. They live on
    /// and their nodes remain active until it ends: both may be at work just then.
    private var departed: [(observer: AnyObserver, node: Node)] = []

    private var deferred = DeferredWork()

    private var waiting: [AnyObserver] = []
    private var queue: [QueuedTransaction] = []
    /// How many in the queue count towards `queueLimit`.
    private var recurring = 0
    /// What the transaction at hand was caused by, if it was in the queue.
    private var cause: WriteCause?
    /// Which observer is being called, and what its writes are caused by once there are any.
    private var called: Int?
    private var causeOfCalled: WriteCause?
    private var collected: [() -> Void] = []

    /// Nodes on their way out.
    let retirement = NodeRetirement()
    /// Nodes that wait within a settling for an input that they have chosen.
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

    /// Whether the calling thread alone says that the owner is at work. Most checks end here.
    @inline(__always)
    var isOwnThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    // MARK: - Transactions

    /// Carries out `body` as one transaction. See ``transaction(_:)``.
    func transaction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        begin()
        defer { end() }
        return try body()
    }

    /// Carries out one write: now, if a transaction is open or can be opened; later, if an
    /// observer is being called. The owner has been checked (see `Node.write`).
    @inline(__always)
    func write(_ operation: @escaping () -> Void) {
        if beginWrite() {
            operation()
            end()
        } else {
            queueWrite(operation)
        }
    }

    /// Whether a write can be carried out now. If so a transaction has been begun, and `end` must
    /// follow the write.
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
            collected.append(operation)
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
        case .idle: stop("A transaction ended that had not begun.")
        case .open(1): commit()
        case .open(let nested): phase = .open(nested - 1)
        case .delivering(let nested):
            phase = .delivering(nested - 1)
            if nested == 1, !collected.isEmpty {
                let writes = collected
                collected = []
                enqueue(writes)
            }
        }
    }

    private func enqueue(_ writes: [() -> Void]) {
        let cause = causeOfCalled ?? WriteCause(observer: called, after: self.cause)
        causeOfCalled = cause
        if cause.recurs {
            // `commit` finds the queue full once the sink has returned, and reports it.
            guard recurring < Self.queueLimit else { return }
            recurring += 1
        }
        queue.append(QueuedTransaction(writes: writes, cause: cause))
    }

    private func commit() {
        settle()
        phase = .delivering(0)
        deliver()
        // The queue is an array with a place in it: this library has no dependency to take one from.
        var next = 0
        while next < queue.count {
            if queue[next].cause.depth > cascadeLimit || recurring >= Self.queueLimit {
                let dropped = queue[next...]
                queue = []
                recurring = 0
                cause = nil
                phase = .idle
                report(
                    CascadeReport(kind: .observers, limit: cascadeLimit, dropped: dropped.count))
                return
            }
            let transaction = queue[next]
            // What the writes hold goes with this turn: it may write when it is released.
            queue[next].writes = []
            next += 1
            if next == 1024 {
                queue.removeFirst(next)
                next = 0
            }
            cause = transaction.cause
            if transaction.cause.recurs { recurring -= 1 }
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

    /// Notes that a node chose an input that depends on it. Traps at once if nobody handles it.
    func didRefuseInput() {
        refusals.add()
        if onCascade == nil { report(refusals.takeReport()) }
    }

    /// Reports what was refused, unless a transaction is under way, whose end will.
    func reportRefusals() {
        guard refusals.count > 0, !isSettling, case .idle = phase else { return }
        report(refusals.takeReport())
    }

    func report(_ report: CascadeReport) {
        guard let onCascade else { stop(report.description) }
        onCascade(report)
    }

    // MARK: - Settling

    /// Puts a node in line to be recomputed.
    func enqueue(_ node: Node) {
        guard node.queuedHeight != node.height else { return }
        while buckets.count <= node.height { buckets.append([]) }
        node.queuedHeight = node.height
        buckets[node.height].append(node)
        lowest = min(lowest, node.height)
        queuedNodes += 1
    }

    /// Notes that a node holds a change, to be cleared when all is settled.
    func didEmit(_ node: Node) {
        emitted.append(node)
    }

    /// The number of the settling under way, if one is.
    var settlingNumber: Int? { isSettling ? settlings : nil }

    /// The height that is being recomputed.
    var settlingHeight: Int { lowest }

    /// Takes back that a node was recomputed: it has only found that it must wait.
    func didWait(_ node: Node) {
        recomputations -= 1
        node.recomputations -= 1
    }

    /// Recomputes everything that depends on what was written. Does nothing while that is under
    /// way, or if nothing was written.
    func settle() {
        guard !isSettling else { return }
        while queuedNodes > 0 {
            recomputeQueued()
            while let last = departed.popLast() { last.node.removeUser() }
            // A change may be the last to hold an object, which may write when it is released.
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
                // Nearly always: without a second array.
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
        // A node that has risen meanwhile is in a later bucket.
        guard node.queuedHeight == height else { return }
        node.queuedHeight = -1
        guard node.isActive else { return }
        recomputations += 1
        node.recomputations += 1
        node.recompute()
    }

    // MARK: - Deferred work

    /// Notes that an active node has put work off. It must take that back before it goes idle.
    func deferWork(of node: Node) {
        deferred.add(node)
    }

    /// Takes back that a node has put work off.
    func endDeferredWork(of node: Node) {
        deferred.remove(node)
    }

    /// Whether there is work that was put off: rows whose order has changed are sorted only as far
    /// as they are read.
    public var hasDeferredWork: Bool { deferred.isLeft }

    /// Does a slice of the work that was put off, for a program to call when it has nothing else to
    /// do. What is not done in slices is done when it is needed, all at once.
    ///
    /// Within a transaction or a sink it does nothing, so the answer there does not become `false` by
    /// calling it again and again.
    ///
    /// - Parameter budget: About how many rows to handle. Some take a fraction of a microsecond
    ///   each; putting a finished order to use takes one step for each of its rows.
    /// - Returns: Whether work is left.
    @discardableResult
    public func performDeferredWork(budget: Int = 20_000) -> Bool {
        checkOwner()
        guard case .idle = phase, !isSettling else { return hasDeferredWork }
        // Some progress, whatever is asked for: callers go on until it is done.
        if let node = deferred.next, node.performDeferredWork(budget: max(1, budget)) {
            deferred.remove(node)
        }
        return hasDeferredWork
    }

    // MARK: - Delivery

    /// Takes a user away from a node, of which `observer` was one.
    func release(_ observer: AnyObserver, from node: Node) {
        if isSettling { departed.append((observer, node)) } else { node.removeUser() }
    }

    func await(_ observer: AnyObserver) {
        waiting.append(observer)
    }

    private func deliver() {
        guard waiting.count > 1 else {
            if let observer = waiting.popLast() { call(observer) }
            return
        }
        var observers = waiting
        waiting.removeAll(keepingCapacity: true)
        observers.sort { $0.serial < $1.serial }
        for observer in observers { call(observer) }
    }

    private func call(_ observer: AnyObserver) {
        called = observer.serial
        observer.deliver()
        called = nil
        if causeOfCalled != nil { causeOfCalled = nil }
    }
}
