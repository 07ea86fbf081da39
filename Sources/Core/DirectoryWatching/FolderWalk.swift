// The files of some folders and of all folders below, a few at a time.
//
// Between two steps the tree may change. Files that arrive may be visited or not. A removal moves the last file of a
// folder to the free place, so the folder is then visited from its start again: a file may be visited twice, and none
// is left out.

import PickerModel

/// A walk through the files of folders.
struct FolderWalk {
    /// The folders that are left; those above are visited before those below.
    private var waiting: [WatchedFolder] = []
    private var folder: WatchedFolder?
    private var place = 0
    private var removals = 0

    var isEmpty: Bool { folder == nil && waiting.isEmpty }

    /// Adds a folder, with all below it.
    mutating func add(_ folder: WatchedFolder) { waiting.append(folder) }

    /// Takes a step.
    /// - Parameter enter: Called once for each folder before its files; returns the folders below to visit, or nil to
    ///   leave the folder out.
    /// - Returns: the next file, with its place in `files` of its folder; nil at the end.
    mutating func next(
        _ enter: (WatchedFolder) -> [WatchedFolder]?
    ) -> (folder: WatchedFolder, place: Int, entry: FileEntry)? {
        while true {
            if let folder {
                if folder.files.removals != removals {
                    removals = folder.files.removals
                    place = 0
                }
                if place < folder.files.count {
                    defer { place += 1 }
                    return (folder, place, folder.files.entry(place))
                }
                self.folder = nil
            }
            guard let next = waiting.popLast() else { return nil }
            guard let below = enter(next) else { continue }
            waiting.append(contentsOf: below)
            folder = next
            place = 0
            removals = next.files.removals
        }
    }
}
