internal import DirectoryWatching
internal import EventLoops
internal import FileRules
internal import JSONText
internal import MediaTypes
internal import Observables
internal import PickerModel
package import PluginInterface
package import StateFolder
internal import SystemInterface
internal import WireProtocol

/// Watches the roots, keeps the daemon's set of documents equal to the files on disk, and publishes each
/// change on the bus.
///
/// The first scan of a root publishes no events. A list that is open during a scan is marked
/// `complete:false`.
package final class DocumentsPlugin: Plugin {
    package let manifest = PluginManifest(
        "documents", "Watches the folders, and tells of what changes in them.",
        methods: [
            .documentsGet, .documentsWhy, .documentsCreate, .sync, .collectionsOpen,
            .collectionsClose, .collectionsList,
        ],
        reservedWords: ["documents", "watch", "collections"], settings: [store],
        info: [
            .optional(
                "roots",
                .array(
                    of: .object([
                        .required("path", .string(pattern: "^/")),
                        .required("state", .choice("scanning", "watching", "polling", "missing")),
                        .required("documents", .count),
                        .required("degraded", .array(of: .string), "What is not as it should be"),
                        .optional("folders", .count, "During a scan: read so far"),
                        .optional("foldersWaiting", .count, "During a scan: known, and not read"),
                        .optional(
                            "degradedCount", .count, "If 'degraded' names only some: their number"),
                        .optional("rules", rules, "What counts as a document below it"),
                    ]))),
            .optional(
                "snapshot",
                .object([
                    .required("stored", .boolean, "Whether documents outlive a restart"),
                    .required("bytes", .count, "What they take on the disk"),
                    .optional("degraded", .string, "Why they do not"),
                ])),
        ], keepsState: true, isRequired: true)

    static let store = SettingDefinition.boolean(
        "store", usual: true,
        "Whether documents and their keys outlive a restart; counts at the start")

    private static let rules = Schema.object([
        .required("hidden", .choice("skip", "keep"), "What becomes of hidden files"),
        .required("ignore", .array(of: .string), "Patterns of the settings, in their order"),
        .optional("ignoreCount", .count, "If 'ignore' has only the first: their number"),
        .required("gitignore", .boolean, "Whether the files .gitignore and .ignore count"),
        .required(
            "symlinks", .choice("ignore", "report", "follow"), "What becomes of symbolic links"),
    ])

    private(set) var context: PluginContext?
    private(set) var watcher: DirectoryWatcher?
    private(set) var settings: PluginSettings?
    /// The roots whose first scan has not finished, and the leased folders.
    private(set) var unscanned: Set<String> = []
    /// The roots whose documents are those of the last run.
    private var restoredRoots: Set<String> = []
    private var hasToldRefusal = false
    private var thumbnails = Thumbnails(cacheFolder: nil)

    /// The folders that clients have opened, and what they have them by.
    var leased: LeasedFolders
    var leases: [FolderLease] = []
    /// What counts the documents of collections that are a part of a root.
    var counted: [String: DocumentSubset] = [:]
    var isFollowingQueued = false
    var isGivingUpQueued = false

    /// Stores the documents; nil without a folder for it.
    var saver: DocumentSaver?
    /// Why there is none, unless the settings switch it off.
    var storeFault: String?
    /// Opens the folder of the stored documents.
    let openFolder: @Sendable (_ path: String) throws(StorageError) -> any StorageFolder
    /// The time limit for storing the last changes at the end, in milliseconds.
    private let finishLimit: Int32

    /// A plugin that stores documents in the folder that `openFolder` opens. At its end it waits at most `limit`
    /// milliseconds for the disk.
    package init(
        finishWithin limit: Int32 = 2000, leases: LeaseLimits = LeaseLimits(),
        openFolder:
            @escaping @Sendable (_ path: String) throws(StorageError) -> any StorageFolder = {
                (path) throws(StorageError) in try DiskFolder(at: path)
            }
    ) {
        finishLimit = limit
        leased = LeasedFolders(leases)
        self.openFolder = openFolder
    }

    package func activate(in context: PluginContext) throws(PluginError) {
        self.context = context
        let watcher = DirectoryWatcher(loop: context.loop, store: context.documents)
        self.watcher = watcher
        watcher.onReport = { [weak self] in self?.tell($0) }
        watcher.onChange = { [weak self] in self?.publish($0) }
        context.documents.whenRefused = { [weak self] in self?.tellRefusal($0) }
        restoredRoots = openStore(in: context, watcher)
        try follow(context.settings)
        context.contributeInfo("snapshot") { [unowned self] writer in
            if let saver { return saver.writeInfo(into: &writer) }
            writer.object { writer in
                writer.member("stored", false)
                writer.member("bytes", 0)
                if let storeFault { writer.member("degraded", storeFault) }
            }
        }
        context.register(.documentsGet) {
            [unowned self] (call, writer) throws(ProtocolError) in
            let document = try Self.find(
                call.reader(), in: context.documents,
                roots: watcher.roots.map { ($0.isLeased, text($0.path)) })
            fullRecord(of: document, watcher).write(to: &writer)
            return .answered
        }
        context.register(.documentsWhy) { (call, writer) throws(ProtocolError) in
            let path = try Self.path(call.reader())
            PathReason(watcher.explain(path)).write(to: &writer)
            return .answered
        }
        context.register(.documentsCreate) {
            [unowned self] (call, writer) throws(ProtocolError) in
            let request = try CreateRequest(
                reading: call.reader(),
                roots: watcher.roots.filter { !$0.isLeased }.map { $0.path })
            return try create(request, &writer)
        }
        context.register(.sync) { [unowned self] (call, writer) throws(ProtocolError) in
            try sync(call, &writer)
        }
        registerCollections(in: context)
        context.contributeInfo("roots") { writer in
            writer.array { writer in
                for root in watcher.roots where !root.isLeased {
                    RootRecord(root).write(to: &writer)
                }
            }
        }
    }

    package func adopt(_ settings: PluginSettings) throws(PluginError) {
        try follow(settings)
        saver?.retryNow()
    }

    package func deactivate() {
        context?.documents.whenRefused = nil
        context?.documents.whenChanged = nil
        saver = nil
        counted = [:]
        leases = []
        watcher = nil
        context = nil
    }

    /// Stores the last changes.
    package func end() { saver?.finish(within: finishLimit) }

    /// Reports the first document without room; more of them would say the same.
    private func tellRefusal(_ error: DocumentTableError) {
        if hasToldRefusal { return }
        hasToldRefusal = true
        context?.report(
            .error,
            "a document is in no list, and others may be missing, too: \(error); watch fewer folders and "
                + "start pickerd again")
    }

    private func follow(_ settings: PluginSettings) throws(PluginError) {
        thumbnails = Thumbnails(cacheFolder: settings.cacheFolder)
        let former = self.settings
        self.settings = settings
        do {
            try setRoots()
        } catch {
            self.settings = former
            throw error
        }
    }

    /// Follows the roots and the leased folders, as they are now.
    func setRoots(inTurns: Bool = false) throws(PluginError) {
        guard let watcher, let context else { return }
        let known = Set(watcher.roots.map { text($0.path) })
        // Before there are documents of them: those of leased folders are in no list that does not name them.
        context.documents.setCollections(
            context.documents.collections.known,
            roots: Set((settings?.roots ?? []).map { Self.name(of: $0) }),
            leased: Set(leased.followed.map { text($0.path) }))
        do throws(WatchError) {
            try watcher.setRoots(rootsToWatch(), inTurns: inTurns)
        } catch {
            throw PluginError(plugin: identifier, reason: "\(error)")
        }
        // The watcher's own names: the settings may spell the same path differently.
        let listed = Set(watcher.roots.map { text($0.path) })
        // What was restored is complete, as far as it is known.
        let new = listed.subtracting(known).subtracting(restoredRoots)
        unscanned = unscanned.intersection(listed).union(new)
        restoredRoots = []
        noteScans()
    }

    /// Updates the status, and reports once when the last first scan has finished.
    /// - Parameter isDue: whether requests that wait are told the progress, which is limited in time.
    private func noteScans(isDue: Bool = false) {
        guard let all = watcher?.roots, let context else { return }
        let roots = all.filter { !$0.isLeased }
        let documents = roots.reduce(0) { $0 + $1.documents }
        // A root inside another root is not listed and has no scan of its own.
        unscanned.formIntersection(all.filter { $0.state == .scanning }.map { text($0.path) })
        let isComplete = unscanned.isDisjoint(with: roots.map { text($0.path) })
        if isComplete, !roots.contains(where: { $0.state == .scanning }) { saver?.allAreThere() }
        let scan = ScanCounts(of: roots, isFirst: !isComplete)
        context.show(status: scan.status(documents: documents, isFirst: !isComplete))
        // Without a scan of roots, whoever waits does so for leased folders.
        let shown = scan ?? ScanCounts(of: all, isFirst: !unscanned.isEmpty)
        if isDue || shown == nil { context.documents.scan.value = shown }
        updateCollections()
        if context.documents.isComplete.value != isComplete {
            context.documents.isComplete.value = isComplete
            if isComplete {
                let folders = roots.reduce(0) { $0 + $1.foldersScanned }
                context.report(
                    .info, "the first scan is done: \(documents) documents in \(folders) folders",
                    fields: ["PICKERD_EVENT": "scanned", "PICKERD_DOCUMENTS": String(documents)])
            }
        }
    }
}

