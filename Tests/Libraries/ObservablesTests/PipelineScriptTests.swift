import Observables
import Testing

/// The talk's pipeline with all its parts.
private struct Pipeline {
    let documents = SetVariable<ScriptDocument>()
    let query = Variable<[Int]>([])
    let order = Variable(ScriptOrder.keyUp)
    let sorted: ObservableArray<ScriptDocument>
    let mapped: ObservableArray<ScriptItem>
    let all: ObservableArray<ScriptItem>
    let items: ObservableArray<ScriptItem>
    let count: Observable<Int>

    init() {
        sorted = documents.sorted(by: order.map { $0.precedes })
        mapped = sorted.map { .document($0) }
        all = ObservableArray.constant([.new]) + mapped
        items = all.filter(where: query.map { query in { $0.matches(query) } })
        count = items.observableCount
    }
}

/// Applies the changes of one observable, some of them merged first, to the
/// value at the time of the connection.
private final class Fold<Value: ObservableType> where Value.Change.Value: Equatable {
    typealias Change = Value.Change

    private(set) var value: Change.Value
    private var connection: Connection?
    private var pending: Change?
    private var merged = 0
    private let check: (Change, Change.Value) -> Bool

    init(
        _ source: Value, groups: Int, _ verdict: Verdict,
        check: @escaping (Change, Change.Value) -> Bool
    ) {
        self.check = check
        value = source.value
        var told = value
        connection = source.connect { [unowned self] change in
            verdict.expect(!change.isEmpty, "an empty change was told")
            // A change that does not fit is not applied, as that would end the process.
            guard check(change, told), verdict.failure == nil else {
                verdict.expect(false, "\(change) does not fit \(told)")
                return
            }
            change.apply(on: &told)
            verdict.expectEqual(told, source.value, "what the sink reads")
            self.pending = self.pending.map { $0.merged(with: change) } ?? change
            self.merged += 1
            if self.merged > groups { self.apply() }
        }
    }

    func apply() {
        if let pending, check(pending, value) { pending.apply(on: &value) }
        pending = nil
        merged = 0
    }
}

/// One observer of each part of the pipeline.
private final class Observers {
    private let documents: Fold<ObservableSet<ScriptDocument>>
    private let sorted: Fold<ObservableArray<ScriptDocument>>
    private let mapped: Fold<ObservableArray<ScriptItem>>
    private let all: Fold<ObservableArray<ScriptItem>>
    private let items: Fold<ObservableArray<ScriptItem>>
    private let count: Fold<Observable<Int>>
    private let pipeline: Pipeline

    init(_ pipeline: Pipeline, groups: Int, _ verdict: Verdict) {
        /// Whether the removed elements of the change equal those of the array.
        func fits<Element: Equatable>(_ change: ArrayChange<Element>, _ array: [Element]) -> Bool {
            var array = array
            return change.initialCount.map { $0 == array.count } ?? true
                && change.modifications.allSatisfy { modification in
                    guard modification.inputRange.upperBound <= array.count else { return false }
                    defer { array.apply(modification) }
                    return Array(array[modification.inputRange]) == modification.oldElements
                }
        }
        self.pipeline = pipeline
        documents = Fold(pipeline.documents.observableSet, groups: groups, verdict) {
            $0.removed.isSubset(of: $1) && $0.inserted.isDisjoint(with: $1)
        }
        sorted = Fold(pipeline.sorted, groups: groups, verdict, check: fits)
        mapped = Fold(pipeline.mapped, groups: groups, verdict, check: fits)
        all = Fold(pipeline.all, groups: groups, verdict, check: fits)
        items = Fold(pipeline.items, groups: groups, verdict) { change, old in
            guard fits(change, old) else { return false }
            var new = old
            change.apply(on: &new)
            // Its batch has the same effect, with the minimum number of moves.
            let batch = change.batched()
            let fewest = ArrayBatch(from: old, to: new, identifiedBy: { $0 }).moved.count
            return replay(batch, from: old, to: new) == new && batch.moved.count == fewest
        }
        count = Fold(pipeline.count, groups: groups, verdict) { $0.old == $1 && $0.new != $1 }
    }

    func expectCurrent(_ verdict: Verdict) {
        documents.apply()
        sorted.apply()
        mapped.apply()
        all.apply()
        items.apply()
        count.apply()
        verdict.expectEqual(documents.value, pipeline.documents.value, "documents")
        verdict.expectEqual(sorted.value, pipeline.sorted.value, "sorted")
        verdict.expectEqual(mapped.value, pipeline.mapped.value, "mapped")
        verdict.expectEqual(all.value, pipeline.all.value, "all")
        verdict.expectEqual(items.value, pipeline.items.value, "items")
        verdict.expectEqual(count.value, pipeline.count.value, "count")
    }
}

