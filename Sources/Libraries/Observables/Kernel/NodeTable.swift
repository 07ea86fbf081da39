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
    private var places: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { entries.isEmpty }

    private func place(of object: Object) -> Int? {
        if !places.isEmpty { return places[ObjectIdentifier(object)] }
        // Entries are removed before their object is released.
        return entries.firstIndex { unsafe $0.object === object }
    }

    /// Adds an object, or increments its count.
    mutating func add(_ object: Object) {
        if let place = place(of: object) {
            entries[place].count += 1
            return
        }
        entries.append(Entry(object: object, count: 1))
        if !places.isEmpty {
            places[ObjectIdentifier(object)] = entries.count - 1
        } else if entries.count > Self.indexedCount {
            for (place, entry) in entries.enumerated() {
                unsafe places[ObjectIdentifier(entry.object)] = place
            }
        }
    }

    /// Decrements the count of an object, and removes it at zero. The object must be in the table.
    mutating func remove(_ object: Object) {
        guard let place = place(of: object) else {
            stop("A node was detached from one that it does not depend on.")
        }
        entries[place].count -= 1
        guard entries[place].count == 0 else { return }
        let last = entries.removeLast()
        if !places.isEmpty { places[ObjectIdentifier(object)] = nil }
        guard place < entries.count else { return }
        entries[place] = last
        if !places.isEmpty { unsafe places[ObjectIdentifier(last.object)] = place }
    }

    /// Calls `body` with each object, in no particular order. `body` must not add or remove any.
    func forEach(_ body: (Object) -> Void) {
        for entry in entries { unsafe body(entry.object) }
    }
}
