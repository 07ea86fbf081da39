/// A folder with all that is below it.
package struct DocumentArea: Hashable, Sendable {
    /// The text of its root, as in documents.
    package let root: String
    /// Its path below the root, with a slash after each name; empty for the root itself.
    package let path: [UInt8]

    package init(root: String, path: [UInt8] = []) {
        self.root = root
        self.path = path
    }
}

/// Finds out which folders lie in some areas, as the folders are now.
struct AreaFinder {
    private let folders: FolderTable
    /// The topmost folder of each area; nil if it has none.
    private let tops: [FolderNumber?]
    /// Whether there is no document in the areas.
    let isEmpty: Bool
    /// Rows of one folder mostly come in a row.
    private var latest: (folder: FolderNumber, place: Int?)?

    /// - Complexity: O(n) in the length of the paths.
    init(_ areas: [DocumentArea], in table: DocumentTable) {
        folders = table.folders
        var tops: [FolderNumber?] = []
        tops.reserveCapacity(areas.count)
        var isEmpty = true
        for area in areas {
            let top =
                area.path.isEmpty
                ? table.folders.folder(in: nil, named: area.root.utf8Span.span)
                : table.folder(root: area.root, path: area.path[...])
            // One without a number has no documents.
            tops.append(top)
            if top != nil { isEmpty = false }
        }
        self.tops = tops
        self.isEmpty = isEmpty
    }

    /// Whether a folder lies in an area.
    mutating func contains(_ folder: FolderNumber) -> Bool { place(of: folder) != nil }

    /// The index of an area in which a folder lies: that of the lowest.
    /// - Complexity: O(d) for a folder at depth d, O(1) for the same one again.
    mutating func place(of folder: FolderNumber) -> Int? {
        if isEmpty { return nil }
        if let latest, latest.folder == folder { return latest.place }
        var place: Int?
        var next: FolderNumber? = folder
        while let each = next, place == nil {
            place = tops.firstIndex(of: each)
            next = folders.parent(of: each)
        }
        latest = (folder, place)
        return place
    }
}
