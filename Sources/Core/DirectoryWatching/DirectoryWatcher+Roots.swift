// Roots: set, found, lost, and found again.
//
// A missing root is awaited without polling: the nearest existing ancestor is watched for the next name on the
// path, and so on down. The contents of a lost root are remembered up to a limit, so that its documents return
// with their keys.

import EventLoops
import FileRules
package import PickerModel
import SystemInterface

extension DirectoryWatcher {
    /// Sets the roots without rules: every regular file below them is a document.
    package func setRoots(_ paths: [[UInt8]]) throws(WatchError) {
        try setRoots(paths.map { RootToWatch($0) })
    }

    /// Sets the roots, absolute paths as bytes. Roots that were followed before keep their documents; removed
    /// roots lose theirs in one transaction.
    ///
    /// A root that is given twice, or lies in another root, is left to that one and reported as covered: no
    /// document is listed twice. A leased folder never covers a root: it leaves out those that lie in it, and leased
    /// folders given before it. Leased folders come after the roots. An invalid root changes nothing.
    ///
    /// With `inTurns`, documents of removed roots may leave in several transactions, in later turns.
    package func setRoots(_ roots: [RootToWatch], inTurns: Bool = false) throws(WatchError) {
        loop.preconditionOnLoop()
        let own = roots.count { !$0.isLeased }
        if own > limits.roots { throw .tooManyRoots(own, limit: limits.roots) }
        var cleaned: [RootToWatch] = []
        for root in roots {
            guard let clean = WatchedRoot.cleaned(root.path) else {
                throw .rootNotAbsolute(root.path)
            }
            cleaned.append(RootToWatch(clean, root.rules, isLeased: root.isLeased))
        }
        let given = cleaned.compactMap { $0.leavingOut(cleaned) }
        if inTurns { performInTurn { $0.follow(given) } } else { perform { $0.follow(given) } }
    }

    /// The folders in which the documents of a root are: of one that lies in another, a folder of that one; of a leased
    /// folder, which must be given without links, also the roots in it.
    /// - Returns: none if it is no root.
    package func areas(of path: [UInt8]) -> [DocumentArea] {
        loop.preconditionOnLoop()
        guard let clean = WatchedRoot.cleaned(path),
            let root = rootList.first(where: { $0.path == clean })
        else { return [] }
        var areas: [DocumentArea] = []
        if case .covered(let other) = root.state,
            let cover = rootList.first(where: { $0.path == other })
        {
            let (inner, outer) =
                WatchedRoot.lies(root.path, in: other)
                ? (root.path, other) : (root.resolvedPath, cover.resolvedPath)
            let inside = inner.dropFirst(outer.count).drop { $0 == slash }
            areas = [DocumentArea(root: cover.text, path: inside.isEmpty ? [] : inside + [slash])]
        } else if !root.isLeased {
            return [DocumentArea(root: root.text)]
        }
        // Leased folders are given without links.
        let others = rootList.filter {
            root.isLeased && !$0.isCovered && WatchedRoot.lies($0.resolvedPath, in: root.path)
        }
        return areas + others.map { DocumentArea(root: $0.text) }.filter { !areas.contains($0) }
    }

    private func follow(_ roots: [RootToWatch]) {
        if openQueue() { startPoll() }
        let formerCovered = coveredRules
        coveredRules = [:]
        var next: [WatchedRoot] = []
        for (index, given) in roots.enumerated() {
            if let other = cover(of: index, among: roots) {
                report(.rootCovered(path: given.path, by: other))
                if other == given.path { continue }
                let covered = findOrCreateRoot(given)
                if covered.folder != nil { removeTree(of: covered, remembering: false) }
                stopWaiting(covered)
                covered.state = .covered(by: other)
                // A leased folder has what the root has there.
                if !given.isLeased { cover(given.path, covered.settings, in: other) }
                next.append(covered)
            } else {
                let root = findOrCreateRoot(given)
                // One that lies in another by a link is still there.
                if case .covered(let other) = root.state,
                    WatchedRoot.lies(given.path, in: other)
                        || !roots.contains(where: { $0.path == other })
                {
                    root.state = .missing(remembered: nil)
                }
                next.append(root)
            }
        }
        for root in rootList where !next.contains(where: { $0 === root }) {
            if root.folder != nil { removeTree(of: root, remembering: false) }
            stopWaiting(root)
        }
        rootList = next
        takeRestored(next)
        for root in next { probe(root) }
        verifyRestored()
        scanWhereCoverChanged(formerCovered)
        links.setDue()
        commit()
        scans.beginLong()
        queueSlice()
        armPollTimer()
    }

