// Who shows documents to somebody: the folders at which lists look.
//
// They are asked, rather than that they tell: nobody keeps up to date what is wanted seldom or never.

/// Shows documents to somebody.
package protocol DocumentViewer: AnyObject {
    /// The rows that it shows now; empty if there are none. It may have had them since before they changed.
    var shownRows: [ShownRow] { get }

    /// Rows that it may show next: those in one window before and one behind, as far as they are known without work. At
    /// most `limit`.
    func rowsNearby(atMost limit: Int) -> [ShownRow]

    /// The collections from which it draws.
    var shownCollections: CollectionSet { get }
}

extension DocumentViewer {
    package var shownCollections: CollectionSet { .documents }

    package func rowsNearby(atMost limit: Int) -> [ShownRow] { [] }
}

/// All who show documents. Not thread-safe.
package final class DocumentViews {
    private struct Viewer {
        weak var viewer: (any DocumentViewer)?
        let id: ObjectIdentifier
    }

    private var viewers: [Viewer] = []
    private var places: [ObjectIdentifier: Int] = [:]
    /// Whose turn it is.
    private var next = 0

    package init() {}

    /// The number of viewers.
    package var count: Int { viewers.count }

    /// Whether somebody is shown documents of a collection.
    /// - Complexity: O(n) for n viewers.
    package func has(_ collection: String) -> Bool {
        viewers.contains {
            $0.viewer?.shownCollections.names.contains(collection) ?? false
        }
    }

    /// Adds a viewer, which is not retained and removes itself at its end.
    /// - Complexity: O(1), as for `remove`.
    package func add(_ viewer: any DocumentViewer) {
        let id = ObjectIdentifier(viewer)
        // The place of one that has ended without a word, or of the same.
        if let place = places[id] {
            viewers[place] = Viewer(viewer: viewer, id: id)
            return
        }
        places[id] = viewers.count
        viewers.append(Viewer(viewer: viewer, id: id))
    }

    /// Removes a viewer. Idempotent.
    package func remove(_ viewer: any DocumentViewer) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(viewer)),
            let last = viewers.popLast(), place < viewers.count
        else { return }
        viewers[place] = last
        places[last.id] = place
    }

    /// The folders of what is shown, in the order in which they are met. Who was not asked is the first next time.
    /// - Parameters:
    ///   - limit: the most folders.
    ///   - most: the most viewers that are asked.
    ///   - rows: the first rows of each that count.
    ///   - table: that of the rows.
    /// - Returns: each folder once. A document may have left it since it was shown.
    /// - Complexity: O(`most` · `rows`).
    package func folders(
        atMost limit: Int, of most: Int, rows: Int, in table: DocumentTable
    ) -> [FolderNumber] {
        var found: [FolderNumber] = []
        var known: Set<FolderNumber> = []
        var left = min(most, viewers.count)
        while left > 0, found.count < limit {
            left -= 1
            if next >= viewers.count { next = 0 }
            let shown = viewers[next].viewer?.shownRows ?? []
            next += 1
            var last: FolderNumber?
            for row in shown.prefix(rows) {
                guard let row = row.item?.row else { continue }
                let folder = table.folder(of: row)
                // Rows of one folder mostly come in a row.
                if folder == last { continue }
                last = folder
                if found.count < limit, known.insert(folder).inserted { found.append(folder) }
            }
        }
        return found
    }
}
