// Folders that were taken out of the tree and may turn up elsewhere before the next commit.

/// Folders without a place, to be found by their identity.
struct DepartedFolders {
    private var byIdentity: [UInt64: WatchedFolder] = [:]
    /// Those that were never opened, so that nobody can know them again, and doubles.
    private var others: [WatchedFolder] = []

    var isEmpty: Bool { byIdentity.isEmpty && others.isEmpty }

    mutating func append(_ folder: WatchedFolder) {
        if folder.identity == 0 || byIdentity[folder.identity] != nil {
            others.append(folder)
        } else {
            byIdentity[folder.identity] = folder
        }
    }

    /// Takes out the one of that identity. - Complexity: O(1).
    mutating func take(_ identity: UInt64) -> WatchedFolder? {
        byIdentity.removeValue(forKey: identity)
    }

    /// Takes out any. - Complexity: O(1) amortized, over all of them.
    mutating func takeAll() -> [WatchedFolder] {
        defer { self = DepartedFolders() }
        return others + byIdentity.values
    }
}