// MARK: - Requests

extension DocumentsPlugin {
    /// The absolute path that a request is about.
    static func path(_ params: ParameterReader) throws(ProtocolError) -> [UInt8] {
        let text = try params.optionalString("path")
        let bytes = try params.optionalBytes("pathB64")
        if text != nil, bytes != nil {
            throw .invalidParams(at: "pathB64", "give 'path' or 'pathB64', not both")
        }
        let name = bytes == nil ? "path" : "pathB64"
        guard let path = bytes ?? text.map({ Array($0.utf8) }) else {
            throw .invalidParams(at: "path", "say which path: give 'path', from '/' on")
        }
        if path.first != UInt8(ascii: "/") || path.contains(0) {
            throw params.invalid(name, mustBe: "an absolute path, from '/' on, without NUL")
        }
        return path
    }

    private static func find(
        _ params: ParameterReader, in documents: DocumentStore,
        roots: [(isLeased: Bool, path: String)]
    ) throws(ProtocolError) -> Document {
        let key = try params.optionalString("key")
        let text = try params.optionalString("path")
        let bytes = try params.optionalBytes("pathB64")
        if text != nil, bytes != nil {
            throw .invalidParams(at: "pathB64", "give 'path' or 'pathB64', not both")
        }
        switch (key, bytes ?? text.map { Array($0.utf8) }) {
        case (let key?, nil):
            guard let document = documents[key: key] else {
                throw .noSuchItem("there is no document with the key \(ProtocolError.quoted(key))")
            }
            return document
        case (nil, let path?):
            for (isLeased, root) in roots {
                // An absolute path inside a root is valid, too. Paths are compared as bytes, as in the
                // kernel.
                let folder = root.utf8.last == UInt8(ascii: "/") ? root : root + "/"
                let isInside = path.starts(with: folder.utf8)
                if isLeased, !isInside { continue }
                let name = FileName(bytes: path.dropFirst(isInside ? folder.utf8.count : 0))
                if let document = documents[root: root, path: name] { return document }
            }
            throw .noSuchItem(
                "there is no document at "
                    + ProtocolError.quoted(String(decoding: path, as: UTF8.self)))
        case (nil, nil):
            throw .invalidParams(at: "key", "say which document: give 'key' or 'path'")
        case (_?, _?):
            throw .invalidParams(at: "path", "give 'key' or 'path', not both")
        }
    }

