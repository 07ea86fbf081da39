// Activation of idle nodes: inputs first, from a list instead of by recursion.
//
// Each activated node is held by an extra user until all are active, so `attach` within `activate` finds
// every input active. A node that chooses inputs (a switch, an operator on each element) is asked for
// them as soon as its static inputs are active; the chosen inputs are activated before the node. An
// input that leads back to a node whose activation is still waiting closes a cycle: the node that chose
// it must do without it.
//
// During a settling, an active node may be read only if it is settled (see `Node.isSettled`). If the
// activation finds one that is not settled, it undoes all its activations and the caller must wait.

/// Activates idle nodes.
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

    /// Activates a node outside of a settling.
    static func activate(_ node: Node) {
        var activation = Activation()
        _ = activation.hold(node)
        activation.release()
        node.scheduler.reportRefusals()
    }

    /// Reports the refused inputs and releases all held nodes.
    mutating func release() {
        let nodes = held
        for _ in 0..<refusals { nodes[0].scheduler.didRefuseInput() }
        refusals = 0
        held = []
        for node in nodes.reversed() { node.removeUser() }
    }

    /// Activates `root`, or returns the node that is not settled.
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
                activateAndHold(frame.node)
            }
        }
        return nil
    }

    private mutating func push(_ node: Node) {
        if let root = frames.first?.node { node.join(root.scheduler) }
        if node.staticInputs.isEmpty {
            activateAndHold(node)
        } else {
            node.isBeingActivated = true
            frames.append(Frame(node: node, inputs: node.staticInputs))
        }
    }

    private mutating func activateAndHold(_ node: Node) {
        held.append(node)
        node.startHeld()
    }

    /// Refuses the current input, which closes a cycle. The most recent choice has led here, as static
    /// inputs alone cannot form a cycle.
    private mutating func refuse() {
        guard let chooser = frames.lastIndex(where: \.hasChosen) else {
            stop("The inputs of an observable form a cycle.")
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
