internal import StateFolder
internal import SystemInterface

/// A database and the lock of its folder, which is released after the database is closed.
///
/// SQLite keeps writing to files that were renamed or removed after it opened them. So each write checks
/// that the files are at their paths.
final class LockedConnection: MarkConnection {
    var identity: FileIdentity? { files.first?.identity }
    private let table: MarkTable
    private let folder: DiskFolder
    /// Holds the number of durable transactions.
    private let count: (any StorageFile)?
    /// The open files.
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
        // Again: data in a file that is not at its path is not stored.
        try requireInPlace()
        // The count only serves to report a later loss, so an error here does not fail the batch.
        if batch.isDurable, let count { try? StoredNumber.write(table.transactions, to: count) }
    }

    func requireInPlace() throws(StorageError) {
        do throws(StorageError) {
            try folder.requireInPlace()
            for file in files { try folder.requireInPlace(file.name, file.identity) }
        } catch {
            // The caller closes it.
            table.keepLog()
            throw error
        }
    }

    func checkpoint() { table.checkpoint() }
}