    private func fullRecord(of document: Document, _ watcher: DirectoryWatcher) -> DocumentRecord {
        var record = DocumentRecord(document)
        record.details = details(of: document, watcher)
        return record
    }

    /// What the disk says of a document now, and what follows from its path and type.
    private func details(
        of document: Document, _ watcher: DirectoryWatcher
    ) -> DocumentDetails {
        if let item = context?.documents.sources.item(ofKey: document.key) {
            return DocumentDetails(
                uri: item.uri, icon: document.type.icon, genericIcon: document.type.genericIcon)
        }
        let slash = UInt8(ascii: "/")
        let root =
            watcher.roots.first { text($0.path).utf8.elementsEqual(document.root.utf8) }?.path
            ?? Array(document.root.utf8)
        let path = root + (root.last == slash ? [] : [slash]) + document.path.bytes
        var details = DocumentDetails(
            uri: FileURI.text(ofPath: path.span), icon: document.type.icon,
            genericIcon: document.type.genericIcon)
        if let status = watcher.status(root: root, relativePath: document.path.bytes) {
            // A file system that was made as an image may have zeros in its place.
            let born = status.born.flatMap { $0.seconds == 0 && $0.nanoseconds == 0 ? nil : $0 }
            details.created = born.map {
                PickerModel.FileTime(seconds: $0.seconds, nanoseconds: $0.nanoseconds)
                    .secondsSince1970
            }
            details.thumbnail = details.uri.flatMap { thumbnails.path(ofFile: $0, status) }
        }
        return details
    }

