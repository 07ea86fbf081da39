import Observables
import Testing

/// A graph with its observers, while a script runs.
private final class Run {
    private let graph: Graph
    private var state = GraphState()
    /// The sinks, each with its connection and a comparison of its accumulated
    /// changes with the expected values of the nodes.
    private var sinks: [(connection: Connection, check: ([Graph.Value]) -> Void)] = []
    private let verdict = Verdict()
    /// The states committed by the current transaction and by those that its observers
    /// queue, in order, and the one that is being delivered.
    private var committed: [GraphState] = []
    private var told = 0
    /// The values that a sink has read in a state that was compared with all nodes.
    private var examined: (state: GraphState, values: [Graph.Value])?

    init(graph seed: Int) {
        graph = Graph(seed: seed)
    }

    func carryOut(_ script: [GraphStep]) -> String? {
        for step in script {
            carryOut(step)
            verdict.expectEqual(graph.state, state, "what was written")
            let values = graph.values(in: state)
            verdict.expectEqual(graph.values, values, "all nodes")
            for sink in sinks { sink.check(values) }
            if verdict.failure != nil { break }
        }
        sinks = []
        return verdict.failure
    }

    /// Called by each sink: all values it can read belong to one committed state, which is
    /// not earlier than that of the previous sink.
    private func expectCommittedState() -> [Graph.Value] {
        let seen = graph.state
        let index = committed[told...].firstIndex(of: seen)
        verdict.expect(index != nil, "\(seen) was told but never committed")
        told = index ?? told
        if let examined, examined.state == seen { return examined.values }
        let values = graph.values(in: seen)
        verdict.expectEqual(graph.values, values, "all nodes, as a sink reads them")
        examined = (seen, values)
        return values
    }

    private func connect(_ index: Int, then action: @escaping (Int) -> Void) {
        switch graph.nodes[index] {
        case .scalar(let node):
            var last = node.value
            let connection = node.connect { [unowned self] change in
                let value = expectCommittedState()[index]
                verdict.expectEqual(change.old, last, "the old value of node \(index)")
                verdict.expectEqual(.scalar(change.new), value, "the new value of node \(index)")
                last = change.new
                action(change.new)
            }
            add(connection, index) { .scalar(last) }
        case .array(let node):
            var last = node.value
            let connection = node.connect { [unowned self] change in
                let value = expectCommittedState()[index]
                // A change that does not fit is not applied, as that would end the process.
                guard change.isApplicable(toCount: last.count) else {
                    verdict.expect(false, "\(change) does not fit \(last)")
                    return
                }
                change.apply(on: &last)
                verdict.expectEqual(.array(last), value, "the new rows of node \(index)")
                action(last.count)
            }
            add(connection, index) { .array(last) }
            connectToExtents(of: node, index)
        case .set(let node):
            var last = node.value
            let connection = node.connect { [unowned self] change in
                let value = expectCommittedState()[index]
                let fits =
                    change.removed.isSubset(of: last) && change.inserted.isDisjoint(with: last)
                verdict.expect(fits && !change.isEmpty, "\(change) does not fit \(last)")
                guard fits else { return }
                change.apply(on: &last)
                verdict.expectEqual(.set(last), value, "the new elements of node \(index)")
                action(last.count)
            }
            add(connection, index) { .set(last) }
        }
    }

    private func add(
        _ connection: Connection, _ index: Int, last: @escaping () -> Graph.Value
    ) {
        sinks.append(
            (
                connection,
                { [unowned self] values in
                    verdict.expectEqual(last(), values[index], "what was told by node \(index)")
                }
            ))
    }

