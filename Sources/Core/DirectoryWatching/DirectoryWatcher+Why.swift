// Why a path is a document, or is not: the disk and the rules are asked anew, from the root down.

import EventLoops
package import FileRules
package import PickerModel
package import SystemInterface

/// What a path is for a watcher.
package struct PathFinding: Sendable {
    /// Why it is a document, or is not.
    package enum Outcome: Sendable {
        case document(Document)
        /// It is not below a root.
        case outside
        /// It is a root.
        case root
        /// Its root is missing.
        case rootMissing(RootAbsence)
        /// There is nothing.
        case absent
        /// It is a symbolic link, and no document.
        case link(LinkFinding)
        /// It is something else than a regular file; or a folder, perhaps by a link that is followed.
        case other(FileKind)
        /// A rule leaves it out.
        case leftOut(RuleReason)
        case tooDeep(limit: Int)
        /// It can't be read.
        case unreadable(ErrorNumber)
        /// It is a file that nothing leaves out, and is not in the store: its folder is being read, or is polled.
        case notYet(WatchTrouble?)
    }

    package let outcome: Outcome
    /// What the outcome is about, absolute: the path, or a folder on the way to it.
    package let place: [UInt8]
    /// The root, as given to `setRoots`; `nil` if there is none.
    package let root: [UInt8]?
}

/// Why a symbolic link is no document.
package enum LinkFinding: Equatable, Sendable {
    /// No link is one below its root.
    case ignored
    /// It leads nowhere, or to where nothing can be looked at.
    case toNothing
    /// It leads to a folder, and links to folders are not followed below its root.
    case toFolder
    /// It leads to something else than a file or a folder.
    case toOther
    /// It leads to a folder, and is not followed to this one.
    case refused(LinkRefusal)
    /// It leads to a folder to which it can't be followed: there are too many links, or the folder has no path.
    case outOfReach(limit: Int)
    /// It leads to a folder to which it will be followed when all folders have been read.
    case notYet
}

extension DirectoryWatcher {
    /// Says why a path is a document, or is not.
    ///
    /// Events that are not read yet are not waited for.
    /// - Parameter path: absolute.
    /// - Returns: what it is, and what that is about.
    /// - Complexity: O(depth) system calls; where ignore files count, they are read.
    package func explain(_ path: [UInt8]) -> PathFinding {
        loop.preconditionOnLoop()
        guard let path = WatchedRoot.cleaned(path), let (root, inside) = place(of: path) else {
            return PathFinding(outcome: .outside, place: path, root: nil)
        }
        func finding(_ outcome: PathFinding.Outcome, _ place: [UInt8]) -> PathFinding {
            PathFinding(outcome: outcome, place: place, root: root.path)
        }
        if case .missing = root.state {
            return finding(.rootMissing(root.absence), root.path)
        }
        if inside.isEmpty { return finding(.root, root.path) }
        var rules = root.rules
        var folder: [UInt8] = []
        var known = root.folder
        // Where the folder is on disk.
        var above = root.resolvedPath
        for (index, name) in inside.enumerated() {
            let relative = joined(folder, name)
            let place = joined(root.path, relative)
            if index > limits.depth { return finding(.tooDeep(limit: limits.depth), place) }
            var status: FileStatus
            do {
                if index > 0 { rules = try presentRules(rules, in: folder, at: above, of: root) }
                status = try access.status(joined(above, name), followingLinks: false)
            } catch {
                return finding(error.code.isAbsence ? .absent : .unreadable(error.code), place)
            }
            if index == 0 {
                rules = (try? presentRules(rules, in: [], at: above, of: root)) ?? rules
            }
            var isFolder = status.kind == .directory
            if let reason = reason(rules, name, isFolder, folder, at: above, of: place) {
                return finding(.leftOut(reason), place)
            }
            let isLast = index == inside.count - 1
            let child = known?.folders[name]
            if status.kind == .symbolicLink {
                let target = try? access.status(joined(above, name), followingLinks: true)
                isFolder = target?.kind == .directory && rules.symlinks == .follow
                if isFolder,
                    let reason = reason(rules, name, true, folder, at: above, of: place)
                {
                    return finding(.leftOut(reason), place)
                }
                if let link = self.link(name, to: target, in: known, rules.symlinks) {
                    return finding(.link(link), place)
                }
                status = target ?? status
            }
            if isLast, status.kind == .regular {
                let outcome = outcome(relative, in: root)
                return finding(outcome, place)
            }
            if isLast || !isFolder { return finding(.other(status.kind), place) }
            folder = relative
            above = child?.target ?? joined(above, name)
            known = child
        }
        return finding(.absent, path)
    }

    /// The root that has a path, or would have it, and the names from there.
    private func place(of path: [UInt8]) -> (root: WatchedRoot, inside: [[UInt8]])? {
        var found: (root: WatchedRoot, start: Int)?
        for root in rootList where !root.isCovered {
            for start in [root.path, root.resolvedPath] where WatchedRoot.lies(path, in: start) {
                if found.map({ start.count > $0.start }) ?? true { found = (root, start.count) }
            }
        }
        guard let found else { return nil }
        let names = path.dropFirst(found.start).split(separator: slash)
        return (found.root, names.map(Array.init))
    }

    /// The rules in a folder by the ignore files there are now, from those of the folder above.
    private func presentRules(
        _ above: FolderRules, in folder: [UInt8], at path: [UInt8], of root: WatchedRoot
    ) throws(SystemError) -> FolderRules {
        let rules = coveredRules[joined(root.path, folder)] ?? above
        if !rules.readsIgnoreFiles { return rules }
        let opened = try access.findFolder(path)
        return withIgnoreFiles(rules, of: folder, in: opened)
    }

    /// Why a link to a file of this status is neither a document nor the folder of a followed link; `nil` if it is one.
    private func link(
        _ name: [UInt8], to target: FileStatus?, in folder: WatchedFolder?,
        _ symlinks: DocumentRules.SymbolicLinks
    ) -> LinkFinding? {
        if symlinks == .ignore { return .ignored }
        guard let target else { return .toNothing }
        if target.kind == .regular { return nil }
        if target.kind != .directory { return .toOther }
        if symlinks == .report { return .toFolder }
        if folder?.folders[name]?.target != nil { return nil }
        switch folder.flatMap({ links[name, in: $0] }) {
        case .folder(_, let refusal?): return .refused(refusal)
        case .folder(_, nil): return .notYet
        case .plain: return .outOfReach(limit: limits.links)
        case nil: return links.isFull ? .outOfReach(limit: limits.links) : .notYet
        }
    }

    private func reason(
        _ rules: FolderRules, _ name: [UInt8], _ isFolder: Bool, _ folder: [UInt8],
        at above: [UInt8], of place: [UInt8]
    ) -> RuleReason? {
        if isFolder, coveredRules[place] != nil { return nil }
        switch rules.verdict(name[...], isFolder: isFolder, in: { folder }) {
        case .kept: return nil
        case .ignored(let reason): return reason
        case .ignoredBeside(let markers, let reason):
            return hasFile(markers, in: above) ? reason : nil
        }
    }

    private func outcome(
        _ relative: [UInt8], in root: WatchedRoot
    ) -> PathFinding.Outcome {
        if let document = store[root: root.text, path: FileName(bytes: relative)] {
            return .document(document)
        }
        let names = relative.split(separator: slash).dropLast().map(Array.init)
        var folder = root.folder
        var trouble: WatchTrouble?
        for name in names {
            guard let next = folder?.folders[name] else { break }
            folder = next
        }
        if let folder { trouble = Self.trouble(folder) }
        return .notYet(trouble)
    }
}
