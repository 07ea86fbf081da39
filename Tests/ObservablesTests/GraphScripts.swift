// Random graphs of observables with the plain function that says what each node's value is, and
// scripts of what can happen to them.

import Observables

/// All that is written to.
struct GraphState: Equatable {
    static let scalarCount = 4
    static let arrayCount = 2

    var scalars = [Int](repeating: 0, count: scalarCount)
    var arrays = [[Int]](repeating: [], count: arrayCount)
    var set: Set<Int> = []
}

enum GraphStep: Equatable, Simplifiable {
    case write(Int, Int)
    case edit(array: Int, at: Int, count: Int, with: [Int])
    case toggle(Int)
    case transaction([GraphStep])
    case connect(Int)
    /// Connects a sink that writes what it is told to a variable, three times at most.
    case react(from: Int, to: Int)
    case disconnect(Int)
    case read

    var simpler: [GraphStep] {
        switch self {
        case .write(let index, let value):
            index.simpler.map { .write($0, value) } + value.simpler.map { .write(index, $0) }
        case .edit(let array, let start, let count, let new):
            array.simpler.map { .edit(array: $0, at: start, count: count, with: new) }
                + start.simpler.map { .edit(array: array, at: $0, count: count, with: new) }
                + count.simpler.map { .edit(array: array, at: start, count: $0, with: new) }
                + new.simpler.map { .edit(array: array, at: start, count: count, with: $0) }
        case .toggle(let element): element.simpler.map { .toggle($0) }
        case .transaction(let steps): steps + steps.simpler.map { .transaction($0) }
        case .connect(let node): node.simpler.map { .connect($0) }
        case .react(let node, let variable):
            [.connect(node)] + node.simpler.map { .react(from: $0, to: variable) }
                + variable.simpler.map { .react(from: node, to: $0) }
        case .disconnect(let index): index.simpler.map { .disconnect($0) }
        case .read: []
        }
    }

    static let generator = StepGenerator<GraphStep> { random(&$0) }

    private static func random(_ random: inout Seeded) -> GraphStep {
        switch random.below(14) {
        case 0, 1, 2: return .connect(random.below(24))
        case 3: return .react(from: random.below(24), to: random.below(4))
        case 4: return .disconnect(random.below(8))
        case 5, 6, 7:
            return .transaction((0..<random.below(6)).map { _ in write(&random) })
        default: return write(&random)
        }
    }

    private static func write(_ random: inout Seeded) -> GraphStep {
        switch random.below(8) {
        case 0, 1, 2: return .write(random.below(4), random.below(4))
        case 3: return .toggle(random.below(5))
        case 4: return .read
        default:
            return .edit(
                array: random.below(2), at: random.below(6), count: random.below(3),
                with: random.array(limit: 2))
        }
    }
}

/// Some 20 nodes above a few sources, each computed from nodes made before it.
final class Graph {
    enum Node {
        case scalar(Observable<Int>)
        case array(ObservableArray<Int>)
    }

    enum Value: Equatable {
        case scalar(Int)
        case array([Int])
    }

    let scalars = GraphState().scalars.map { Variable($0) }
    let arrays = GraphState().arrays.map { ArrayVariable($0) }
    let set = SetVariable<Int>()

    private(set) var nodes: [Node] = []
    /// Computes a node's value from the state and the values of the nodes before it.
    private var functions: [(GraphState, [Value]) -> Value] = []
    private var scalarNodes: [(index: Int, node: Observable<Int>)] = []
    private var arrayNodes: [(index: Int, node: ObservableArray<Int>)] = []

