internal import StateFolder
internal import SystemInterface

/// A database, and the lock of its folder, which goes after it.
///
/// SQLite writes to the files that it opened, wherever their names lead by now. So it is looked at
/// whether they are in their places.
final class LockedConnection: MarkConnection {
    var identity: FileIdentity? { files.first?.identity }
    private let table: MarkTable
    private let folder: DiskFolder
    /// Says how many durable transactions there have been.
    private let count: (any StorageFile)?
    /// The files that are open.
    private let files: [(name: String, identity: FileIdentity)]

    /// The first of `files` is the database.
    init(
        _ table: MarkTable, _ folder: DiskFolder, _ count: (any StorageFile)?,
        _ files: [(name: String, identity: FileIdentity)]
    ) {
        self.table = table
        self.folder = folder
        self.count = count
        self.files = files
    }

    func write(_ batch: MarkBatch) throws(StorageError) {
        try requireInPlace()
        try table.write(batch)
        // Again: what was written to a file that nobody finds any more is not stored.
        try requireInPlace()
        // Without it, a later loss is not told: no reason to refuse what is stored.
        if batch.isDurable, let count { try? StoredNumber.write(table.transactions, to: count) }
    }

    func requireInPlace() throws(StorageError) {
        do throws(StorageError) {
            try folder.requireInPlace()
            for file in files { try folder.requireInPlace(file.name, file.identity) }
        } catch {
            // It is going to be closed.
            table.keepLog()
            throw error
        }
    }

    func checkpoint() { table.checkpoint() }
}
