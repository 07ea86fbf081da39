// Names that are left out: hidden ones, caches, temporary files, and what the settings or ignore files name.
//
// A name is judged before anything is spent on it: by the thread that reads its folder, when an event names it, and
// before each check. So what is left out has no watch, no status is read of it, and its events end here.
//
// Each folder keeps the rules that held when it was last read; most folders share those of the folder above. A change
// of the settings, or of an ignore file, leads to a scan of all below: it removes what is left out now, and finds what
// is not any more. A folder that was moved to where other rules hold is scanned likewise.

import FileRules
import PickerModel
package import SystemInterface

/// Which entries of a folder are left out, as far as their names tell. For the threads that read it.
package struct NameFilter: Sendable {
    let rules: FolderRules
    /// Of the folder, below its root.
    let path: [UInt8]

    /// Whether an entry is left out, whatever else is in the folder.
    package func leavesOut(_ name: ArraySlice<UInt8>, _ kind: FileKind) -> Bool {
        switch rules.verdict(name, isFolder: kind == .directory, in: { path }) {
        case .kept, .ignoredBeside: false
        case .ignored: true
        }
    }
}

extension DirectoryWatcher {
    /// The names of ignore files, in the order of their precedence: the last one first counts.
    static let ignoreFiles = [".gitignore", ".ignore"]
    /// The same in bytes.
    private static let ignoreFileNames = ignoreFiles.map { Array($0.utf8) }
    /// The bytes that are read of an ignore file.
    private static let ignoreFileBytes = 1 << 20

    // MARK: Judging names

    /// The rules that hold in a folder.
    func rules(in folder: WatchedFolder) -> FolderRules? {
        folder.rules ?? inheritedRules(of: folder)
    }

    /// The rules of the folder above, or of the root.
    private func inheritedRules(of folder: WatchedFolder) -> FolderRules? {
        guard let parent = folder.parent else { return folder.root?.rules }
        // A root within a root has rules of its own.
        if !coveredRules.isEmpty, let own = coveredRules(of: folder, nil) { return own }
        return rules(in: parent)
    }

    /// Whether the rules leave out a name in a folder of the tree.
    func isLeftOut(_ name: [UInt8], isFolder: Bool, in folder: WatchedFolder) -> Bool {
        guard let rules = rules(in: folder) else { return false }
        switch rules.verdict(name[...], isFolder: isFolder, in: { folder.relativePath() }) {
        case .kept: return false
        case .ignored: return !isCoveredRoot(name, isFolder, in: folder)
        case .ignoredBeside(let markers, _):
            guard let path = folder.path() else { return false }
            return hasFile(markers, in: path) && !isCoveredRoot(name, isFolder, in: folder)
        }
    }

    /// Whether a folder has a file of one of these names.
    func hasFile(_ names: [[UInt8]], in path: [UInt8]) -> Bool {
        names.contains { name in
            let status = try? access.status(joined(path, name), followingLinks: true)
            return status?.kind == .regular
        }
    }

    /// Whether a name in a folder is that of a root which the folder's root covers.
    private func isCoveredRoot(
        _ name: [UInt8], _ isFolder: Bool, in folder: WatchedFolder
    ) -> Bool {
        isFolder && !coveredRules.isEmpty && coveredRules(of: folder, name) != nil
    }

    /// The rules of the root that a folder, or a name in it, is, where another root covers it.
    private func coveredRules(of folder: WatchedFolder, _ name: [UInt8]?) -> FolderRules? {
        guard let root = folder.attachedRoot else { return nil }
        return coveredRules[joined(root.path, folder.relativePath(appending: name))]
    }

    /// Whether these rules of a root leave out a folder at that path, or one on the way to it. Ignore files are not
    /// asked.
    func isLeftOut(_ path: [UInt8], below root: [UInt8], _ rules: FolderRules) -> Bool {
        var above = root
        for name in path.dropFirst(root.count).split(separator: slash) {
            let relative = Array(above.dropFirst(root.count).drop { $0 == slash })
            switch rules.verdict(name, isFolder: true, in: { relative }) {
            case .kept: break
            case .ignored: return true
            case .ignoredBeside(let markers, _): if hasFile(markers, in: above) { return true }
            }
            above = joined(above, Array(name))
        }
        return false
    }

    // MARK: Events

