// Random graphs of observables, with a plain function for each node's expected value.

import Observables

/// Some 30 nodes above a few sources, each computed from earlier nodes.
final class Graph {
    static let nodeCount = 32

    enum Node {
        case scalar(Observable<Int>)
        case array(ObservableArray<Int>)
        case set(ObservableSet<Int>)
    }

    enum Value: Equatable {
        case scalar(Int)
        case array([Int])
        case set(Set<Int>)
    }

    /// A node with its number, the index of its value among all values.
    typealias Scalar = (index: Int, node: Observable<Int>)
    typealias Rows = (index: Int, node: ObservableArray<Int>)
    typealias Members = (index: Int, node: ObservableSet<Int>)

    let scalars = GraphState().scalars.map { Variable($0) }
    let arrays = GraphState().arrays.map { ArrayVariable($0) }
    let set = SetVariable<Int>()

    private(set) var nodes: [Node] = []
    /// Computes a node's value from the state and the values of the nodes before it.
    private var functions: [(GraphState, [Value]) -> Value] = []
    private var scalarNodes: [Scalar] = []
    private var arrayNodes: [Rows] = []
    private var setNodes: [Members] = []
    /// The number of further nodes that may multiply rows.
    private var multiplications = 3

    /// The state written so far.
    var state: GraphState {
        GraphState(
            scalars: scalars.map(\.value), arrays: arrays.map(\.value), set: set.value)
    }

    init(seed: Int) {
        var random = Seeded(seed)
        for (index, variable) in scalars.enumerated() {
            add(variable.observable) { state, _ in state.scalars[index] }
        }
        for (index, variable) in arrays.enumerated() {
            add(variable.observableArray) { state, _ in state.arrays[index] }
        }
        add(set.observableSet) { state, _ in state.set }
        while nodes.count < Self.nodeCount {
            switch random.below(10) {
            case 0, 1, 2: addScalar(&random)
            case 3, 4: addSet(&random)
            case 5 where multiplications > 0:
                multiplications -= 1
                addMultiplication(&random)
            default: addArray(&random)
            }
        }
    }

    /// The expected values of all nodes in a state.
    func values(in state: GraphState) -> [Value] {
        var values: [Value] = []
        for function in functions { values.append(function(state, values)) }
        return values
    }

    /// The actual values of all nodes.
    var values: [Value] {
        nodes.map { node in
            switch node {
            case .scalar(let scalar): .scalar(scalar.value)
            case .array(let array): .array(array.value)
            case .set(let set): .set(set.value)
            }
        }
    }

    // MARK: - Making nodes

    func add(_ node: Observable<Int>, _ function: @escaping (GraphState, [Value]) -> Int) {
        scalarNodes.append((nodes.count, node))
        nodes.append(.scalar(node))
        functions.append { .scalar(function($0, $1)) }
    }

    func add(
        _ node: ObservableArray<Int>, _ function: @escaping (GraphState, [Value]) -> [Int]
    ) {
        arrayNodes.append((nodes.count, node))
        nodes.append(.array(node))
        functions.append { .array(function($0, $1)) }
    }

    func add(_ node: ObservableSet<Int>, _ function: @escaping (GraphState, [Value]) -> Set<Int>) {
        setNodes.append((nodes.count, node))
        nodes.append(.set(node))
        functions.append { .set(function($0, $1)) }
    }

    func anyScalar(_ random: inout Seeded) -> Scalar {
        scalarNodes[random.below(scalarNodes.count)]
    }

    func anyArray(_ random: inout Seeded) -> Rows {
        arrayNodes[random.below(arrayNodes.count)]
    }

    func anySet(_ random: inout Seeded) -> Members {
        setNodes[random.below(setNodes.count)]
    }

    func someScalars(_ random: inout Seeded) -> Offer<Scalar> {
        Offer((0..<3).map { _ in anyScalar(&random) })
    }

    func someArrays(_ random: inout Seeded) -> Offer<Rows> {
        Offer((0..<3).map { _ in anyArray(&random) })
    }

    func someSets(_ random: inout Seeded) -> Offer<Members> {
        Offer((0..<3).map { _ in anySet(&random) })
    }
}

/// A few nodes, one of which is chosen by a number.
struct Offer<Node> {
    private let nodes: [Node]

    init(_ nodes: [Node]) {
        self.nodes = nodes
    }

    subscript(number: Int) -> Node {
        nodes[(number % nodes.count + nodes.count) % nodes.count]
    }
}

extension [Graph.Value] {
    func scalar(_ index: Int) -> Int {
        if case .scalar(let value) = self[index] { return value }
        preconditionFailure("Node \(index) is no scalar.")
    }

    func array(_ index: Int) -> [Int] {
        if case .array(let value) = self[index] { return value }
        preconditionFailure("Node \(index) is no array.")
    }

    func set(_ index: Int) -> Set<Int> {
        if case .set(let value) = self[index] { return value }
        preconditionFailure("Node \(index) is no set.")
    }
}