    private func create(
        _ request: CreateRequest, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        guard let watcher else { throw .notReady("the folders are not watched") }
        try request.makeFile { path throws(SystemError) in try watcher.openRoot(path) }
        let reply = PendingReply()
        var answer: Result<Document, ProtocolError>?
        var isPending = false
        let wait = watcher.refresh(
            root: request.root, relativePath: Array(request.name.utf8)
        ) { [weak self, weak reply] found in
            let result = self?.made(found, by: request) ?? .failure(request.isGone)
            guard isPending else {
                answer = result
                return
            }
            reply?.answer { writer throws(ProtocolError) in
                let document = try result.get()
                var record = DocumentRecord(document)
                if let self, let watcher = self.watcher {
                    record = self.fullRecord(of: document, watcher)
                }
                record.write(to: &writer)
            }
        }
        if let answer {
            fullRecord(of: try answer.get(), watcher).write(to: &writer)
            return .answered
        }
        isPending = true
        reply.onEnd = { wait.cancel() }
        return .pending(reply)
    }

    private func made(
        _ found: Document?, by request: CreateRequest
    ) -> Result<Document, ProtocolError> {
        guard let found else { return .failure(request.isGone) }
        // A document of the same name may have been liked or dropped before.
        context?.documents.unmark(key: found.key)
        return .success(found)
    }

    private func sync(
        _ call: MethodCall, _ writer: inout JSONWriter
    ) throws(ProtocolError) -> MethodOutcome {
        guard let watcher, let context else { throw .notReady("the folders are not watched") }
        let params = try call.reader()
        let milliseconds = try params.optionalInt("timeoutMs", in: 0...600_000) ?? 1000
        let wantsProgress = try params.optionalBool("progress") ?? false
        let reply = PendingReply()
        var isDone = false
        var isPending = false
        let wait = watcher.drain { [weak reply] in
            isDone = true
            guard isPending else { return }
            reply?.resolve { $0.object { $0.member("rev", context.documents.rev) } }
        }
        if isDone {
            writer.object { $0.member("rev", context.documents.rev) }
            return .answered
        }
        if milliseconds == 0 {
            wait.cancel()
            throw Self.notInTime(milliseconds, watcher)
        }
        isPending = true
        let timer: any TimerSource
        do throws(SystemError) {
            timer = try context.loop.schedule(after: .milliseconds(milliseconds)) {
                [weak reply, weak watcher] in
                reply?.fail(Self.notInTime(milliseconds, watcher))
            }
        } catch {
            wait.cancel()
            throw .internalError("no timer is available: \(error)")
        }
        reply.onEnd = {
            wait.cancel()
            timer.cancel()
        }
        if wantsProgress { reply.tellProgress(of: context.documents) }
        return .pending(reply)
    }

    private static func notInTime(
        _ milliseconds: Int, _ watcher: DirectoryWatcher?
    ) -> ProtocolError {
        if let short = watcher?.shortage {
            return .timeout(
                "'\(text(short.path))': \(short.reason); close what has many files open, or raise the limit "
                    + "of the daemon (LimitNOFILE), and ask again")
        }
        return .timeout(
            "the folders were not read within \(milliseconds) ms: a scan is under way; wait longer")
    }
}

// MARK: - Events

extension DocumentsPlugin {
    private func publish(_ change: DocumentChange) {
        guard let context else { return }
        checkLeasedDocuments()
        let change = change.ofRoots
        var told = ToldChange(change)
        for row in change.removedRows {
            context.publish(.removed) { told.write(row, to: &$0) }
        }
        for (old, new) in change.movedRows {
            context.publish(.moved) { told.write(new, from: old, to: &$0) }
        }
        for (_, new) in change.changedRows {
            context.publish(.changed) { told.write(new, to: &$0) }
        }
        for row in change.addedRows {
            if !unscanned.isEmpty, unscanned.contains(told.root(of: row)) { continue }
            context.publish(.added) { told.write(row, to: &$0) }
        }
    }

