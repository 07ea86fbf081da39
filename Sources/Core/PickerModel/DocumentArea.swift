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
    /// The topmost folders.
    private let tops: [FolderNumber]
    /// Rows of one folder mostly come in a row.
    private var latest: (folder: FolderNumber, isInside: Bool)?

    /// - Complexity: O(n) in the length of the paths.
    init(_ areas: [DocumentArea], in table: DocumentTable) {
        folders = table.folders
        var tops: [FolderNumber] = []
        tops.reserveCapacity(areas.count)
        for area in areas {
            let top =
                area.path.isEmpty
                ? table.folders.folder(in: nil, named: area.root.utf8Span.span)
                : table.folder(root: area.root, path: area.path[...])
            // One without a number has no documents.
            if let top { tops.append(top) }
        }
        self.tops = tops
    }

    /// Whether there is no document in the areas.
    var isEmpty: Bool { tops.isEmpty }

    /// - Complexity: O(d) for a folder at depth d, O(1) for the same one again.
    mutating func contains(_ folder: FolderNumber) -> Bool {
        if tops.isEmpty { return false }
        if let latest, latest.folder == folder { return latest.isInside }
        var isInside = false
        var next: FolderNumber? = folder
        while let each = next, !isInside {
            isInside = tops.contains(each)
            next = folders.parent(of: each)
        }
        latest = (folder, isInside)
        return isInside
    }
}
