package import PickerClient

/// The marked documents, in the order in which they were marked.
package struct MarkList: Equatable, Sendable {
    /// The most bytes of all keys, below which a request may have all of them.
    static let mostKeyBytes = 60_000

    package private(set) var all: [Mark] = []
    private var places: [String: Int] = [:]

    package var count: Int { all.count }
    package var isEmpty: Bool { all.isEmpty }
    package var gone: [Mark] { all.filter(\.isGone) }
    /// Those that are there.
    package var present: [ListItem] { all.filter { !$0.isGone && $0.key != nil }.map(\.item) }
    /// Those that are to be found again.
    var sought: [Mark] { all.filter { $0.key == nil && !$0.isGone } }
    var keys: [String] { all.compactMap(\.key) }
    /// The bytes of the keys as a request has them, with quotes and a comma.
    private(set) var keyBytes = 0
    private(set) var hasGone = false
    private(set) var isSeeking = false

    package func contains(_ key: String) -> Bool { places[key] != nil }

    func place(of key: String) -> Int? { places[key] }

    mutating func add(_ item: ListItem) {
        guard places[item.key] == nil else { return }
        places[item.key] = all.count
        all.append(Mark(item))
        keyBytes += item.key.utf8.count + 3
    }

    /// - Complexity: O(marks).
    mutating func remove(_ keys: Set<String>) {
        all.removeAll { $0.key.map(keys.contains) ?? false }
        count(anew: true)
    }

    mutating func remove(at place: Int) {
        guard all.indices.contains(place) else { return }
        all.remove(at: place)
        count(anew: true)
    }

    mutating func removeGone() {
        all.removeAll(where: \.isGone)
        count(anew: true)
    }

    private mutating func count(anew isMoved: Bool) {
        if isMoved {
            places = [:]
            keyBytes = 0
            for (place, mark) in all.enumerated() {
                guard let key = mark.key else { continue }
                places[key] = place
                keyBytes += key.utf8.count + 3
            }
        }
        hasGone = all.contains(where: \.isGone)
        isSeeking = all.contains { $0.key == nil && !$0.isGone }
    }

    /// What the daemon knows of them: those that are not among these are gone.
    mutating func see(_ items: [ListItem]) {
        var seen: Set<String> = []
        for item in items {
            guard let place = places[item.key], seen.insert(item.key).inserted else { continue }
            all[place].item = item
        }
        for place in all.indices {
            if let key = all[place].key { all[place].isGone = !seen.contains(key) }
        }
        count(anew: false)
    }

    /// Keys mean other documents now: each mark is to be found again.
    mutating func forgetKeys() {
        for place in all.indices { all[place].key = nil }
        count(anew: true)
    }

    /// The marks that were sought, as they were when they were marked, are found in these by their root and path, or
    /// else they are gone.
    mutating func find(_ sought: [ListItem], in items: [ListItem]) {
        let found = Dictionary(
            items.map { (DocumentPlace($0), $0) }, uniquingKeysWith: { first, _ in first })
        let asked = Set(sought.map { DocumentPlace($0) })
        for place in all.indices where all[place].key == nil {
            let here = DocumentPlace(all[place].item)
            guard asked.contains(here) else { continue }
            // Of two marks that would be one document now, the first one is it.
            if let item = found[here], places[item.key] == nil {
                all[place].item = item
                all[place].key = item.key
                places[item.key] = place
                keyBytes += item.key.utf8.count + 3
            } else {
                all[place].isGone = true
            }
        }
        count(anew: false)
    }
}
