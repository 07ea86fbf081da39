// The dependents or the observers of a node. There are usually one or two, and each change visits all of
// them, so they lie in an array. Beyond `indexedCount` entries, a dictionary maps each object to its
// index, so removal takes O(1) for any count.
//
// Entries are not owned. Each object removes itself before it is released: a dependent when it is
// deactivated, which its users cause while they still hold it, and an observer when it disconnects.

/// Unowned references to objects, each with a count.
struct NodeTable<Object: AnyObject> {
    private struct Entry {
        unowned(unsafe) let object: Object
        var count: Int
    }

    private static var indexedCount: Int { 16 }

    private var entries: [Entry] = []
    private var indices: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    private func index(of object: Object) -> Int? {
        if !indices.isEmpty { return indices[ObjectIdentifier(object)] }
        // Entries are removed before their object is released.
        return entries.firstIndex { unsafe $0.object === object }
    }

    /// Adds an object, or increments its count.
    mutating func add(_ object: Object) {
        if let index = index(of: object) {
            entries[index].count += 1
            return
        }
        entries.append(Entry(object: object, count: 1))
        if !indices.isEmpty {
            indices[ObjectIdentifier(object)] = entries.count - 1
        } else if entries.count > Self.indexedCount {
            for (index, entry) in entries.enumerated() {
                unsafe indices[ObjectIdentifier(entry.object)] = index
            }
        }
    }

    /// Decrements the count of an object, and removes it at zero. The object must be in the table.
    mutating func remove(_ object: Object) {
        guard let index = index(of: object) else {
            stop("A node was detached from one that it does not depend on.")
        }
        entries[index].count -= 1
        guard entries[index].count == 0 else { return }
        let last = entries.removeLast()
        if !indices.isEmpty { indices[ObjectIdentifier(object)] = nil }
        guard index < entries.count else { return }
        entries[index] = last
        if !indices.isEmpty { unsafe indices[ObjectIdentifier(last.object)] = index }
    }

    /// Calls `body` with each object, in no particular order. `body` must not add or remove any.
    func forEach(_ body: (Object) -> Void) {
        for entry in entries { unsafe body(entry.object) }
    }
}
