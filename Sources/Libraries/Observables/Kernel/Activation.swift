// How idle nodes come to life: what they are computed from first, in a list instead of by recursion.
//
// Each node that comes to life is held, by one user more, until all is done, so that `attach` within
// `activate` finds every input active. A node that chooses inputs (a switch, an operator on each
// element) is asked for them as soon as its static inputs are active; they then come to life before
// it does. An input that leads back to a node still waiting to come to life is a circle: the node
// that chose it is told to do without it.
//
// Within a settling, an active node may be read only if it is settled (see `Node.isSettled`). If one
// that is not is found, nothing of what was asked for stays active, and whoever asked has to wait.

/// Brings idle nodes to life.
struct Activation {
    private struct Frame {
        let node: Node
        var inputs: [Node]
        var next = 0
        var hasChosen = false
    }

    private var frames: [Frame] = []
    private var held: [Node] = []
    private var refusals = 0

    /// Brings a node to life outside of a settling.
    static func activate(_ node: Node) {
        var activation = Activation()
        _ = activation.hold(node)
        activation.release()
        node.scheduler.reportRefusals()
    }

    /// Reports what was refused on the way and lets go of all that was held.
    mutating func release() {
        let nodes = held
        for _ in 0..<refusals { nodes[0].scheduler.didRefuseInput() }
        refusals = 0
        held = []
        for node in nodes.reversed() { node.removeUser() }
    }

    /// Brings `root` to life, or gives the node that is not settled.
    mutating func hold(_ root: Node) -> Node? {
        guard !root.isActive else {
            if !root.isSettled { return root }
            root.addUser()
            held.append(root)
            return nil
        }
        let mark = (held: held.count, refusals: refusals)
        push(root)
        while let frame = frames.last {
            let top = frames.count - 1
            if frame.next < frame.inputs.count {
                let input = frame.inputs[frame.next]
                if input.isActive {
                    if !input.isSettled {
                        abandon(to: mark.held)
                        refusals = mark.refusals
                        return input
                    }
                    frames[top].next += 1
                } else if input.isBeingActivated {
                    refuse()
                } else {
                    push(input)
                }
            } else if !frame.hasChosen {
                frames[top].hasChosen = true
                frames[top].inputs = frame.node.chooseInputs()
                frames[top].next = 0
            } else {
                frames.removeLast()
                frame.node.isBeingActivated = false
                finish(frame.node)
            }
        }
        return nil
    }

    private mutating func push(_ node: Node) {
        if let root = frames.first?.node { node.join(root.scheduler) }
        if node.staticInputs.isEmpty {
            finish(node)
        } else {
            node.isBeingActivated = true
            frames.append(Frame(node: node, inputs: node.staticInputs))
        }
    }

    private mutating func finish(_ node: Node) {
        held.append(node)
        node.hold()
    }

    /// The input at hand closes a circle. The choice made last has led here, for static inputs
    /// alone cannot.
    private mutating func refuse() {
        guard let chooser = frames.lastIndex(where: \.hasChosen) else {
            stop("The inputs of an observable form a circle.")
        }
        while frames.count - 1 > chooser {
            frames.removeLast().node.isBeingActivated = false
        }
        let frame = frames[chooser]
        frame.node.refuseInput(at: frame.next)
        frames[chooser].next += 1
        refusals += 1
    }

    private mutating func abandon(to mark: Int) {
        while let frame = frames.popLast() {
            frame.node.isBeingActivated = false
            if frame.hasChosen { frame.node.abandonInputs() }
        }
        while held.count > mark { held.removeLast().removeUser() }
    }
}