/// A pipeline, its model, and its observers, while a script runs.
private final class Run {
    private let pipeline = Pipeline()
    private var model = PipelineModel()
    private var observers: [Observers] = []
    let verdict = Verdict()

    func carryOut(_ script: [PipelineStep]) -> String? {
        for (index, step) in script.enumerated() {
            carryOut(step)
            // Observers that merge changes should not be flushed all the time.
            if index % 4 == 3 { for observer in observers { observer.expectCurrent(verdict) } }
            expectValue()
            if verdict.failure != nil { break }
        }
        for observer in observers { observer.expectCurrent(verdict) }
        return verdict.failure
    }

    private func expectValue() {
        let items = pipeline.items.value
        let expected = model.canonical(model.value)
        verdict.expectEqual(model.canonical(items), expected, "items")
        verdict.expectEqual(pipeline.items.count, expected.count, "count")
        verdict.expectEqual(pipeline.count.value, expected.count, "observable count")
        let middle = items.count / 2
        verdict.expectEqual(pipeline.items[middle..<items.count], Array(items[middle...]), "half")
        if let last = items.last {
            verdict.expectEqual(pipeline.items[items.count - 1], last, "last")
        }
    }

    private func replace(_ old: ScriptDocument?, by new: ScriptDocument?) {
        if let old {
            pipeline.documents.remove(old)
            model.documents[old.id] = nil
        }
        if let new {
            pipeline.documents.insert(new)
            model.documents[new.id] = new
        }
    }

    private func carryOut(_ step: PipelineStep) {
        switch step {
        case .insert(let id, let name, let key):
            let new = ScriptDocument(id: id, name: name, key: key)
            Observables.transaction { replace(model.documents[id], by: new) }
        case .delete(let index): replace(model.document(index), by: nil)
        case .rename(let index, let name):
            guard let old = model.document(index) else { return }
            var new = old
            new.name = name
            transaction { replace(old, by: new) }
        case .changeKey(let index, let key):
            guard let old = model.document(index) else { return }
            var new = old
            new.key = key
            // Without a surrounding transaction: removed, then inserted again.
            replace(old, by: new)
        case .exchange(let start, let count):
            transaction {
                for id in start..<(start + count) {
                    let old = model.documents[id]
                    replace(
                        old,
                        by: old == nil ? ScriptDocument(id: id, name: id % 16, key: id % 3) : nil)
                }
            }
        case .extendQuery(let part): setQuery(model.query + [part])
        case .shortenQuery: setQuery(model.query.dropLast())
        case .clearQuery: setQuery([])
        case .setOrder(let index):
            model.order = ScriptOrder.allCases[index % 4]
            pipeline.order.value = model.order
        case .transaction(let steps):
            transaction {
                for step in steps {
                    carryOut(step)
                    if case .read = step { expectValue() }
                }
            }
        case .read: expectValue()
        case .connect(let groups):
            if observers.count < 4 {
                observers.append(Observers(pipeline, groups: groups, verdict))
            }
        case .disconnect(let index):
            if !observers.isEmpty { observers.remove(at: index % observers.count) }
        }
    }

    private func setQuery(_ query: [Int]) {
        model.query = query
        pipeline.query.value = query
    }
}

@Suite struct PipelineScriptTests {
    @Test("The talk's pipeline equals its pure function after each step, for all observers")
    func scripts() {
        checkScripts(of: PipelineStep.generator, from: 0..<300, size: 50) { Run().carryOut($0) }
    }

    @Test("A longer search only removes rows, and clearing it restores them all")
    func narrowing() {
        checkScripts(of: PipelineStep.generator, from: 300..<400, size: 30) { script in
            let verdict = Verdict()
            let documents = SetVariable<ScriptDocument>()
            let query = Variable<[Int]>([])
            let items = documents.sorted { $0.id < $1.id }.map { ScriptItem.document($0) }
                .filter(where: query.map { query in { $0.matches(query) } })
            var isNarrowing = true
            let connection = items.connect { change in
                verdict.expect(
                    !isNarrowing || change.modifications.allSatisfy { $0.outputCount == 0 },
                    "a longer search brought rows: \(change)")
            }
            for step in script {
                switch step {
                case .insert(let id, let name, let key):
                    isNarrowing = false
                    documents.insert(ScriptDocument(id: id, name: name, key: key))
                case .extendQuery(let part):
                    isNarrowing = true
                    query.value.append(part)
                case .clearQuery:
                    isNarrowing = false
                    query.value = []
                default: continue
                }
                let all = documents.value.sorted { $0.id < $1.id }.map { ScriptItem.document($0) }
                verdict.expectEqual(
                    Set(items.value), Set(all.filter { $0.matches(query.value) }), "items")
            }
            connection.disconnect()
            return verdict.failure
        }
    }
}
