// Roots: set, found, lost, and found again.
//
// A missing root is awaited without polling: the nearest existing ancestor is watched for the next name on the
// path, and so on down. The contents of a lost root are remembered up to a limit, so that its documents return
// with their keys.

import PickerModel
import SystemInterface
import SystemdEventLoop

extension DirectoryWatcher {
    /// Sets the roots, absolute paths as bytes. Roots that were followed before keep their documents; removed
    /// roots lose theirs in one transaction.
    ///
    /// A root that is given twice, or lies in another root, is left to that one and reported as covered: no
    /// document is listed twice. An invalid root changes nothing.
    package func setRoots(_ paths: [[UInt8]]) throws(WatchError) {
        loop.preconditionOnLoop()
        if paths.count > limits.roots {
            throw .tooManyRoots(paths.count, limit: limits.roots)
        }
        var cleaned: [[UInt8]] = []
        for path in paths {
            guard let clean = WatchedRoot.cleaned(path) else { throw .rootNotAbsolute(path) }
            cleaned.append(clean)
        }
        perform { $0.follow(cleaned) }
    }

    private func follow(_ paths: [[UInt8]]) {
        if openQueue() { startPoll() }
        var next: [WatchedRoot] = []
        for (index, path) in paths.enumerated() {
            let others = paths.enumerated().filter { other in
                other.offset != index && WatchedRoot.lies(path, in: other.element)
                    && (other.element != path || other.offset < index)
            }
            let other = others.min { $0.element.count < $1.element.count }
            if let other {
                report(.rootCovered(path: path, by: other.element))
                if other.element == path { continue }
                let covered = findOrCreateRoot(path)
                if covered.folder != nil { removeTree(of: covered, remembering: false) }
                stopWaiting(covered)
                covered.state = .covered(by: other.element)
                next.append(covered)
            } else {
                next.append(findOrCreateRoot(path))
            }
        }
        for root in rootList where !next.contains(where: { $0 === root }) {
            if root.folder != nil { removeTree(of: root, remembering: false) }
            stopWaiting(root)
        }
        rootList = next
        for root in next {
            if case .covered(let other) = root.state, !paths.contains(other) {
                root.state = .missing(remembered: nil)
            }
            probe(root)
        }
        commit()
        scans.beginLong()
        queueSlice()
        armPollTimer()
    }

    /// The root of that path, existing or new.
    private func findOrCreateRoot(_ path: [UInt8]) -> WatchedRoot {
        if let root = rootList.first(where: { $0.path == path }) { return root }
        return WatchedRoot(path: path)
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
            if WatchedRoot.lies(real, in: other.resolvedPath) {
                if case .covered = root.state { return }
                root.state = .covered(by: other.path)
                stopWaiting(root)
                report(.rootCovered(path: root.path, by: other.path))
                return
            }
            if WatchedRoot.lies(other.resolvedPath, in: real) {
                removeTree(of: other, remembering: false)
                other.state = .covered(by: root.path)
                report(.rootCovered(path: other.path, by: root.path))
            }
        }
        stopWaiting(root)
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
        let absence = there == nil ? RootAbsence.notThere : .notAFolder
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
            degraded: Array(troubles))
    }

    /// The fault of one folder; `nil` if its root tells of it.
    static func trouble(_ folder: WatchedFolder) -> WatchTrouble? {
        guard case .degraded(let reason) = folder.condition,
            !reason.isOfWholeTree || folder.parent == nil, let path = folder.path()
        else { return nil }
        return WatchTrouble(path: path, reason: reason.text)
    }
}
