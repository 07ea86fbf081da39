internal import DirectoryWatching
internal import DocumentStorage
internal import PickerModel
internal import PluginInterface
internal import StateFolder
internal import SystemInterface

// The documents of the last run.

extension DocumentsPlugin {
    /// Whether all changes are stored, as far as they are to be. For tests.
    package var hasStoredAll: Bool { saver.map { !$0.isBehind } ?? true }

    /// Puts the documents of the last run into the store, and stores new ones from now on. Without a folder, or after an
    /// error, all folders are read.
    /// - Returns: the paths of the roots whose documents are there; they are still to be compared with the disk.
    func openStore(in context: PluginContext, _ watcher: DirectoryWatcher) -> Set<String> {
        guard context.settings.values.boolean(Self.store) else { return [] }
        guard let path = context.settings.stateFolder else {
            context.report(
                .info,
                "documents do not outlive a restart: there is no folder for it. Set HOME or XDG_STATE_HOME, or "
                    + "give --state FOLDER; or set store = false in [plugins.documents]",
                fields: ["PICKERD_EVENT": "documents-store-off"])
            return []
        }
        // Without an identifier, the machine counts as restarted.
        let boot = (try? CurrentProcess.bootIdentifier()) ?? context.documents.epoch
        do throws(StorageError) {
            var files = try DocumentFiles(openFolder(path))
            var receiver = RestorationReceiver(
                watcher, of: context.documents, roots: context.settings.roots.map(\.bytes))
            let ending = try files.load(boot: boot, into: &receiver)
            for note in files.notes {
                context.report(
                    .warning, note,
                    fields: ["PICKERD_EVENT": "documents-store-damaged", "PICKERD_PATH": path])
            }
            var restored: Set<String> = []
            if let ending, let restoration = receiver.restoration {
                restored = restoration.finish(
                    DocumentHistory(ending, newEpoch: context.documents.epoch))
                context.report(
                    .info,
                    "\(context.documents.count) documents of the last run are served; all folders are compared "
                        + "with them now", fields: ["PICKERD_EVENT": "restored"])
            } else {
                receiver.restoration?.giveUp()
            }
            saver = DocumentSaver(
                files, after: ending, of: watcher, at: path, boot: boot, in: context,
                openFolder: openFolder)
            context.beforeOutput { [weak self] in self?.saver?.flush() }
            return restored
        } catch {
            storeFault = error.description
            context.report(
                .warning,
                "documents do not outlive a restart: \(error). Mend that and restart pickerd, or give --state "
                    + "FOLDER; or set store = false in [plugins.documents]",
                fields: ["PICKERD_EVENT": "documents-store-off", "PICKERD_PATH": path])
            context.publish(fault: error.description, of: "documents-store", at: path)
            return []
        }
    }
}

/// Passes what was stored to a watcher and its store.
private struct RestorationReceiver: DocumentReceiver {
    private let watcher: DirectoryWatcher
    private let roots: [[UInt8]]
    private(set) var restoration: TreeRestoration?
    let decode: @Sendable (ArraySlice<UInt8>) -> StoredRecords?

    init(_ watcher: DirectoryWatcher, of store: DocumentStore, roots: [[UInt8]]) {
        self.watcher = watcher
        self.roots = roots
        decode = TreeRestoration.decoder(for: store)
    }

    mutating func begin(_ header: FileHeader, nameBytes: Int) {
        if restoration == nil {
            restoration = TreeRestoration(watcher, roots: roots)
            restoration?.reserve(Int(clamping: header.count), nameBytes: nameBytes)
        }
        restoration?.hasTypes = header.types == MediaType.fingerprint
    }

    mutating func receive(_ records: StoredRecords) -> Bool {
        restoration?.restore(records) ?? false
    }
}

extension DocumentHistory {
    /// How far numbers are ahead of those of a run of which it is not known how far it came.
    private static let unknownKeys: UInt64 = 1 << 20

    /// Goes on where a run has ended, or with numbers that it can't have given out.
    fileprivate init(_ ending: DocumentFiles.Ending, newEpoch: String) {
        let numbers = ending.numbers
        let rev = Int(ending.isClean ? numbers.rev : numbers.revLimit)
        var key = ending.isClean ? numbers.nextKey : numbers.keyLimit
        if !ending.continues { key += Self.unknownKeys }
        self.init(
            epoch: ending.continues ? ending.epoch : newEpoch, rev: rev, nextKey: key,
            knownSince: Int(min(ending.knownSince, numbers.rev)), lastKnown: Int(numbers.rev))
    }
}