    /// Rows outside of an extent are unchanged.
    private func connectToExtents(of node: ObservableArray<Int>, _ index: Int) {
        var last = node.value
        let connection = node.extents.connect { [unowned self] extent in
            guard case .array(let rows) = expectCommittedState()[index] else { return }
            let isPossible =
                rows.count == last.count + extent.deltaCount
                && extent.prefix >= 0 && extent.suffix >= 0
                && extent.prefix + extent.suffix <= min(rows.count, last.count)
            verdict.expect(
                isPossible && rows.prefix(extent.prefix) == last.prefix(extent.prefix)
                    && rows.suffix(extent.suffix) == last.suffix(extent.suffix),
                "\(extent) from \(last) to \(rows) in node \(index)")
            last = rows
        }
        add(connection, index) { .array(last) }
    }

    /// A transaction of the script, or a single write, which is a transaction, too.
    private func commit(_ write: () -> Void, state new: GraphState) {
        committed = [new]
        told = 0
        examined = nil
        write()
        state = committed.last ?? new
    }

    private func carryOut(_ step: GraphStep) {
        switch step {
        case .transaction(let steps):
            // The result of the writes, as observers may be called before they return.
            var new = state
            for step in steps { apply(step, to: &new) }
            commit(
                {
                    transaction {
                        var sofar = state
                        for step in steps {
                            apply(step, to: &sofar)
                            write(step)
                            if case .read = step {
                                verdict.expectEqual(
                                    graph.values, graph.values(in: sofar), "in a transaction")
                            }
                        }
                    }
                }, state: new)
        case .connect(let index): connect(index % graph.nodes.count) { _ in }
        case .connectAll:
            for index in graph.nodes.indices { connect(index) { _ in } }
        case .react(let index, let variable):
            var budget = 3
            connect(index % graph.nodes.count) { [unowned self] value in
                guard budget > 0, let last = committed.last else { return }
                budget -= 1
                let write = GraphStep.write(variable, value % 7)
                var new = last
                apply(write, to: &new)
                committed.append(new)
                self.write(write)
            }
        case .disconnect(let index):
            if !sinks.isEmpty { sinks.remove(at: index % sinks.count) }
        case .work(let budget):
            ObservableScheduler.current.performDeferredWork(budget: budget)
        case .write, .edit, .toggle, .read:
            var new = state
            apply(step, to: &new)
            commit({ write(step) }, state: new)
        }
    }

    private func apply(_ step: GraphStep, to state: inout GraphState) {
        switch step {
        case .write(let index, let value): state.scalars[index % GraphState.scalarCount] = value
        case .edit(let array, let start, let count, let new):
            let array = array % GraphState.arrayCount
            let lower = start % (state.arrays[array].count + 1)
            let upper = min(state.arrays[array].count, lower + count)
            state.arrays[array].replaceSubrange(lower..<upper, with: new)
        case .toggle(let element):
            if state.set.remove(element) == nil { state.set.insert(element) }
        case .transaction, .connect, .connectAll, .react, .disconnect, .read, .work: break
        }
    }

    private func write(_ step: GraphStep) {
        switch step {
        case .write(let index, let value):
            graph.scalars[index % graph.scalars.count].value = value
        case .edit(let array, let start, let count, let new):
            let array = graph.arrays[array % graph.arrays.count]
            let lower = start % (array.count + 1)
            array.replaceSubrange(lower..<min(array.count, lower + count), with: new)
        case .toggle(let element):
            if graph.set.contains(element) {
                graph.set.remove(element)
            } else {
                graph.set.insert(element)
            }
        case .transaction, .connect, .connectAll, .react, .disconnect, .read, .work: break
        }
    }
}

@Suite struct GraphScriptTests {
    @Test("All values that a sink reads belong to one committed state, in graphs of all shapes")
    func committedStates() {
        for graph in 0..<160 {
            let seeds = (3 * graph)..<(3 * graph + 3)
            let holds = checkScripts(of: GraphStep.generator, from: seeds, size: 30) { script in
                Run(graph: graph).carryOut(script).map { "graph \(graph), \($0)" }
            }
            if !holds { return }
        }
    }
}
