// Scripts of all operations on the talk's pipeline: sorted documents, preceded by an
// item, with a search. The sort key has few values, so that ties are common.

import Observables

struct ScriptDocument: Hashable {
    var id: Int
    var name: Int
    var key: Int
}

enum ScriptItem: Hashable {
    case new
    case document(ScriptDocument)

    /// Whether the item matches the search. Without a search, all items match; a longer one matches fewer.
    func matches(_ query: [Int]) -> Bool {
        guard case .document(let document) = self else { return query.isEmpty }
        return query.allSatisfy { document.name & (1 << ($0 % 4)) != 0 }
    }
}

enum ScriptOrder: CaseIterable {
    case keyUp, keyDown, idUp, idDown

    func precedes(_ left: ScriptDocument, _ right: ScriptDocument) -> Bool {
        switch self {
        case .keyUp: left.key < right.key
        case .keyDown: left.key > right.key
        case .idUp: left.id < right.id
        case .idDown: left.id > right.id
        }
    }
}

indirect enum PipelineStep: Equatable, Simplifiable {
    case insert(id: Int, name: Int, key: Int)
    case delete(Int)
    /// Removes a document and inserts it under another name, with the same id.
    case rename(Int, to: Int)
    /// Moves a document in the order.
    case changeKey(Int, to: Int)
    /// Inserts this many documents, or removes them if they are present.
    case exchange(from: Int, count: Int)
    case extendQuery(Int)
    case shortenQuery
    case clearQuery
    case setOrder(Int)
    case transaction([PipelineStep])
    /// Reads everything, even without observers.
    case read
    /// Connects another observer of everything; it merges up to this many changes before applying
    /// them.
    case connect(groups: Int)
    case disconnect(Int)

    var simpler: [PipelineStep] {
        switch self {
        case .insert(let id, let name, let key):
            id.simpler.map { .insert(id: $0, name: name, key: key) }
                + name.simpler.map { .insert(id: id, name: $0, key: key) }
                + key.simpler.map { .insert(id: id, name: name, key: $0) }
        case .delete(let index): index.simpler.map { .delete($0) }
        case .rename(let index, let name):
            index.simpler.map { .rename($0, to: name) }
                + name.simpler.map { .rename(index, to: $0) }
        case .changeKey(let index, let key):
            index.simpler.map { .changeKey($0, to: key) }
                + key.simpler.map { .changeKey(index, to: $0) }
        case .exchange(let start, let count):
            count.simpler.map { .exchange(from: start, count: $0) }
                + start.simpler.map { .exchange(from: $0, count: count) }
        case .extendQuery(let part): part.simpler.map { .extendQuery($0) }
        case .setOrder(let order): order.simpler.map { .setOrder($0) }
        case .transaction(let steps): steps + steps.simpler.map { .transaction($0) }
        case .connect(let groups): groups.simpler.map { .connect(groups: $0) }
        case .disconnect(let index): index.simpler.map { .disconnect($0) }
        case .shortenQuery, .clearQuery, .read: []
        }
    }

    static let generator = StepGenerator<PipelineStep> { random(&$0) }

    private static func random(_ random: inout Seeded) -> PipelineStep {
        switch random.below(16) {
        case 0, 1: return .connect(groups: random.below(4))
        case 2: return .disconnect(random.below(4))
        case 3, 4:
            return .transaction((0..<random.below(6)).map { _ in self.random(&random) })
        default: return write(&random)
        }
    }

    private static func write(_ random: inout Seeded) -> PipelineStep {
        switch random.below(12) {
        case 0, 1, 2:
            return .insert(id: random.below(12), name: random.below(16), key: random.below(3))
        case 3: return .delete(random.below(20))
        case 4: return .rename(random.below(20), to: random.below(16))
        case 5: return .changeKey(random.below(20), to: random.below(3))
        case 6: return .exchange(from: random.below(20), count: random.below(120))
        case 7: return .extendQuery(random.below(4))
        case 8: return .shortenQuery
        case 9: return .clearQuery
        case 10: return .setOrder(random.below(4))
        default: return .read
        }
    }
}

/// The expected result of the pipeline, by the pure function of the talk.
struct PipelineModel {
    var documents: [Int: ScriptDocument] = [:]
    var query: [Int] = []
    var order = ScriptOrder.keyUp

    var value: [ScriptItem] {
        ([.new] + Set(documents.values).sorted(by: order.precedes).map { .document($0) })
            .filter { $0.matches(query) }
    }

    /// The same items, with ties sorted by id, as their order is unspecified.
    func canonical(_ items: [ScriptItem]) -> [ScriptItem] {
        var result: [ScriptItem] = []
        var run: [ScriptDocument] = []
        func isTied(_ document: ScriptDocument) -> Bool {
            run.first.map { !order.precedes($0, document) && !order.precedes(document, $0) } ?? true
        }
        func close() {
            result += run.sorted { ($0.id, $0.name) < ($1.id, $1.name) }.map { .document($0) }
            run = []
        }
        for item in items {
            switch item {
            case .new:
                close()
                result.append(item)
            case .document(let document):
                if !isTied(document) { close() }
                run.append(document)
            }
        }
        close()
        return result
    }

    /// The document that an index stands for.
    func document(_ index: Int) -> ScriptDocument? {
        guard !documents.isEmpty else { return nil }
        return documents[documents.keys.sorted()[index % documents.count]]
    }
}
