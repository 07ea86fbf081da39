// Looking at marked names: what is on disk decides.

import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Looks at every marked name whose folder has a path, once.
    func settleChecks() {
        var rounds = 0
        while !dirtyFolders.isEmpty, rounds < 4 {
            rounds += 1
            let folders = dirtyFolders
            dirtyFolders = []
            for folder in folders { settleChecks(of: folder) }
            if dirtyFolders.isEmpty { findLinks() }
        }
    }

    private func settleChecks(of folder: WatchedFolder) {
        // A detached folder keeps its marks for when it is put back.
        guard let path = folder.path() else { return }
        let names = folder.checks
        folder.checks = []
        checksWaiting -= names.count
        for name in names {
            do {
                let status = try access.status(joined(path, name), followingLinks: false)
                see(status, as: name, in: folder)
            } catch {
                // Gone, or hidden by a lost permission: either way it is not to be listed.
                removeEntry(name, from: folder)
            }
        }
    }

    /// Makes the tree agree with what was seen at a name.
    func see(_ status: FileStatus, as name: [UInt8], in folder: WatchedFolder) {
        switch status.kind {
        case .regular: seeFile(status, as: name, in: folder)
        case .directory: seeFolder(status, as: name, in: folder)
        case .symbolicLink, .socket, .other: removeEntry(name, from: folder)
        }
    }

    private func seeFile(_ status: FileStatus, as name: [UInt8], in folder: WatchedFolder) {
        if folder.folders[name] != nil { removeEntry(name, from: folder) }
        let identity = status.identity
        let key: DocumentKey
        if var entry = folder.files[name] {
            key = entry.key
            if entry.identity != identity {
                unlink(entry)
                entry.identity = identity
                folder.files[name] = entry
            }
            let facts = FileFacts(status)
            if facts != knownFacts(key) {
                drafts[key] = .present(folder, name, facts)
                // Its other names show the same change.
                for other in linked[identity] ?? [] where other != key { markDocument(other) }
            }
        } else {
            key = store.makeKey()
            folder.files[name] = FileEntry(key: key, identity: identity)
            drafts[key] = .present(folder, name, FileFacts(status))
            fresh.append(key)
        }
        if status.linkCount > 1 {
            let known = linked[identity, default: []].insert(key)
            if known.inserted, rescan == nil, !isFirstScan(folder) { wantedLinks.insert(identity) }
        }
    }

    private func knownFacts(_ key: DocumentKey) -> FileFacts? {
        switch drafts[key] {
        case .held, .gone: nil
        case .present(_, _, let facts?): facts
        case .present(_, _, nil), nil: store.document(key).map(FileFacts.init)
        }
    }

    private func seeFolder(_ status: FileStatus, as name: [UInt8], in folder: WatchedFolder) {
        if folder.files[name] != nil { removeEntry(name, from: folder) }
        if let child = folder.folders[name] {
            // One that was not opened yet has a scan waiting, which will see which folder it is.
            if child.identity == status.identity || child.identity == 0 {
                let isChanged = child.identity != 0 && child.access != status.access
                if isChanged || child.isPolled { requestScan(child, recursive: false) }
                return
            }
            removeEntry(name, from: folder)
        }
        _ = addFolder(name, to: folder)
    }

    /// A new folder in the tree, to be read.
    func addFolder(_ name: [UInt8], to folder: WatchedFolder) -> WatchedFolder {
        let child = WatchedFolder(name: name)
        folder.attach(child, as: name)
        requestScan(child, recursive: false)
        return child
    }

    /// Takes whatever has that name out of the tree.
    func removeEntry(_ name: [UInt8], from folder: WatchedFolder) {
        if let entry = folder.files.removeValue(forKey: name) { letGo(entry) }
        if let child = folder.detachFolder(name) { departed.append(child) }
    }

    /// A file's entry has left the tree.
    func letGo(_ entry: FileEntry) {
        unlink(entry)
        drafts[entry.key] = .gone(identity: entry.identity)
    }

    // MARK: Files with several names

    func unlink(_ entry: FileEntry) {
        if linked.isEmpty { return }
        guard linked[entry.identity]?.remove(entry.key) != nil else { return }
        if linked[entry.identity]?.isEmpty == true { linked[entry.identity] = nil }
    }

    /// The file's entry goes on under another key.
    func relink(_ entry: FileEntry, as key: DocumentKey) {
        if linked[entry.identity]?.remove(entry.key) != nil {
            linked[entry.identity]?.insert(key)
        }
    }

    /// A file has got a further name: the tree is searched for its first one, which was not noted
    /// while it was the only one. One search serves all that were seen together.
    /// - Complexity: O(documents), only when a hard link appears after the first scan.
    private func findLinks() {
        if wantedLinks.isEmpty { return }
        let wanted = wantedLinks
        wantedLinks = []
        for root in rootList {
            root.folder?.forEachFolder { folder in
                for (name, entry) in folder.files where wanted.contains(entry.identity) {
                    if linked[entry.identity, default: []].insert(entry.key).inserted {
                        mark(name, in: folder)
                    }
                }
            }
        }
    }

    /// Marks the name of a document of the store.
    private func markDocument(_ key: DocumentKey) {
        if case .present(let folder, let name, let facts) = drafts[key] {
            if facts == nil { mark(name, in: folder) }
            return
        }
        guard let document = store.document(key), let place = place(of: document) else { return }
        if place.folder.files[place.name]?.key == key { mark(place.name, in: place.folder) }
    }

    /// The folder in the tree that a path below a root lies in, as far as the tree goes.
    func place(of document: Document) -> (folder: WatchedFolder, name: [UInt8])? {
        guard let root = rootList.first(where: { $0.text == document.root }),
            var folder = root.folder
        else { return nil }
        var parts = document.path.bytes.split(separator: slash).map(Array.init)
        guard let name = parts.popLast() else { return nil }
        for part in parts {
            guard let next = folder.folders[part] else { return nil }
            folder = next
        }
        return (folder, name)
    }

    private func isFirstScan(_ folder: WatchedFolder) -> Bool {
        folder.scanRoot?.isScanning ?? false
    }
}
