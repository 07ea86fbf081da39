// Symbolic links that count: those to files are documents, and those to folders may be followed.
//
// A link is judged by its own name, and what it leads to is only looked at, never opened, unless it is a folder. A link
// to a file is a document like any other: its identity is that of the link, what it shows is the file's.
//
// The folder of a followed link is a folder of the tree with another place on disk (`WatchedFolder.target`): a path
// without links, found when the link is checked, and verified by device and inode then and whenever it is opened. So no
// link is ever followed by an open, and a link that is changed in between leads nowhere else.
//
// A link is not followed to a folder that is listed already: to one in a root, to one in a folder to which another
// followed link leads, or to one that has such a folder in it. This is decided for all links at once, when all
// folders have been read, in an order that only depends on their paths (`KnownLinks.toFolders`); so the same links are
// followed in whatever order they were found, and no chain of links leads on for ever.
//
// No event tells of a change of what a link leads to, outside the roots and the followed folders. So a drain checks all
// known links again.

import EventLoops
import FileRules
import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// What becomes of links in a folder.
    func symlinks(in folder: WatchedFolder) -> DocumentRules.SymbolicLinks {
        rules(in: folder)?.symlinks ?? .ignore
    }

    // MARK: Checks

    /// Takes a link that a scan has found: it is checked with the names that events have marked.
    func checkLink(_ name: [UInt8], _ scan: RunningScan) {
        let folder = scan.folder
        if symlinks(in: folder) == .ignore { return removeEntry(name, from: folder) }
        _ = folder.files.found(name)
        mark(name, in: folder, isHint: true)
        if scan.isRecursive, let child = folder.folders[name] {
            scans.queueScan(child, recursive: true)
        }
    }

    /// Updates the tree with a link.
    /// - Parameters:
    ///   - status: of the link itself.
    ///   - name: its name.
    ///   - folder: the folder of the name.
    ///   - opened: that folder, if it could be opened.
    ///   - path: that of the folder.
    ///   - isHint: as in `updateEntry`.
    func updateLink(
        _ status: FileStatus, as name: [UInt8], in folder: WatchedFolder,
        _ opened: DescriptorBox?, _ path: [UInt8], isHint: Bool
    ) {
        let symlinks = symlinks(in: folder)
        if symlinks == .ignore || isLeftOut(name, isFolder: false, in: folder) {
            return removeEntry(name, from: folder)
        }
        let target = target(of: name, in: opened, path)
        switch target {
        case .some(let file) where file.kind == .regular:
            updateFile(status.showing(file), as: name, in: folder, isHint: isHint)
        case .some(let other) where other.kind == .directory && symlinks == .follow:
            if isLeftOut(name, isFolder: true, in: folder) {
                removeEntry(name, from: folder)
                break
            }
            if folder.files[name] != nil { removeEntry(name, from: folder) }
            if updateLink(to: other, as: name, in: folder, path) { return }
            removeEntry(name, from: folder)
        default:
            removeEntry(name, from: folder)
        }
        // It is checked again: it may lead elsewhere then.
        links.note(.plain, as: name, in: folder)
    }

    /// The status of what a link leads to; `nil` if that can't be looked at.
    private func target(
        of name: [UInt8], in opened: DescriptorBox?, _ path: [UInt8]
    ) -> FileStatus? {
        guard let opened else {
            return try? access.status(joined(path, name), followingLinks: true)
        }
        return try? access.target(of: name, in: opened.descriptor, at: path)
    }

    /// Updates the tree with a link to a folder.
    /// - Returns: `false` if it can't be followed.
    private func updateLink(
        to status: FileStatus, as name: [UInt8], in folder: WatchedFolder, _ path: [UInt8]
    ) -> Bool {
        guard let place = place(of: status, at: joined(path, name)) else { return false }
        let target = LinkTarget(
            path: place, identity: status.identity, inode: status.inodeHash)
        if let child = folder.folders[name], child.target != nil || child.identity != 0 {
            if child.target != nil, isStill(child, status, at: place) {
                if child.target != place { links.setDue() }
                child.target = place
                links.note(.folder(target, nil), as: name, in: folder)
                keep(child, status)
                return true
            }
            removeEntry(name, from: folder)
        }
        if case .folder(target, let refusal) = links[name, in: folder] {
            if refusal == nil { links.setDue() }
            return true
        }
        if !links.note(.folder(target, nil), as: name, in: folder) { return false }
        links.setDue()
        return true
    }

    /// The path, without links, of a folder to which a link leads; `nil` if none leads there, as into another mount
    /// namespace.
    private func place(of status: FileStatus, at link: [UInt8]) -> [UInt8]? {
        guard let path = try? RawPath(bytes: link)?.resolved().bytes,
            let found = try? access.status(path, followingLinks: false),
            found.kind == .directory, found.inodeHash == status.inodeHash
        else { return nil }
        return path
    }

    /// Forgets a name that is no link any more, or none that counts. A folder there has its place under its name.
    func forgetLink(_ name: [UInt8], in folder: WatchedFolder) {
        guard case .folder = links.remove(name, in: folder) else { return }
        folder.folders[name]?.target = nil
        links.setDue()
    }

    /// Forgets the links in a folder that left the tree, and that it is the folder of one.
    func forgetLinks(in folder: WatchedFolder) {
        links.forget(folder)
        folder.target = nil
    }

    /// Whether a folder behind a link that was opened for the first time lies in the one in which the tree has it. Those
    /// who may change what is there are not always those who made the link: with a link on the way, just then, another
    /// folder might be opened.
    func isBelowItsParent(
        _ folder: WatchedFolder, _ opened: borrowing OwnedDescriptor, at path: [UInt8]
    ) -> Bool {
        guard folder.identity == 0, let parent = folder.parent, parent.inode != 0,
            folder.linkLevel > 0
        else { return true }
        let above = try? access.status(Array("..".utf8), in: opened, at: path)
        return above?.inodeHash == parent.inode
    }

    // MARK: Following

    /// Whether it is time to decide which links are followed.
    var mayDecideLinks: Bool { links.isDue && scans.isIdle && !moves.hasPending }

    /// Decides which links are followed, if something has changed on which that depends.
    /// - Complexity: O(n log n) for n known links to folders, and the lengths of their paths.
    func decideLinks() {
        if !mayDecideLinks { return }
        links.endDeciding()
        var places = ListedPlaces()
        for root in rootList {
            guard let folder = root.folder else { continue }
            places.add(root.resolvedPath, inode: folder.inode, as: root.path)
        }
        for (folder, name, level, path) in links.toFolders {
            // One above may just have been taken out of the tree.
            guard folder.attachedRoot != nil,
                case .folder(let target, _) = links[name, in: folder]
            else { continue }
            let refusal =
                level >= limits.linkLevels
                ? .tooDeep(limit: limits.linkLevels) : places.refusal(of: target)
            links.note(.folder(target, refusal), as: name, in: folder)
            if refusal == nil {
                places.add(target.path, inode: target.inode, as: path)
                follow(target, as: name, in: folder)
            } else {
                unfollow(name, in: folder)
            }
        }
    }

    /// Puts the folder of a link into the tree, unless it is there.
    private func follow(_ target: LinkTarget, as name: [UInt8], in folder: WatchedFolder) {
        // One without an identity is remembered from before its root vanished.
        let known = folder.folders[name]
        if known?.target != nil { return }
        let child = known ?? WatchedFolder(name: name, names: fileNames)
        if known == nil { folder.attach(child, as: name) }
        child.target = target.path
        child.identity = target.identity
        child.inode = target.inode
        scans.queueScan(child, recursive: known != nil)
        scans.resume(child)
    }

    /// Takes the folder of a link out of the tree. The link stays known.
    private func unfollow(_ name: [UInt8], in folder: WatchedFolder) {
        if let child = folder.detachFolder(name) { moves.depart(child) }
    }

    /// Takes the folders of links that lead into a root which has appeared, or to a folder around it, out of the tree, so
    /// that their watches are for the root.
    func unfollowLinks(around path: [UInt8]) {
        for child in links.followed {
            guard let target = child.target, let folder = child.parent,
                WatchedRoot.lies(target, in: path) || WatchedRoot.lies(path, in: target)
            else { continue }
            unfollow(child.name, in: folder)
        }
        links.setDue()
    }

    /// Marks what a mount point that has changed is for the folders of links.
    func markMount(_ place: [UInt8], _ followed: [WatchedFolder]) {
        for child in followed {
            guard let target = child.target, let parent = child.parent else { continue }
            if WatchedRoot.lies(target, in: place) { mark(child.name, in: parent) }
            guard WatchedRoot.lies(place, in: target) else { continue }
            let names = place.dropFirst(target.count).split(separator: slash).map(Array.init)
            guard let last = names.last, let folder = child.folder(at: names.dropLast()) else {
                continue
            }
            mark(last, in: folder)
        }
    }
}
