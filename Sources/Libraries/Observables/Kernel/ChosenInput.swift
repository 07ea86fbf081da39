// What the three kinds of switch have in common: an outer scalar says which inner node to follow.
//
// While active, the switch is attached to both. When the outer one changes, the new inner node is
// taken up (see Node+Choosing.swift) before the old one is let go, so that what they share stays
// active. Until that has come about, which may take a second turn in the same settling, the old one
// stays. If the new one depends on the switch itself it is refused and the old one stays, for good if
// it is refused in all further settlings of the transaction too; the next change of the outer scalar
// tries again.

/// The inputs of a node that follows whichever inner node an outer scalar chooses.
struct ChosenInput<Outer, Inner: ChangeEmitting> {
    private var outer: Edge<ScalarNode<Outer>>
    private let choose: (Outer) -> Inner
    private(set) var inner: Edge<Inner>?
    /// What was chosen and has not been taken up yet.
    private var upcoming: Inner?

    init(_ outer: ScalarNode<Outer>, choose: @escaping (Outer) -> Inner) {
        self.outer = Edge(outer)
        self.choose = choose
    }

    /// The inner node chosen now. For reading while idle.
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
        guard let node = upcoming else { return }
        upcoming = nil
        var edge = Edge(node)
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

    /// The inner node to change to, if the outer scalar has chosen another one.
    mutating func takeChoice() -> Inner? {
        if outer.take() != nil { upcoming = current }
        if let node = upcoming, node === inner?.node { upcoming = nil }
        return upcoming
    }

    /// Follows `node`, which has been made fit to be attached, or goes on as before if it was
    /// refused.
    mutating func follow(_ node: Inner, isRefused: Bool, for dependent: Node) {
        if isRefused {
            if !dependent.scheduler.refusals.mayRetry { upcoming = nil }
            return
        }
        upcoming = nil
        let old = inner
        var edge = Edge(node)
        edge.attach(dependent)
        inner = edge
        old?.detach(dependent)
    }

    /// The change of the inner node since it was last asked.
    mutating func take() -> Inner.Change? { inner?.take() }

    mutating func takeEmission() -> Emission<Inner.Change>? { inner?.takeEmission() }
}

/// The height that nodes with chosen inputs begin at: what they choose may be of any height, so
/// reading them while idle is never done by simply computing.
extension Node {
    final func beginAsChooser() {
        raise(to: Self.sharingHeight)
    }
}