    /// What has been written so far.
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
        var concatenations = 0
        while nodes.count < 24 {
            switch random.below(concatenations < 3 ? 11 : 9) {
            case 0: addMap(&random)
            case 1, 2: addCombination(&random)
            case 3: addCount(&random)
            case 4, 5: addFilter(&random)
            case 6: addArrayMap(&random)
            case 7: addSorted(&random)
            case 8: addSet(&random)
            default:
                concatenations += 1
                addConcatenation(&random)
            }
        }
    }

    /// What all nodes are to be in a state.
    func values(in state: GraphState) -> [Value] {
        var values: [Value] = []
        for function in functions { values.append(function(state, values)) }
        return values
    }

    /// What all nodes say that they are.
    var values: [Value] {
        nodes.map { node in
            switch node {
            case .scalar(let scalar): .scalar(scalar.value)
            case .array(let array): .array(array.value)
            }
        }
    }

    // MARK: - Making nodes

    private func add(
        _ node: Observable<Int>, _ function: @escaping (GraphState, [Value]) -> Int
    ) {
        scalarNodes.append((nodes.count, node))
        nodes.append(.scalar(node))
        functions.append { .scalar(function($0, $1)) }
    }

    private func add(
        _ node: ObservableArray<Int>, _ function: @escaping (GraphState, [Value]) -> [Int]
    ) {
        arrayNodes.append((nodes.count, node))
        nodes.append(.array(node))
        functions.append { .array(function($0, $1)) }
    }

    private func anyScalar(_ random: inout Seeded) -> (index: Int, node: Observable<Int>) {
        scalarNodes[random.below(scalarNodes.count)]
    }

    private func anyArray(_ random: inout Seeded) -> (index: Int, node: ObservableArray<Int>) {
        arrayNodes[random.below(arrayNodes.count)]
    }

    private func addMap(_ random: inout Seeded) {
        let input = anyScalar(&random)
        add(input.node.map { $0 / 2 }) { _, values in values.scalar(input.index) / 2 }
    }

    private func addCombination(_ random: inout Seeded) {
        let left = anyScalar(&random)
        let right = anyScalar(&random)
        if random.below(2) == 0 {
            add((left.node + right.node).map { $0 % 50 }) { _, values in
                (values.scalar(left.index) + values.scalar(right.index)) % 50
            }
        } else {
            add(min(left.node, right.node)) { _, values in
                min(values.scalar(left.index), values.scalar(right.index))
            }
        }
    }

    private func addCount(_ random: inout Seeded) {
        let input = anyArray(&random)
        add(input.node.observableCount) { _, values in values.array(input.index).count }
    }

    private func addFilter(_ random: inout Seeded) {
        let input = anyArray(&random)
        let bound = anyScalar(&random)
        add(input.node.filter(where: bound.node.map { bound in { $0 >= bound } })) { _, values in
            values.array(input.index).filter { $0 >= values.scalar(bound.index) }
        }
    }

    private func addArrayMap(_ random: inout Seeded) {
        let input = anyArray(&random)
        add(input.node.map { 3 - $0 }) { _, values in values.array(input.index).map { 3 - $0 } }
    }

    private func addSorted(_ random: inout Seeded) {
        let input = anyArray(&random)
        let direction = anyScalar(&random)
        add(
            input.node.sorted(
                by: direction.node.map { number in
                    { number % 2 == 0 ? $0 < $1 : $0 > $1 }
                })
        ) { _, values in
            let isAscending = values.scalar(direction.index) % 2 == 0
            return values.array(input.index).sorted { isAscending ? $0 < $1 : $0 > $1 }
        }
    }

    private func addSet(_ random: inout Seeded) {
        let bound = anyScalar(&random)
        add(
            set.filter(where: bound.node.map { bound in { $0 >= bound } }).map { $0 / 2 }.sorted()
        ) { state, values in
            Set(state.set.filter { $0 >= values.scalar(bound.index) }.map { $0 / 2 }).sorted()
        }
    }

    private func addConcatenation(_ random: inout Seeded) {
        let left = anyArray(&random)
        let right = anyArray(&random)
        add(left.node + right.node) { _, values in
            values.array(left.index) + values.array(right.index)
        }
    }
}

extension [Graph.Value] {
    fileprivate func scalar(_ index: Int) -> Int {
        if case .scalar(let value) = self[index] { return value }
        preconditionFailure("Node \(index) is no scalar.")
    }

    fileprivate func array(_ index: Int) -> [Int] {
        if case .array(let value) = self[index] { return value }
        preconditionFailure("Node \(index) is no array.")
    }
}