    /// Lets a root that lies in another have its own rules there.
    private func cover(_ path: [UInt8], _ settings: DocumentRules, in other: [UInt8]) {
        let inside = path.dropFirst(other.count).drop { $0 == slash }
        if !inside.isEmpty { coveredRules[path] = FolderRules(settings, at: Array(inside)) }
    }

    /// The path of the topmost other root that has the files of a root; `nil` if there is none.
    private func cover(of index: Int, among roots: [RootToWatch]) -> [UInt8]? {
        let path = roots[index].path
        let others = roots.indices.filter { other in
            other != index && WatchedRoot.lies(path, in: roots[other].path)
                && (roots[other].path != path || other < index)
                && !isLeftOut(path, below: roots[other].path, FolderRules(roots[other].rules))
        }
        return others.map { roots[$0].path }.min { $0.count < $1.count }
    }

    /// Scans the folders of covered roots that have other rules than before.
    private func scanWhereCoverChanged(_ former: [[UInt8]: FolderRules]) {
        for path in Set(former.keys).union(coveredRules.keys) {
            if let old = former[path], let new = coveredRules[path], old.hasSameRules(as: new) {
                continue
            }
            for root in rootList where WatchedRoot.lies(path, in: root.path) {
                let names = path.dropFirst(root.path.count).split(separator: slash)
                guard let folder = root.folder?.folder(at: names.map(Array.init)[...]),
                    folder !== root.folder, folder.rules != nil
                else { continue }
                scans.queueScan(folder, recursive: true)
            }
        }
    }

    /// The root of that path, existing or new, with these rules.
    private func findOrCreateRoot(_ given: RootToWatch) -> WatchedRoot {
        guard let root = rootList.first(where: { $0.path == given.path }) else {
            let root = WatchedRoot(path: given.path, given.rules)
            root.isLeased = given.isLeased
            return root
        }
        root.isLeased = given.isLeased
        if root.settings != given.rules {
            root.settings = given.rules
            if let folder = root.folder { scans.queueScan(folder, recursive: true) }
        }
        return root
    }

    /// The number of its documents in the store.
    func documentCount(of root: WatchedRoot) -> Int { documentCounts[root.text] ?? 0 }

    /// Probes every queued root.
    func probeRoots() {
        var rounds = 0
        while !rootWaiting.isQueueEmpty, rounds < 4 {
            rounds += 1
            for root in rootWaiting.takeQueue() where rootList.contains(where: { $0 === root }) {
                probe(root)
            }
        }
    }

    private func probe(_ root: WatchedRoot) {
        let status = try? access.status(root.path, followingLinks: true)
        switch root.state {
        case .covered(let other):
            // Covered by its path, which is permanent, or by a link that may lead elsewhere now.
            if WatchedRoot.lies(root.path, in: other) { return }
        case .missing: break
        case .present(let folder):
            if let status, status.kind == .directory,
                folder.identity == 0 || isStill(folder, status, at: root.resolvedPath)
            {
                let isChanged = folder.identity != 0 && folder.access != status.access
                if folder.watch < 0 || isChanged || folder.isPolled {
                    scans.queueScan(folder, recursive: false)
                }
                // It may have been missing at its turn.
                scans.resume(folder)
                checks.resumeMisplaced(folder)
                return
            }
            removeTree(of: root, remembering: true)
        }
        if status?.kind == .directory { startFollowing(root) } else { awaitReturn(of: root) }
    }

