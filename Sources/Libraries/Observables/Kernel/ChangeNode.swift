// A node that says how it changed. While a transaction settles, a node that has changed holds its
// change, and those computed from it fetch it from there; nothing is copied for each of them. A
// version counts a node's changes, so that one that takes up an input in mid-settling does not
// count a change twice that was already part of what it read.

/// A change on its way through the graph.
///
/// It is handed on as a reference: code that does not know the type of the change, as that of the
/// nodes is, takes long to get at a value of it, and so leaves that to closures that do know.
@usableFromInline
final class Emission<Change> {
    /// The change, or an empty one while it is yet to be worked out.
    @usableFromInline var known: Change
    @usableFromInline var workOut: (() -> Change)?
    /// What is known of a change that is yet to be worked out.
    @usableFromInline let preview: ChangePreview?

    @inlinable
    init(_ change: Change) {
        known = change
        workOut = nil
        preview = nil
    }

    /// A change of an array of `count` rows that is worked out when somebody asks for it.
    init<Element>(
        of count: Int, preview: ChangePreview, _ workOut: @escaping () -> Change
    ) where Change == ArrayChange<Element> {
        known = ArrayChange(initialCount: count)
        self.preview = preview
        self.workOut = workOut
    }

    /// The change.
    @inlinable
    var change: Change {
        if workOut != nil { finish() }
        return known
    }

    /// Where an array changed, if whoever made the change has said so: the first row concerned, and
    /// the one after the last, as it is now.
    @usableFromInline var rows: Range<Int>?

    @usableFromInline
    func finish() {
        guard let workOut else { return }
        self.workOut = nil
        known = workOut()
    }
}

/// A node with changes of one kind.
class ChangeNode<Change: ChangeType>: Node {
    private(set) final var emission: Emission<Change>?
    private(set) final var version = 0

    /// Tells everyone concerned that the node has changed. At most once in a recomputation.
    final func emit(_ change: Change) {
        emit(Emission(change))
    }

    /// Tells everyone concerned that the node has changed. At most once in a recomputation.
    final func emit(_ emission: Emission<Change>) {
        if self.emission == nil { scheduler.didEmit(self) }
        self.emission = emission
        version += 1
        enqueueDependents()
        notifyObservers()
    }

    override final func clearChange() {
        // What is released by this may write, and so have this node emit again. (As any object:
        // finding out its type takes longer than the rest.)
        let spent: AnyObject? = emission
        emission = nil
        withExtendedLifetime(spent) {}
    }

    /// Sends each later change to `sink`.
    final func connect(_ sink: @escaping Sink<Change>) -> Connection {
        checkOwner()
        // What was written before now is not for this sink.
        scheduler.settle()
        let observer = Observer(node: self, sink: sink)
        add(observer)
        return Connection { observer.disconnect() }
    }

    final var changes: Source<Change> {
        Source { self.connect($0) }
    }
}

/// A sink outside the graph, with the change it is yet to be told.
final class Observer<Change: ChangeType>: AnyObserver {
    private let node: ChangeNode<Change>
    private var sink: Sink<Change>?
    private var pending: Emission<Change>?
    /// Whether `pending` is the product of merging, and so may have cancelled out.
    private var isMerged = false

    init(node: ChangeNode<Change>, sink: @escaping Sink<Change>) {
        self.node = node
        self.sink = sink
        super.init(serial: node.scheduler.makeSerial())
    }

    override func receive() {
        guard let emission = node.emission else { return }
        // What is worked out from rows as they are now must be before they change again.
        if emission.preview?.isOfPresentRows == true { emission.finish() }
        if let earlier = pending {
            pending = Emission(earlier.change.merged(with: emission.change))
            isMerged = true
        } else {
            pending = emission
            node.scheduler.await(self)
        }
    }

    override func deliver() {
        guard let emission = pending else { return }
        // What has been merged may have cancelled out, and what was yet to be worked out be nothing.
        let wasMerged = isMerged
        pending = nil
        isMerged = false
        if wasMerged || emission.preview != nil, emission.change.isEmpty { return }
        sink?(emission.change)
    }

    fileprivate func disconnect() {
        node.checkOwner()
        guard sink != nil else { return }
        // What is let go of may use the node when it is released: not before all is done here.
        let released = (sink, pending)
        sink = nil
        pending = nil
        node.remove(self)
        withExtendedLifetime(released) {}
    }
}

/// What an edge needs of the node it comes from.
protocol ChangeEmitting: Node {
    associatedtype Change
    var emission: Emission<Change>? { get }
    var version: Int { get }
}

extension ChangeNode: ChangeEmitting {}

/// One input of a node, with how much of it has been taken in.
struct Edge<Upstream: ChangeEmitting> {
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

    /// The change since it was last asked, if any.
    @inline(__always)
    mutating func take() -> Upstream.Change? {
        takeEmission()?.change
    }

    /// The change since it was last asked, if there is one other than of the order of elements.
    mutating func takeUnlessReordered() -> Upstream.Change? {
        guard let emission = takeEmission(), emission.preview?.keepsElements != true else {
            return nil
        }
        return emission.change
    }

    /// The change since it was last asked, if any, as it is handed on.
    @inline(__always)
    mutating func takeEmission() -> Emission<Upstream.Change>? {
        let version = node.version
        guard version != seen else { return nil }
        require(version == seen + 1, "A change of an input was missed.")
        seen = version
        return node.emission
    }
}
