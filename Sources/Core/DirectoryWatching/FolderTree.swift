// Indexes of the folders below all roots: the folder of each watch, and the names of files that have several.
//
// Folders store their own entries (`WatchedFolder`). The other names of a file matter only because a write to
// it causes no event for them: they are indexed once a check shows more than one name, and the first name,
// which was not indexed until then, is searched for.
//
// Invariants: a folder and its watch lead to each other; an indexed name has its file's identity; no key is at
// two names; a folder and its parent lead to each other; no name is both a file and a folder.

/// One of several names of a file.
struct LinkedName {
    let folder: WatchedFolder
    let name: [UInt8]
}

/// The indexes of the tree.
struct FolderTree {
    /// The watch of each folder.
    var watches = WatchTable()
    private var names: [UInt64: [DocumentKey: LinkedName]] = [:]
    /// Files whose other names are to be found: identities with their number of names.
    private var sought: [UInt64: UInt32] = [:]

    // MARK: Watches

    func isUsed(_ watch: Int32) -> Bool { watches.isUsed(watch) }

    /// The folder with that watch.
    subscript(watch: Int32) -> WatchedFolder? { watches[watch] }

    /// As in `WatchTable`.
    mutating func setWatch(_ watch: Int32, of folder: WatchedFolder) -> Int32? {
        watches.set(watch, of: folder)
    }

    /// As in `WatchTable`.
    mutating func endWatch(of folder: WatchedFolder) -> Int32? { watches.end(folder) }

    // MARK: Files with several names

    /// Sets a known file at a name, under a key. It may have had another name or key before.
    mutating func setFile(
        _ entry: FileEntry, as key: DocumentKey, at name: [UInt8], in folder: WatchedFolder
    ) {
        noteKey(key, of: entry, at: name, in: folder)
        folder.files[name] = FileEntry(key: key, identity: entry.identity)
    }

    /// Gives a file another key. That says nothing of whether it is there: a read of its folder that is under way may be
    /// about to leave it out.
    mutating func setKey(
        _ key: DocumentKey, of entry: FileEntry, at name: [UInt8], in folder: WatchedFolder
    ) {
        noteKey(key, of: entry, at: name, in: folder)
        folder.files.setKnown(FileEntry(key: key, identity: entry.identity), as: name)
    }

    private mutating func noteKey(
        _ key: DocumentKey, of entry: FileEntry, at name: [UInt8], in folder: WatchedFolder
    ) {
        let wasNoted = names[entry.identity]?.removeValue(forKey: entry.key) != nil
        // A half-seen move leaves the former path indexed under the key.
        if wasNoted || names[entry.identity]?[key] != nil {
            names[entry.identity]?[key] = LinkedName(folder: folder, name: name)
        }
    }

    /// Indexes a name of a file that a check found to have several.
    /// - Returns: whether it is new in the index.
    mutating func addName(_ entry: FileEntry, at place: LinkedName, of count: UInt32) -> Bool {
        let former = names[entry.identity, default: [:]].updateValue(place, forKey: entry.key)
        if former == nil { sought[entry.identity] = count }
        return former == nil
    }

    /// Removes a name of a file. The name may be missing in the index while others are there, as when its root has been
    /// away and its folder is still to be read again.
    /// - Returns: whether the file has or had several names, which need a check: the last change made through this one
    ///   shows at the others.
    mutating func removeName(_ entry: FileEntry) -> Bool {
        if names.isEmpty || names[entry.identity] == nil { return false }
        names[entry.identity]?.removeValue(forKey: entry.key)
        if names[entry.identity]?.isEmpty == true { names[entry.identity] = nil }
        return true
    }

    /// Whether files are known that have several names.
    var hasNames: Bool { !names.isEmpty }

    /// The indexed names of a file, by key.
    func names(of identity: UInt64) -> [DocumentKey: LinkedName] {
        names.isEmpty ? [:] : names[identity] ?? [:]
    }

    var isSearchNeeded: Bool { !sought.isEmpty }

    /// Searches the tree for names that are not indexed yet, and indexes them. One search serves all. It is
    /// repeated unless the tree is whole, because a folder may be out of it for a moment.
    /// - Returns: the names found.
    /// - Complexity: O(documents), if a name is not indexed.
    mutating func findNames(below roots: [WatchedFolder], isWhole: Bool) -> [LinkedName] {
        let wanted = sought.filter { identity, count in (names[identity]?.count ?? 0) < count }
        sought = isWhole ? [:] : wanted
        if wanted.isEmpty { return [] }
        var found: [LinkedName] = []
        for root in roots {
            root.forEachFolder { folder in
                for number in 0..<folder.files.count {
                    let entry = folder.files.entry(number)
                    guard wanted[entry.identity] != nil,
                        names[entry.identity]?[entry.key] == nil
                    else { continue }
                    let place = LinkedName(folder: folder, name: folder.files.name(at: number))
                    names[entry.identity, default: [:]][entry.key] = place
                    found.append(place)
                }
            }
        }
        return found
    }

    // MARK: Invariants

    /// In debug builds, traps if the folders below `roots` and the indexes disagree.
    func checkInvariants(below roots: [WatchedFolder]) {
        #if DEBUG
        watches.checkInvariants()
        // Only small states are checked, as most tests have.
        guard watches.count <= 32, names.count <= 32 else { return }
        for (identity, places) in names {
            precondition(!places.isEmpty, "a file with several names has none")
            for (key, place) in places {
                guard let entry = place.folder.files[place.name], entry.key == key else { continue }
                precondition(entry.identity == identity, "\(key) is indexed as another file")
            }
        }
        var keys: Set<DocumentKey> = []
        for root in roots {
            root.forEachFolder { folder in
                if keys.count + folder.files.count > 500 { return }
                precondition(
                    folder.watch < 0 || watches[folder.watch] === folder, "a watch is not indexed")
                for (name, child) in folder.folders {
                    precondition(child.parent === folder && child.name == name, "a wrong parent")
                    precondition(folder.files[name] == nil, "a name is a file and a folder")
                }
                for entry in folder.files.values {
                    precondition(keys.insert(entry.key).inserted, "\(entry.key) is at two names")
                }
            }
        }
        #endif
    }
}