    // MARK: There

    private func startFollowing(_ root: WatchedRoot) {
        guard let real = try? RawPath(bytes: root.path)?.resolved().bytes else {
            root.isPolledFor = true
            armPollTimer()
            return
        }
        root.resolvedPath = real
        for other in rootList where other !== root && other.folder != nil {
            if root.isLeased != other.isLeased {
                let (leased, own) = root.isLeased ? (root, other) : (other, root)
                // A link has led the root there since: its documents stay its own.
                if WatchedRoot.lies(own.resolvedPath, in: leased.resolvedPath),
                    own.resolvedPath != leased.resolvedPath,
                    !isLeftOut(own.resolvedPath, below: leased.resolvedPath, leased.rules)
                {
                    if leased === other { removeTree(of: leased, remembering: false) }
                    leased.isPolledFor = true
                    armPollTimer()
                    if leased === root { return }
                    continue
                }
            }
            if WatchedRoot.lies(real, in: other.resolvedPath),
                !isLeftOut(real, below: other.resolvedPath, other.rules)
            {
                let inside = real.dropFirst(other.resolvedPath.count).drop { $0 == slash }
                if !root.isLeased {
                    cover(joined(other.path, Array(inside)), root.settings, in: other.path)
                }
                if case .covered = root.state { return }
                root.state = .covered(by: other.path)
                stopWaiting(root)
                report(.rootCovered(path: root.path, by: other.path))
                return
            }
            if WatchedRoot.lies(other.resolvedPath, in: real),
                !isLeftOut(other.resolvedPath, below: real, root.rules)
            {
                let inside = other.resolvedPath.dropFirst(real.count).drop { $0 == slash }
                if !other.isLeased {
                    cover(joined(root.path, Array(inside)), other.settings, in: root.path)
                }
                removeTree(of: other, remembering: false)
                other.state = .covered(by: root.path)
                report(.rootCovered(path: other.path, by: root.path))
            }
        }
        stopWaiting(root)
        unfollowLinks(around: real)
        var folder = WatchedFolder(name: [], names: fileNames)
        var isKnown = false
        if case .missing(let remembered?) = root.state {
            folder = remembered
            isKnown = true
            expectKeys(folder)
        }
        folder.root = root
        root.state = .present(folder)
        root.isScanning = true
        root.progress = ScanProgress()
        if root.isReportedMissing {
            root.isReportedMissing = false
            report(.rootRestored(path: root.path))
        }
        scans.queueScan(folder, recursive: isKnown)
    }

    /// Reserves the keys of a remembered tree for its scan.
    private func expectKeys(_ folder: WatchedFolder) {
        folder.forEachFolder { inner in
            self.checks.follow(inner)
            inner.files = inner.files.filter { self.changes.expect($1.key, in: self.store) }
        }
    }

    // MARK: Not there

    private func removeTree(of root: WatchedRoot, remembering: Bool) {
        guard let folder = root.folder else { return }
        folder.forEachFolder { inner in
            for entry in inner.files.values { self.recordRemoval(of: entry) }
        }
        forget(folder)
        folder.forEachFolder { inner in
            inner.identity = 0
            inner.inode = 0
            inner.condition = .unread
        }
        folder.root = nil
        links.setDue()
        root.isScanning = false
        let isRemembered = remembering && documentCount(of: root) <= limits.documentsRemembered
        if isRemembered {
            // The next commit removes the documents.
            folder.forEachFolder { $0.files.keepNames() }
        }
        root.state = .missing(remembered: isRemembered ? folder : nil)
    }

