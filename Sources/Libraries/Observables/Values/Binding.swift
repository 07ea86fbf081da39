// A binding of two variables. A write to either is copied to the other immediately, before any
// recomputation, so both belong to the same transaction and no reader ever sees them differ.
//
// Variables and bindings form a graph of any shape. A written value spreads through it, to each variable
// once, so cycles are harmless. A binding that transforms values must not be part of a cycle: a variable
// would need two values, one for each way round. Closing such a cycle is refused.
//
// The variables' nodes own the binding, which does not own them; its connection owns all three.

/// The part of a binding that is independent of the value types.
class AnyBinding {
    let transforms: Bool

    init(transforms: Bool) {
        self.transforms = transforms
    }

    /// The node at the other end.
    func otherEnd(of node: Node) -> any BoundNode {
        stop("\(Self.self) has no ends.")
    }

    /// Sets the other end to the value that follows from that of `node`.
    func copyValue(from node: Node) {}
}

/// The part of a variable's node that is needed for bindings and independent of the value type.
protocol BoundNode: Node {
    var bindings: [AnyBinding] { get set }
}

extension BoundNode {
    /// Propagates the value to all variables bound to this one, directly or through others.
    func propagateValue() {
        var reached: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var pending: [any BoundNode] = [self]
        while let node = pending.popLast() {
            for binding in node.bindings {
                let other = binding.otherEnd(of: node)
                guard reached.insert(ObjectIdentifier(other)).inserted else { continue }
                binding.copyValue(from: node)
                pending.append(other)
            }
        }
    }

    /// Whether a value written here reaches `target`, through all bindings or only through those that do
    /// not transform it.
    func reaches(_ target: Node, unchanged: Bool) -> Bool {
        var reached: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var pending: [any BoundNode] = [self]
        while let node = pending.popLast() {
            if node === target { return true }
            for binding in node.bindings where !(unchanged && binding.transforms) {
                let other = binding.otherEnd(of: node)
                if reached.insert(ObjectIdentifier(other)).inserted { pending.append(other) }
            }
        }
        return false
    }
}

extension VariableNode: BoundNode {}

/// A binding of two variables.
final class Binding<Left, Right>: AnyBinding {
    private unowned let left: VariableNode<Left>
    private unowned let right: VariableNode<Right>
    private let forward: (Left) -> Right
    private let backward: (Right) -> Left
    private var hasEnded = false

    init(
        _ left: VariableNode<Left>, _ right: VariableNode<Right>, transforms: Bool,
        forward: @escaping (Left) -> Right, backward: @escaping (Right) -> Left
    ) {
        self.left = left
        self.right = right
        self.forward = forward
        self.backward = backward
        super.init(transforms: transforms)
    }

    /// Copies the right variable's value to the left one and keeps both in sync from then on.
    func begin() {
        guard !hasEnded else { return }
        let isCircle = left.reaches(right, unchanged: false)
        require(
            !isCircle || !transforms && left.reaches(right, unchanged: true),
            """
            Variables were bound in a cycle that transforms values: a variable on it would need \
            two values.
            """)
        if !isCircle { left.assign(backward(right.value)) }
        left.bindings.append(self)
        right.bindings.append(self)
    }

    func end() {
        hasEnded = true
        left.bindings.removeAll { $0 === self }
        right.bindings.removeAll { $0 === self }
    }

    override func otherEnd(of node: Node) -> any BoundNode { node === left ? right : left }

    override func copyValue(from node: Node) {
        if node === left {
            right.store(forward(left.value))
        } else {
            left.store(backward(right.value))
        }
    }
}