    /// Takes an event of a name that is left out.
    /// - Returns: whether that is all there is to do; what is in the tree is checked like any other.
    func takeLeftOut(_ event: InotifyEvent, of folder: WatchedFolder) -> Bool {
        guard let rules = folder.rules else { return false }
        let isFolder = event.mask.contains(.isDirectory)
        if !isFolder { markDependents(onMarker: event.name, in: folder) }
        if case .kept = rules.verdict(
            event.name[...], isFolder: isFolder, in: { folder.relativePath() })
        {
            return false
        }
        if isIgnoreFile(event.name, rules) || folder.files[event.name] != nil
            || !folder.folders.isEmpty && folder.folders[event.name] != nil
            || !isLeftOut(event.name, isFolder: isFolder, in: folder)
        {
            return false
        }
        if event.mask.contains(.movedTo), let moved = moves.takeRename(of: event.cookie) {
            if case .file(let entry, _, let origin?) = moved, keepPlace(entry, origin) {
                // The document may be saved at its name.
            } else {
                recordDeparture(of: moved)
            }
        }
        if !isFolder { markNames(ofLeftOut: event, in: folder) }
        return true
    }

    /// Marks documents that are other names of a file which was written through a name that is left out, such as that of a
    /// backup. Costs nothing as long as no document has several names.
    private func markNames(ofLeftOut event: InotifyEvent, in folder: WatchedFolder) {
        guard tree.hasNames, !event.mask.isDisjoint(with: [.closedAfterWriting, .attributes]),
            let path = folder.path(appending: event.name),
            let status = try? access.status(path, followingLinks: false), status.linkCount > 1
        else { return }
        for place in tree.names(of: status.identity).values { mark(place.name, in: place.folder) }
    }

    /// Marks the names that are left out beside a file of this name, as long as there is one.
    private func markDependents(onMarker name: [UInt8], in folder: WatchedFolder) {
        for dependent in FolderRules.dependents(onMarker: name[...]) {
            mark(dependent, in: folder, isHint: folder.folders[dependent] == nil)
        }
    }

    func isIgnoreFile(_ name: [UInt8], _ rules: FolderRules) -> Bool {
        rules.readsIgnoreFiles && Self.ignoreFileNames.contains(name)
    }

    // MARK: The rules of a folder

    /// Reads the rules of a folder that is about to be read.
    /// - Returns: whether other rules held before, so that all below is to be read.
    func readRules(of folder: WatchedFolder, in opened: borrowing OwnedDescriptor) -> Bool {
        guard let rules = presentRules(of: folder, in: opened) else { return false }
        guard let former = folder.rules else {
            folder.rules = rules
            return false
        }
        if former === rules || former.hasSameRules(as: rules) { return false }
        folder.rules = rules
        return true
    }

    /// Reads all below a folder again if other rules hold there than before, as one of its ignore files may have changed.
    func scanIfRulesChanged(in folder: WatchedFolder, _ opened: borrowing OwnedDescriptor) {
        guard let former = folder.rules, let rules = presentRules(of: folder, in: opened),
            !former.hasSameRules(as: rules)
        else { return }
        scans.queueScan(folder, recursive: true)
    }

    /// The rules of a folder by the settings and the ignore files there are now.
    private func presentRules(
        of folder: WatchedFolder, in opened: borrowing OwnedDescriptor
    ) -> FolderRules? {
        guard let rules = inheritedRules(of: folder), rules.readsIgnoreFiles else {
            return inheritedRules(of: folder)
        }
        return withIgnoreFiles(rules, of: folder.relativePath(), in: opened)
    }

    /// Rules with those of the ignore files that are in an open folder with a path below its root.
    func withIgnoreFiles(
        _ rules: FolderRules, of path: [UInt8], in opened: borrowing OwnedDescriptor
    ) -> FolderRules {
        var files: [(name: String, text: [UInt8])] = []
        for (index, name) in Self.ignoreFileNames.enumerated() {
            // One that can't be read counts as none.
            let text = try? access.content(of: name, in: opened, atMost: Self.ignoreFileBytes)
            if let text { files.append((Self.ignoreFiles[index], text)) }
        }
        return files.isEmpty ? rules : rules.adding(files, at: path)
    }

    /// Queues a scan of a folder that has been moved to where other rules may hold.
    func scanIfRulesDiffer(_ folder: WatchedFolder) {
        guard let former = folder.rules, let above = folder.parent, let rules = rules(in: above)
        else { return }
        if former !== rules || rules.needsPath { scans.queueScan(folder, recursive: true) }
    }
}
