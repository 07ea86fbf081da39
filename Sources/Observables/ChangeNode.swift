// A node that says how it changed. While a transaction settles, a node that has changed holds its
// change, and those computed from it fetch it from there; nothing is copied for each of them. A
// version counts a node's changes, so that one that takes up an input in mid-settling does not
// count a change twice that was already part of what it read.

/// A node with changes of one kind.
class ChangeNode<Change: ChangeType>: Node {
    private(set) final var change: Change?
    private(set) final var version = 0

    /// Tells everyone concerned that the node has changed. At most once in a recomputation.
    final func emit(_ change: Change) {
        if self.change == nil { scheduler.didEmit(self) }
        self.change = change
        version += 1
        enqueueDependents()
        notifyObservers()
    }

    override final func clearChange() {
        change = nil
    }

    /// Sends each later change to `sink`.
    final func connect(_ sink: @escaping Sink<Change>) -> Connection {
        scheduler.checkThread()
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
    private var pending: Change?
    /// Whether `pending` is the product of merging, and so may have cancelled out.
    private var isMerged = false

    init(node: ChangeNode<Change>, sink: @escaping Sink<Change>) {
        self.node = node
        self.sink = sink
        super.init(serial: node.scheduler.makeSerial())
    }

    override func receive() {
        guard let change = node.change else { return }
        if let earlier = pending {
            pending = earlier.merged(with: change)
            isMerged = true
        } else {
            pending = change
            node.scheduler.await(self)
        }
    }

    override func deliver() {
        guard let change = pending else { return }
        let wasMerged = isMerged
        pending = nil
        isMerged = false
        if wasMerged, change.isEmpty { return }
        sink?(change)
    }

    fileprivate func disconnect() {
        node.scheduler.checkThread()
        guard sink != nil else { return }
        sink = nil
        pending = nil
        node.remove(self)
    }
}

/// What an edge needs of the node it comes from.
protocol ChangeEmitting: Node {
    associatedtype Change
    var change: Change? { get }
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
    mutating func take() -> Upstream.Change? {
        guard node.version != seen else { return nil }
        precondition(node.version == seen + 1, "A change of an input was missed.")
        seen = node.version
        return node.change
    }
}