    private func tell(_ report: WatchReport) {
        guard let context else { return }
        switch report {
        case .overflow:
            context.publish(.overflow) { $0.object { _ in } }
            context.report(
                .warning, "the kernel dropped file events: all folders are scanned again",
                fields: ["PICKERD_EVENT": "overflow"])
        case .rescanned(let added, let removed, let changed):
            context.publish(.rescanned) { writer in
                writer.object { writer in
                    writer.member("added", added)
                    writer.member("removed", removed)
                    writer.member("changed", changed)
                    writer.member("rev", context.documents.rev)
                }
            }
            context.report(
                .notice,
                "all folders have been read again: \(added) added, \(removed) removed, "
                    + "\(changed) changed", fields: ["PICKERD_EVENT": "rescanned"])
        case .verified(let added, let removed, let changed):
            context.report(
                .info,
                "the documents of the last run have been compared with the disk: \(added) added, "
                    + "\(removed) removed, \(changed) changed",
                fields: ["PICKERD_EVENT": "verified"])
            noteScans()
        case .degraded(let path, let reason):
            degraded(path, because: reason.text)
        case .restored(let path):
            restored(path, "is watched again")
        case .rootMissing(let path, let absence):
            degraded(path, because: absence.text)
            noteScans()
        case .rootRestored(let path):
            restored(path, "is there again")
            noteScans()
        case .rootCovered(let path, _) where leased.folders.contains { $0.path == path }:
            noteScans()
        case .rootCovered(let path, let other):
            context.report(
                .notice,
                "the root '\(text(path))' lies in '\(text(other))', which has its documents")
            noteScans()
        case .scanFinished:
            noteScans()
        case .progress(let roots):
            noteScans(isDue: true)
            for root in roots { context.publish(root) }
        case .progressEnded(let roots):
            noteScans()
            for root in roots { context.publish(root) }
        }
    }

    func report(givenUp path: [UInt8], limit: Int) {
        degraded(
            path,
            because: "leased folders may have \(limit) documents in all: it is followed no more")
    }

    private func degraded(_ path: [UInt8], because reason: String) {
        context?.publish(.degraded) { writer in
            writer.object { writer in
                writer.member("path", text(path))
                writer.member("reason", reason)
            }
        }
        context?.report(
            .warning, "'\(text(path))': \(reason)",
            fields: ["PICKERD_EVENT": "degraded", "PICKERD_PATH": text(path)])
    }

    private func restored(_ path: [UInt8], _ how: String) {
        context?.publish(.restored) { writer in
            writer.object { $0.member("path", text(path)) }
        }
        context?.report(
            .notice, "'\(text(path))' \(how)",
            fields: ["PICKERD_EVENT": "restored", "PICKERD_PATH": text(path)])
    }
}

/// The path of a root as in documents.
func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

extension PluginContext {
    /// Publishes the progress of one root's scan.
    ///
    /// It is an event like any other: numbered, kept and stored. A number without an event would be reported to
    /// subscribers as a loss, and there are at most four a second.
    fileprivate func publish(_ progress: RootProgress) {
        publish(.progress) { writer in
            writer.object { writer in
                writer.member("root", text(progress.root))
                writer.member("documents", progress.counts.documents)
                writer.member("folders", progress.counts.folders)
                writer.member("foldersWaiting", progress.counts.foldersWaiting)
            }
        }
    }
}

extension RootRecord {
    fileprivate init(_ root: RootStatus) {
        self.init(
            path: text(root.path), state: root.state.rawValue, documents: root.documents,
            degraded: root.degraded.map { "\(text($0.path)): \($0.reason)" },
            folders: root.progress?.folders, foldersWaiting: root.progress?.foldersWaiting,
            degradedCount: root.degradedCount > root.degraded.count ? root.degradedCount : nil,
            rules: RootRulesRecord(root.rules))
    }
}

extension RootRulesRecord {
    fileprivate init(_ rules: DocumentRules) {
        self.init(
            hidden: rules.hidden.rawValue, ignore: rules.ignore, gitignore: rules.readsIgnoreFiles,
            symlinks: rules.symlinks.rawValue)
    }
}

/// The topics of this plugin, each validated once.
extension Topic {
    fileprivate static let added: Topic = "documents.added"
    fileprivate static let removed: Topic = "documents.removed"
    fileprivate static let changed: Topic = "documents.changed"
    fileprivate static let moved: Topic = "documents.moved"
    fileprivate static let overflow: Topic = "watch.overflow"
    fileprivate static let rescanned: Topic = "watch.rescanned"
    fileprivate static let progress: Topic = "watch.progress"
    fileprivate static let degraded: Topic = "watch.degraded"
    fileprivate static let restored: Topic = "watch.restored"
}
