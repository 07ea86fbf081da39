// Files that exchanged their names while no event told of it.
//
// A rescan that finds another file at a name lets it have the key of that name, as after a save by a rename. But if the
// file that was there has a name elsewhere now, the key goes with it: files were renamed in a row, or in a circle. The name
// of a backup of it is no such name: programs save that way.

import PickerModel

extension DirectoryWatcher {
    /// A file of which a rescan found that it is at a name of another, or new.
    private struct Found {
        let key: DocumentKey
        let folder: WatchedFolder
        let name: [UInt8]
        let identity: UInt64

        /// Whether this is the name of a backup of what was at another one.
        func isBackup(of other: Found) -> Bool {
            folder === other.folder && SavingNames.isBackup(name, of: other.name)
        }
    }

    /// Gives the files that a rescan found at other names the keys that they had.
    /// - Complexity: O(k) for k files at names of others, and new files if there are such.
    func exchangeKeys() {
        guard let replaced = rescan?.replaced, !replaced.isEmpty else { return }
        rescan?.replaced = [:]
        changes.recordSwept()
        var former: [UInt64: Found] = [:]
        var found: [Found] = []
        for (key, identity) in replaced.sorted(by: { $0.key < $1.key }) {
            guard case .present(let folder, let name, _?)? = changes[key],
                let entry = folder.files[name], entry.key == key, entry.identity != identity
            else { continue }
            let file = Found(key: key, folder: folder, name: name, identity: entry.identity)
            former[identity] = file
            found.append(file)
        }
        if found.isEmpty { return }
        for (key, folder, name) in changes.findNewFiles() {
            guard let entry = folder.files[name], entry.key == key else { continue }
            found.append(Found(key: key, folder: folder, name: name, identity: entry.identity))
        }
        // Of several names of one file the first has the key.
        var keys: [DocumentKey: DocumentKey] = [:]
        for file in found {
            guard let place = former[file.identity], !file.isBackup(of: place) else { continue }
            former[file.identity] = nil
            keys[file.key] = place.key
        }
        if keys.isEmpty { return }
        let passedOn = Set(keys.keys)
        let taken = Set(keys.values)
        for file in found where keys[file.key] == nil && taken.contains(file.key) {
            keys[file.key] = changes.goneKey(of: file.identity) ?? store.mintKeyNumber()
        }
        give(keys, to: found)
        // The key of a file that has another's, and that no file has: its document would else stay where it was.
        let given = Set(keys.values)
        for key in passedOn.sorted() where !given.contains(key) {
            if let identity = replaced[key] {
                changes.setGone(FileEntry(key: key, identity: identity))
            }
        }
    }

    private func give(_ keys: [DocumentKey: DocumentKey], to found: [Found]) {
        let moving = found.filter { keys[$0.key] != nil }
        // All are taken away before one is given.
        let facts = moving.map { changes.takePresent($0.key) }
        for (file, facts) in zip(moving, facts) {
            guard let key = keys[file.key], let facts else { continue }
            let entry = FileEntry(key: file.key, identity: file.identity)
            tree.setKey(key, of: entry, at: file.name, in: file.folder)
            if changes.goneKey(of: file.identity) != key, !store.has(key) {
                changes.add(key, file.folder, file.name, facts)
            } else {
                changes[key] = .present(file.folder, file.name, facts)
            }
        }
    }
}