    /// Watches for the next name on the path to a missing root.
    private func awaitReturn(of root: WatchedRoot) {
        let there = try? access.status(root.path, followingLinks: true)
        // One that is a folder is back already.
        let isOther = there.map { $0.kind != .directory } ?? false
        let absence = isOther ? .notAFolder : absence(of: root)
        if !root.isReportedMissing || root.absence != absence {
            root.isReportedMissing = true
            root.absence = absence
            report(.rootMissing(path: root.path, absence))
        }
        if case .covered = root.state { root.state = .missing(remembered: nil) }
        stopWaiting(root)
        let names = root.path.split(separator: slash).map(Array.init)
        for _ in 0..<limits.depth {
            var folder: [UInt8] = [slash]
            var depth = 0
            while depth < names.count, isFolder(joined(folder, names[depth])) {
                folder = joined(folder, names[depth])
                depth += 1
            }
            if depth == names.count {
                startFollowing(root)
                return
            }
            let next = joined(folder, names[depth])
            guard let watch = try? access.addWatch(folder, Self.ancestorMask) else { break }
            rootWaiting.wait(root, for: names[depth], on: watch)
            if !isFolder(next) {
                // A dangling link may be repaired outside all watches.
                let there = try? access.status(next, followingLinks: false)
                root.isPolledFor = there?.kind == .symbolicLink
                armPollTimer()
                return
            }
            stopWaiting(root)
        }
        root.isPolledFor = true
        armPollTimer()
    }

    /// Why a root is not there.
    private func absence(of root: WatchedRoot) -> RootAbsence {
        if MountTable.temporaryFolder(of: root.path) == nil { return .notThere }
        let mounts = access.readMounts().map(MountTable.init)
        return mounts?.isInPrivateTemporaryFolder(root.path) == true ? .hidden : .notThere
    }

    private func isFolder(_ path: [UInt8]) -> Bool {
        let status = try? access.status(path, followingLinks: true)
        return status?.kind == .directory
    }

    /// `addedToOthers`, because the folder may have a watch for more events.
    private static let ancestorMask: InotifyMask = [
        .created, .movedTo, .selfDeleted, .selfMoved, .attributes, .onlyDirectory, .addedToOthers,
    ]

    private func stopWaiting(_ root: WatchedRoot) {
        root.isPolledFor = false
        if let watch = rootWaiting.stop(root) { removeUnusedWatch(watch) }
    }

    // MARK: Status

    func status(of root: WatchedRoot) -> RootStatus {
        let mine = degraded.values.filter { $0.attachedRoot === root }
        let state: RootState
        switch root.state {
        case .missing, .covered: state = .missing
        case .present where root.isScanning: state = .scanning
        case .present where mine.contains(where: { $0.isPolled }): state = .polling
        case .present: state = .watching
        }
        var troubles = mine.lazy.compactMap(Self.trouble).prefix(limits.degradedNamed)
            .sorted { $0.path.lexicographicallyPrecedes($1.path) }
        if case .missing = root.state {
            troubles = [WatchTrouble(path: root.path, reason: root.absence.text)]
        }
        return RootStatus(
            path: root.path, state: state, documents: documentCount(of: root),
            foldersScanned: root.progress.foldersScanned,
            progress: root.isScanning || root.isProgressReported ? counts(of: root) : nil,
            degraded: Array(troubles),
            degradedCount: max(troubles.count, mine.count { Self.isNamed($0) }),
            rules: root.settings, isLeased: root.isLeased)
    }

    /// Whether a folder has a fault that its root does not tell of.
    private static func isNamed(_ folder: WatchedFolder) -> Bool {
        guard case .degraded(let reason) = folder.condition else { return false }
        return !reason.isOfWholeTree || folder.parent == nil
    }

    /// The fault of one folder; `nil` if its root tells of it.
    static func trouble(_ folder: WatchedFolder) -> WatchTrouble? {
        guard case .degraded(let reason) = folder.condition, isNamed(folder),
            let path = folder.listedPath()
        else { return nil }
        return WatchTrouble(path: path, reason: reason.text)
    }
}
