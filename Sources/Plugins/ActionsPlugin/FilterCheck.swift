internal import EventLoops
internal import PickerModel

/// Finds out which documents some filters keep, a part in each turn of the loop, so that no filter is too slow.
final class FilterCheck {
    /// The comparisons of one turn; they take about a fifth of a millisecond.
    static let budget = 20_000
    /// What a document costs besides its filter.
    private static let lookUpSteps = 8

    private let filters: [DocumentFilter?]
    private let keys: [String]
    private let documents: DocumentStore
    /// Called with each finding; whether this filter's others are wanted, too.
    private let found: (_ filter: Int, _ key: Int, _ isKept: Bool) -> Bool
    private let done: () -> Void
    private var filter = 0
    private var key = 0
    private var isCancelled = false

    /// A nil filter keeps all documents; none keeps a document that is not there.
    init(
        _ filters: [DocumentFilter?], for keys: [String], of documents: DocumentStore,
        found: @escaping (_ filter: Int, _ key: Int, _ isKept: Bool) -> Bool,
        done: @escaping () -> Void
    ) {
        self.filters = filters
        self.keys = keys
        self.documents = documents
        self.found = found
        self.done = done
    }

    /// Begins, and calls `done` at the end, now or later. It keeps itself until then.
    func run(on loop: any EventLoop) {
        if isCancelled { return }
        if advance() { return done() }
        loop.enqueue(priority: .low) { [self] in run(on: loop) }
    }

    func cancel() { isCancelled = true }

    /// - Returns: whether it has finished.
    private func advance() -> Bool {
        var steps = 0
        while filter < filters.count {
            while key < keys.count {
                if steps > Self.budget { return false }
                let isKept = keeps(filters[filter], keys[key], &steps)
                key = found(filter, key, isKept) ? key + 1 : keys.count
            }
            filter += 1
            key = 0
        }
        return true
    }

    private func keeps(_ filter: DocumentFilter?, _ key: String, _ steps: inout Int) -> Bool {
        steps += Self.lookUpSteps
        guard let row = documents.row(key: key) else { return false }
        return filter?.matches(row, of: documents.table, steps: &steps) ?? true
    }
}
