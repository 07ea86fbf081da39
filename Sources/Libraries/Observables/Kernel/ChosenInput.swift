// The common part of the three switch nodes: an outer scalar chooses the inner node to follow.
//
// An active switch is attached to both. When the outer scalar changes, the switch attaches the new inner
// node (see Node+Choosing.swift) before it detaches the old one, so that shared inputs stay active.
// Attaching may need a second turn in the same settling; until then the old node stays. A new node that
// depends on the switch itself is refused and the old node stays, permanently if all further settlings
// of the transaction refuse it too; the next change of the outer scalar tries again.

/// The inputs of a node that follows the inner node chosen by an outer scalar.
struct ChosenInput<Outer, Inner: ChangeEmitting> {
    private var outer: InputEdge<ScalarNode<Outer>>
    private let choose: (Outer) -> Inner
    private(set) var inner: InputEdge<Inner>?
    /// The chosen node that is not attached yet.
    private var upcoming: Inner?

    init(_ outer: ScalarNode<Outer>, choose: @escaping (Outer) -> Inner) {
        self.outer = InputEdge(outer)
        self.choose = choose
    }

    /// The inner node chosen now, for reading while idle.
    var current: Inner { choose(outer.node.read()) }

    // MARK: - Coming and going

    mutating func chooseInputs() -> [Node] {
        let node = current
        upcoming = node
        return [node]
    }

    mutating func abandon() {
        upcoming = nil
    }

    mutating func attach(_ dependent: Node) {
        outer.attach(dependent)
        guard let node = upcoming.take() else { return }
        var edge = InputEdge(node)
        edge.attach(dependent)
        inner = edge
    }

    mutating func detach(_ dependent: Node) {
        outer.detach(dependent)
        inner?.detach(dependent)
        inner = nil
        upcoming = nil
    }

    // MARK: - Changing

    /// The inner node to switch to, if the outer scalar has chosen another one.
    mutating func takeChoice() -> Inner? {
        if outer.takeChange() != nil { upcoming = current }
        if let node = upcoming, node === inner?.node { upcoming = nil }
        return upcoming
    }

    /// Switches to `node`, which is ready to be attached, or keeps the current node if `node` was
    /// refused.
    mutating func follow(_ node: Inner, isRefused: Bool, for dependent: Node) {
        if isRefused {
            if !dependent.scheduler.refusals.mayRetry { upcoming = nil }
            return
        }
        upcoming = nil
        let old = inner
        var edge = InputEdge(node)
        edge.attach(dependent)
        inner = edge
        old?.detach(dependent)
    }

    /// The change of the inner node since the last call.
    mutating func takeChange() -> Inner.Change? { inner?.takeChange() }

    mutating func takeEmission() -> Emission<Inner.Change>? { inner?.takeEmission() }
}

/// The initial height of nodes with chosen inputs. A chosen input may have any height, so a read of an
/// idle node always activates it first.
extension Node {
    final func raiseToSharingHeight() {
        raise(to: Self.sharingHeight)
    }
}
