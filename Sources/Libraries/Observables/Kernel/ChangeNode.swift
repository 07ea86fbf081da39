// A node that emits its changes. During a settling, a changed node holds its change and its dependents
// fetch it from there; nothing is copied per dependent. A version counts the changes of a node, so that
// a dependent attached in the middle of a settling does not apply a change that its first read already
// included.

/// A change on its way through the graph.
///
/// It is passed by reference: code that is generic over the change type, such as the node classes, is
/// slow to access its value, so closures that know the type do it.
@usableFromInline
final class Emission<Change> {
    /// Empties an emission that nothing else holds, and drops any other. Without it, the emission
    /// serves once.
    @usableFromInline let reset: ((inout Emission?) -> Void)?
    /// The change, or an empty one while it is not computed yet.
    @usableFromInline var known: Change
    @usableFromInline var compute: (() -> Change)?
    /// The information about a change that is not computed yet.
    @usableFromInline let preview: ChangePreview?

    @inlinable
    init(_ change: Change, reset: ((inout Emission?) -> Void)? = nil) {
        self.reset = reset
        known = change
        compute = nil
        preview = nil
    }

    /// A change of an array of `count` rows that is computed on first access.
    init<Element>(
        of count: Int, preview: ChangePreview, _ compute: @escaping () -> Change
    ) where Change == ArrayChange<Element> {
        reset = nil
        known = ArrayChange(initialCount: count)
        self.preview = preview
        self.compute = compute
    }

    /// A change of an array of `count` rows, empty so far, in the spare emission if there is one.
    @inlinable
    static func begun<Element>(of count: Int, in spare: inout Emission?) -> Emission
    where Change == ArrayChange<Element> {
        let emission =
            spare.take()
            ?? Emission(ArrayChange(initialCount: count)) {
                guard isKnownUniquelyReferenced(&$0) else { return $0 = nil }
                $0?.known.clear()
                $0?.rows = nil
            }
        emission.known.knownCount = count
        return emission
    }

    /// The change.
    @inlinable
    var change: Change {
        if compute != nil { resolve() }
        return known
    }

    /// The range of changed rows in the new array, if the emitter provides it.
    @usableFromInline var rows: Range<Int>?

    @usableFromInline
    func resolve() {
        guard let compute else { return }
        self.compute = nil
        known = compute()
    }
}

/// A node with changes of one kind.
class ChangeNode<Change: ChangeType>: Node {
    private(set) final var emission: Emission<Change>?
    private(set) final var version = 0
    /// An empty emission, for the next change.
    final var spare: Emission<Change>?

    /// Notifies dependents and observers of a change. At most once per recomputation.
    final func emit(_ change: Change) {
        emit(Emission(change))
    }

    /// Notifies dependents and observers of a change. At most once per recomputation.
    final func emit(_ emission: Emission<Change>) {
        if self.emission == nil { scheduler.didEmit(self) }
        self.emission = emission
        version += 1
        enqueueDependents()
        notifyObservers()
    }

    override final func clearChange() {
        let spent = emission
        emission = nil
        recycle(consume spent)
    }

    /// Keeps an emission that nothing else holds, emptied, for the next change. (A closure that knows
    /// the type empties it: looking up the type takes longer than the rest.)
    final func recycle(_ spent: consuming Emission<Change>?) {
        // The released objects may write and so make this node emit again.
        guard let reset = spent?.reset else { return }
        reset(&spent)
        spare = spent
    }

    /// Sends each later change to `sink`.
    final func connect(_ sink: @escaping Sink<Change>) -> Connection {
        checkOwner()
        // Earlier writes are not for this sink.
        scheduler.settle()
        let observer = Observer(node: self, sink: sink)
        add(observer)
        return Connection { observer.disconnect() }
    }

    final var changes: Source<Change> {
        Source { self.connect($0) }
    }
}

/// A sink outside the graph, with the change that is not delivered yet.
final class Observer<Change: ChangeType>: AnyObserver {
    private let node: ChangeNode<Change>
    private var sink: Sink<Change>?
    private var pending: Emission<Change>?
    /// Whether `pending` is the product of merging, which may have cancelled out.
    private var isMerged = false

    init(node: ChangeNode<Change>, sink: @escaping Sink<Change>) {
        self.node = node
        self.sink = sink
        super.init(serial: node.scheduler.makeSerial())
    }

    override func receive() {
        guard let emission = node.emission else { return }
        // A change computed from the current rows must be computed before they change again.
        if emission.preview?.isOfPresentRows == true { emission.resolve() }
        if let earlier = pending {
            pending = Emission(earlier.change.merged(with: emission.change))
            isMerged = true
        } else {
            pending = emission
            node.scheduler.scheduleDelivery(to: self)
        }
    }

    override func deliver() {
        guard let emission = pending else { return }
        // A merged change may have cancelled out, and a deferred one may turn out empty.
        let wasMerged = isMerged
        pending = nil
        isMerged = false
        if wasMerged || emission.preview != nil, emission.change.isEmpty { return }
        sink?(emission.change)
        node.recycle(consume emission)
    }

    fileprivate func disconnect() {
        node.checkOwner()
        guard sink != nil else { return }
        // The released objects may use the node, so release them last.
        let released = (sink, pending)
        sink = nil
        pending = nil
        node.remove(self)
        withExtendedLifetime(released) {}
    }
}

/// The part of a node that an edge uses.
protocol ChangeEmitting: Node {
    associatedtype Change
    var emission: Emission<Change>? { get }
    var version: Int { get }
}

extension ChangeNode: ChangeEmitting {}

/// One input of a node, and the version up to which its changes have been received.
struct InputEdge<Upstream: ChangeEmitting> {
    let node: Upstream
    private var seen = 0

    init(_ node: Upstream) {
        self.node = node
    }

    mutating func attach(_ dependent: Node) {
        node.attach(dependent)
        seen = node.version
    }

    func detach(_ dependent: Node) {
        node.detach(dependent)
    }

    /// The change since the last call, if any.
    @inline(__always)
    mutating func takeChange() -> Upstream.Change? {
        takeEmission()?.change
    }

    /// The change since the last call, unless it only reorders elements.
    mutating func takeChangeUnlessReordered() -> Upstream.Change? {
        guard let emission = takeEmission(), emission.preview?.keepsElements != true else {
            return nil
        }
        return emission.change
    }

    /// The emission since the last call, if any.
    @inline(__always)
    mutating func takeEmission() -> Emission<Upstream.Change>? {
        let version = node.version
        guard version != seen else { return nil }
        require(version == seen + 1, "A change of an input was missed.")
        seen = version
        return node.emission
    }
}
