// The operations on the random graphs of Graph.swift.

import Observables

/// All sources.
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
    case connectAll
    /// Connects a sink that writes its changes to a variable, at most three times.
    case react(from: Int, to: Int)
    case disconnect(Int)
    case read
    /// Does some of the deferred work.
    case work(Int)

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
        case .work(let budget): budget.simpler.map { .work($0) }
        case .connectAll: (0..<Graph.nodeCount).map { .connect($0) }
        case .read: []
        }
    }

    static let generator = StepGenerator<GraphStep> { random(&$0) }

    private static func random(_ random: inout Seeded) -> GraphStep {
        switch random.below(16) {
        case 0, 1, 2: return .connect(random.below(Graph.nodeCount))
        case 3: return .react(from: random.below(Graph.nodeCount), to: random.below(4))
        case 4: return .disconnect(random.below(8))
        case 9, 10: return .connectAll
        case 8: return .work(random.below(12))
        case 5, 6, 7:
            return .transaction((0..<random.below(6)).map { _ in write(&random) })
        default: return write(&random)
        }
    }

    private static func write(_ random: inout Seeded) -> GraphStep {
        switch random.below(10) {
        case 8, 9: return .toggle(random.below(3))
        case 0, 1, 2: return .write(random.below(4), random.below(4))
        case 3: return .toggle(random.below(5))
        case 4: return .read
        default:
            return .edit(
                array: random.below(2), at: random.below(6), count: random.below(3),
                with: random.array(limit: random.below(4) == 0 ? 9 : 2, alphabet: 6))
        }
    }
}
