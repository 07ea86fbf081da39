// A sort in slices.
//
// Sorting very many documents takes longer than the loop may be blocked. So the documents of the start are
// sorted a few at a time, while the set keeps changing. Documents that arrive meanwhile are sorted next and
// merged; when few are left, the last step inserts them and removes those that are gone. The resulting order is
// that of the set at that moment, and follows the set from then on.

internal import Observables

/// Sorts the documents of a set, in slices.
package final class OrderMaking: SlicedWork {
    /// The number of arrivals that the last step inserts.
    private static let fewArrivals = 256
    /// The cost of accessing a document.
    private static let accessSteps = 4

    /// The order, once it is complete.
    package private(set) var order: DocumentOrder?
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<Document>
    private let sortOrder: SortOrder
    private let isBefore: (Document, Document) -> Bool
    private let rank: (Document) -> UInt64
    private let make: ([Document]) -> DocumentOrder
    private var following: Connection?

    /// The documents of the start that have not been read yet.
    private var remaining: Set<Document>.Iterator?
    /// The documents being sorted.
    private var batch: [Document] = []
    private var keys: OrderKeys
    private var entries: [OrderEntry] = []
    private var sorter: SlicedSorter?
    /// The sorted documents, into which the batch is merged, and the progress of that merge.
    private var sorted: [Document] = []
    private var merged: [Document] = []
    private var nextSorted = 0
    /// The documents inserted and removed since the start. All are retained here, so that identities stay
    /// unique.
    private var arrivals: [Document] = []
    private var gone: Set<ObjectIdentifier> = []

    /// Does nothing yet: the first slice begins the work.
    init(
        of documents: ObservableSet<Document>, by sortOrder: SortOrder,
        comparing isBefore: @escaping (Document, Document) -> Bool,
        rank: @escaping (Document) -> UInt64,
        _ make: @escaping ([Document]) -> DocumentOrder
    ) {
        self.documents = documents
        self.sortOrder = sortOrder
        self.isBefore = isBefore
        self.rank = rank
        self.make = make
        keys = OrderKeys(for: sortOrder, rank: rank)
    }

    package func advance(budget: Int) -> Bool {
        if order != nil { return true }
        if following == nil {
            remaining = documents.value.makeIterator()
            following = documents.changes.connect { [unowned self] change in follow(change) }
        }
        var steps = 0
        defer { stepsTaken += steps }
        while steps < budget {
            guard gather(&steps, budget), key(&steps, budget), sort(&steps, budget),
                merge(&steps, budget)
            else { return false }
            if arrivals.count <= Self.fewArrivals {
                end()
                return true
            }
            batch = arrivals
            arrivals = []
            keys = OrderKeys(for: sortOrder, rank: rank)
            for document in batch { keys.updatePrefix(with: document) }
            steps += batch.count
        }
        return false
    }

    private func gather(_ steps: inout Int, _ budget: Int) -> Bool {
        while remaining != nil {
            if steps >= budget { return false }
            guard let document = remaining?.next() else {
                remaining = nil
                break
            }
            batch.append(document)
            keys.updatePrefix(with: document)
            steps += Self.accessSteps
        }
        return true
    }

    private func key(_ steps: inout Int, _ budget: Int) -> Bool {
        while entries.count < batch.count {
            if steps >= budget { return false }
            entries.append(keys.entry(batch[entries.count], at: entries.count))
            steps += Self.accessSteps
        }
        return true
    }

    private func sort(_ steps: inout Int, _ budget: Int) -> Bool {
        if sorter == nil { sorter = SlicedSorter(entries) }
        return sorter?.advance(&steps, budget: budget) { [batch, isBefore] one, other in
            isBefore(batch[Int(one)], batch[Int(other)])
        } ?? true
    }

    /// Merges the sorted batch with the documents sorted before.
    private func merge(_ steps: inout Int, _ budget: Int) -> Bool {
        guard let order = sorter?.entries else { return true }
        while merged.count < sorted.count + order.count {
            if steps >= budget { return false }
            steps += 1
            let next = merged.count - nextSorted
            guard next < order.count else {
                merged.append(sorted[nextSorted])
                nextSorted += 1
                continue
            }
            let document = batch[Int(order[next].place)]
            if nextSorted < sorted.count {
                steps += Self.accessSteps
                if isBefore(sorted[nextSorted], document) {
                    merged.append(sorted[nextSorted])
                    nextSorted += 1
                    continue
                }
            }
            merged.append(document)
        }
        sorted = merged
        merged = []
        nextSorted = 0
        sorter = nil
        entries = []
        batch = []
        return true
    }

    private func end() {
        let late = arrivals.filter { !gone.contains($0.identity) }.sorted(by: isBefore)
        if !gone.isEmpty { sorted.removeAll { gone.contains($0.identity) } }
        if !late.isEmpty {
            var rows: [Document] = []
            rows.reserveCapacity(sorted.count + late.count)
            var taken = 0
            for document in late {
                let place = insertionIndex(of: document, from: taken)
                rows.append(contentsOf: sorted[taken..<place])
                rows.append(document)
                taken = place
            }
            rows.append(contentsOf: sorted[taken...])
            sorted = rows
        }
        following = nil
        order = make(sorted)
        sorted = []
        arrivals = []
        gone = []
    }

    /// The number of rows that come before a document: at least `low`.
    private func insertionIndex(of document: Document, from low: Int) -> Int {
        var low = low
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(sorted[middle], document) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func follow(_ change: SetChange<Document>) {
        for document in change.removed { gone.insert(document.identity) }
        for document in change.inserted where gone.remove(document.identity) == nil {
            arrivals.append(document)
        }
    }
}
