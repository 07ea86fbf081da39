internal import DirectoryWatching
internal import EventLoops
internal import FileRules
internal import JSONText
internal import PickerModel
internal import PluginInterface
internal import SystemInterface
internal import WireProtocol

// The collections: all roots, each of them, and the folders that clients have opened.

extension DocumentsPlugin {
    func registerCollections(in context: PluginContext) {
        context.register(.collectionsOpen) {
            [unowned self] (call, writer) throws(ProtocolError) in
            let folder = try openFolder(call)
            let state = state(ofFolder: folder)
            writer.object { writer in
                writer.member("collection", folder.collection)
                writer.member("state", state)
            }
            return .answered
        }
        context.register(command: .collectionsClose) {
            [unowned self] (call) throws(ProtocolError) in
            let name = try call.reader().string("collection")
            guard let lease = lease(of: call.session, { $0.collection == name }) else {
                throw .noSuchItem(
                    "this connection has not opened a collection \(ProtocolError.quoted(name)): close one "
                        + "that collections.open has named here")
            }
            call.session.close(lease.id)
            followLeases()
        }
        context.register(.collectionsList) { [unowned self] (_, writer) throws(ProtocolError) in
            writer.array { writer in
                for entry in entries() { entry.write(to: &writer) }
            }
            return .answered
        }
    }

    private func lease(
        of session: any ClientSession, _ isWanted: (LeasedFolders.Folder) -> Bool
    ) -> FolderLease? {
        leases.first { $0.session === session && isWanted($0.folder) }
    }

    // MARK: Open and close

    /// Opens the folder of a request for its session; if it has it open, nothing is changed.
    private func openFolder(_ call: MethodCall) throws(ProtocolError) -> LeasedFolders.Folder {
        let id = try call.streamID()
        let path = try Self.folder(at: Self.path(call.reader()))
        if let known = lease(of: call.session, { $0.path == path }) { return known.folder }
        let count = leases.count { $0.session === call.session }
        let folder = try leased.open(path, besides: count)
        let lease = FolderLease(folder, id, of: call.session) { [weak self] in self?.close($0) }
        do {
            try call.session.open(lease, as: id)
        } catch {
            leased.close(folder)
            _ = leased.removeUnneeded()
            throw error
        }
        leases.append(lease)
        do throws(PluginError) {
            try setRoots(inTurns: true)
        } catch {
            call.session.close(id)
            throw .internalError(error.reason)
        }
        return folder
    }

    private func close(_ lease: FolderLease) {
        leases.removeAll { $0 === lease }
        leased.close(lease.folder)
        // The end of a session may come at any time.
        followLeasesLater()
    }

    private func followLeasesLater() {
        guard let context, !isFollowingQueued else { return }
        isFollowingQueued = true
        context.loop.enqueue { [weak self] in
            self?.context?.documents.hold.whenOff {
                self?.isFollowingQueued = false
                self?.followLeases()
            }
        }
    }

    /// Follows no folder any more that nobody needs.
    private func followLeases() {
        if leased.removeUnneeded() {
            // The roots are those that were taken before.
            try? setRoots(inTurns: true)
        } else {
            updateCollections()
        }
    }

    /// Gives the largest leased folder up, if they have too many documents.
    func checkLeasedDocuments() {
        guard let context, leasedCount > leased.limits.documents, !isGivingUpQueued
        else { return }
        isGivingUpQueued = true
        context.loop.enqueue { [weak self] in
            self?.context?.documents.hold.whenOff {
                self?.isGivingUpQueued = false
                self?.giveUpLargest()
            }
        }
    }

    /// The documents of leased folders that are in no root.
    private var leasedCount: Int {
        guard let documents = context?.documents, documents.outsideCount > 0 else { return 0 }
        return documents.outsideCount - documents.sources.count
    }

    private func giveUpLargest() {
        guard let watcher, leasedCount > leased.limits.documents else { return }
        let largest = watcher.roots.filter(\.isLeased).max { $0.documents < $1.documents }
        guard let largest, let folder = leased.followed.first(where: { $0.path == largest.path })
        else { return }
        folder.isGivenUp = true
        report(givenUp: folder.path, limit: leased.limits.documents)
        _ = leased.removeUnneeded()
        try? setRoots(inTurns: true)
    }

    /// The folder at a path, without links.
    private static func folder(at path: [UInt8]) throws(ProtocolError) -> [UInt8] {
        let name = ProtocolError.quoted(String(decoding: path, as: UTF8.self))
        let real: [UInt8]
        do throws(SystemError) {
            guard let raw = RawPath(bytes: path) else {
                throw SystemError(.noSuchFile, operation: "find")
            }
            let resolved = try raw.resolved()
            guard try FileStatus.of(resolved).kind == .directory else {
                throw .init(.notADirectory, operation: "open")
            }
            real = resolved.bytes
        } catch {
            switch error.code {
            case .noSuchFile: throw .noSuchItem("there is no folder \(name)")
            case .notADirectory: throw .noSuchItem("\(name) is not a folder: give its folder")
            default: throw .permissionDenied("\(name) can't be opened: \(error)")
            }
        }
        let systems = ["/proc", "/sys", "/dev"]
        if let system = systems.first(where: { (real + [slash]).starts(with: ($0 + "/").utf8) }) {
            throw .permissionDenied("\(name) lies in \(system), whose files are no documents")
        }
        if real == [slash] {
            throw .permissionDenied(
                "all files of the machine are no collection: open a folder in /")
        }
        return real
    }

