// An order that is made in slices.
//
// To sort very many documents takes longer than the loop may be held. So those that there are when it
// begins are sorted a few at a time, while the set goes on changing. What arrives meanwhile is sorted
// in turn, as soon as the others are, and merged with them; what is left of that when there is little is put in
// its places in the last step, which takes out what has gone. So the order that is made then is that of the
// set as it is at that moment, and follows it from there on.

internal import Observables

/// Sorts the documents of a set, in slices.
package final class OrderMaking: SlicedWork {
    /// So many that have arrived are put in their places in the last step.
    private static let fewArrivals = 256
    /// What it takes to go and see a document.
    private static let lookSteps = 4

    /// Once all is done.
    package private(set) var order: DocumentOrder?
    package private(set) var stepsTaken = 0

    private let documents: ObservableSet<Document>
    private let sortOrder: SortOrder
    private let isBefore: (Document, Document) -> Bool
    private let make: ([Document]) -> DocumentOrder
    private var following: Connection?

    /// Those that there were when it began, from the first that was not looked at.
    private var remaining: Set<Document>.Iterator?
    /// Those that are being sorted.
    private var batch: [Document] = []
    private var keys: OrderKeys
    private var entries: [OrderEntry] = []
    private var sorter: SlicedSorter?
    /// Those that are in order already, in which the batch is merged; and how far that is.
    private var sorted: [Document] = []
    private var merged: [Document] = []
    private var nextSorted = 0
    /// Those that have come since, and those that have gone. All of them are held here, so none is taken for another.
    private var arrivals: [Document] = []
    private var gone: Set<ObjectIdentifier> = []

    /// Takes nothing yet: it begins with the first slice.
    init(
        of documents: ObservableSet<Document>, by sortOrder: SortOrder,
        comparing isBefore: @escaping (Document, Document) -> Bool,
        _ make: @escaping ([Document]) -> DocumentOrder
    ) {
        self.documents = documents
        self.sortOrder = sortOrder
        self.isBefore = isBefore
        self.make = make
        keys = OrderKeys(for: sortOrder)
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
            keys = OrderKeys(for: sortOrder)
            for document in batch { keys.meet(document) }
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
            keys.meet(document)
            steps += Self.lookSteps
        }
        return true
    }

    private func key(_ steps: inout Int, _ budget: Int) -> Bool {
        while entries.count < batch.count {
            if steps >= budget { return false }
            entries.append(keys.entry(batch[entries.count], at: entries.count))
            steps += Self.lookSteps
        }
        return true
    }

    private func sort(_ steps: inout Int, _ budget: Int) -> Bool {
        if sorter == nil { sorter = SlicedSorter(entries) }
        return sorter?.advance(&steps, budget: budget) { [batch, isBefore] one, other in
            isBefore(batch[Int(one)], batch[Int(other)])
        } ?? true
    }

    /// Merges the batch, which is sorted, with what was sorted before.
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
                steps += Self.lookSteps
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
        var from = sorted.count
        // From the last on, so that those before keep their places.
        var places: [(place: Int, document: Document)] = []
        for document in late.reversed() {
            from = place(of: document, before: from)
            places.append((from, document))
        }
        if !places.isEmpty {
            var rows: [Document] = []
            rows.reserveCapacity(sorted.count + places.count)
            var taken = 0
            for (place, document) in places.reversed() {
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

    /// How many of the first `limit` rows come before a document.
    private func place(of document: Document, before limit: Int) -> Int {
        var low = 0
        var high = limit
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