    private static var slash: UInt8 { UInt8(ascii: "/") }

    // MARK: What is followed

    /// The roots of the settings, and then the leased folders.
    func rootsToWatch() -> [RootToWatch] {
        guard let settings else { return [] }
        var rules = settings.rules.common
        // A leased folder ends where it ends.
        if rules.symlinks == .follow { rules.symlinks = .report }
        return settings.roots.map { RootToWatch($0.bytes, settings.rules[$0]) }
            + leased.followed.map { RootToWatch($0.path, rules, isLeased: true) }
    }

    /// The name of the collection of a root: its path as documents have it.
    static func name(of root: FileName) -> String {
        text(RootToWatch.cleaned(root.bytes) ?? root.bytes)
    }

    /// Tells the store which collections there are.
    func updateCollections() {
        guard let context, let watcher, let settings else { return }
        var known: [String: DocumentCollections.Collection] = [:]
        func add(_ name: String, _ path: [UInt8], isGivenUp: Bool = false) {
            let areas = watcher.areas(of: path)
            known[name] = .init(
                areas, isWhole: !isGivenUp && !areas.contains { unscanned.contains($0.root) },
                limit: isGivenUp ? leased.limits.documents : nil)
        }
        for root in settings.roots { add(Self.name(of: root), root.bytes) }
        for folder in leased.open {
            add(folder.collection, folder.path, isGivenUp: folder.isGivenUp)
        }
        context.documents.setCollections(
            known, roots: Set(watcher.roots.filter { !$0.isLeased }.map { text($0.path) }),
            leased: Set(leased.followed.map { text($0.path) }))
        counted = counted.filter { known[$0.key] != nil }
    }

    // MARK: The list

    private struct Entry {
        let collection: String
        let kind: String
        let documents: Int
        let state: String
        var path: FileName?
        var title: String?

        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("collection", collection)
                writer.member("kind", kind)
                writer.member("documents", documents)
                writer.member("state", state)
                if let path { writer.member("path", path.text) }
                if let bytes = path?.rawBytes { writer.member(base64: "pathB64", bytes) }
                if let title { writer.member("title", title) }
            }
        }
    }

    private func entries() -> [Entry] {
        guard let context, let settings, let watcher else { return [] }
        let roots = watcher.roots
        var entries = [
            Entry(
                collection: CollectionSet.documentsName, kind: "documents",
                documents: context.documents.count,
                state: Self.state(of: roots.filter { !$0.isLeased }))
        ]
        var told: Set<String> = []
        for root in settings.roots {
            let name = Self.name(of: root)
            if !told.insert(name).inserted { continue }
            entries.append(
                Entry(
                    collection: name, kind: "root", documents: count(of: name, roots),
                    state: state(of: root.bytes, roots), path: root))
        }
        for folder in leased.open {
            entries.append(
                Entry(
                    collection: folder.collection, kind: "folder",
                    documents: count(of: folder.collection, roots), state: state(ofFolder: folder),
                    path: FileName(bytes: folder.path)))
        }
        for source in context.documents.sources.all {
            entries.append(
                Entry(
                    collection: source.name, kind: "source", documents: source.count,
                    state: source.state.rawValue, title: source.title))
        }
        return entries
    }

    /// The number of documents of a collection. That of a part of a root is kept up to date from then on.
    private func count(of name: String, _ roots: [RootStatus]) -> Int {
        guard let documents = context?.documents else { return 0 }
        let areas = documents.collections.known[name]?.areas ?? []
        if areas.allSatisfy(\.path.isEmpty) {
            return areas.reduce(0) { sum, area in
                sum + (roots.first { text($0.path) == area.root }?.documents ?? 0)
            }
        }
        let range = DocumentRange(.all, of: CollectionSet([name]))
        let subset = counted[name] ?? documents.subset(of: range)
        counted[name] = subset
        return subset?.count ?? 0
    }

    private func state(ofFolder folder: LeasedFolders.Folder) -> String {
        folder.isGivenUp ? "refused" : state(of: folder.path, watcher?.roots ?? [])
    }

    private func state(of path: [UInt8], _ roots: [RootStatus]) -> String {
        let areas = Set((watcher?.areas(of: path) ?? []).map(\.root))
        return Self.state(of: roots.filter { areas.contains(text($0.path)) })
    }

    private static func state(of roots: [RootStatus]) -> String {
        let states = roots.map(\.state)
        if states.contains(.scanning) { return RootState.scanning.rawValue }
        if states.contains(.polling) { return RootState.polling.rawValue }
        return states.contains(.watching) ? RootState.watching.rawValue : RootState.missing.rawValue
    }
}
