package import PickerModel
package import StateFolder

// What the daemon asks of the place where marks are kept, so that tests can make it fail.

/// Opens the place where marks are kept. Used on one thread at a time, though not always the same.
package protocol MarkStore: Sendable {
    /// For messages.
    var path: String { get }

    /// Whether nothing was ever stored there, so that it need not be opened before something is.
    var isUnused: Bool { get }

    /// Opens it, and reads what it holds.
    func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks
}

/// What an opening is for.
package enum MarkOpening: Hashable, Sendable {
    /// What is there counts.
    case asFound
    /// What is there is known to be damaged: it is put aside.
    case knownDamaged
    /// What is there will be replaced. If it is not the database `known`, which was open before, it is
    /// somebody else's and put aside.
    case replacing(known: FileIdentity?)
}

/// What an opening found.
package struct OpenedMarks {
    package let connection: any MarkConnection
    package let marks: [StoredMark]
    /// What was wrong, in words for the log.
    package let notes: [String]

    package init(connection: any MarkConnection, marks: [StoredMark], notes: [String]) {
        self.connection = connection
        self.marks = marks
        self.notes = notes
    }
}

/// An open store. Belongs to the thread that opened it; is closed when it is let go of.
package protocol MarkConnection: AnyObject {
    /// Writes all of `batch`, or nothing of it. Returns when it will outlive this process, and the
    /// machine's power too if it is to be durable.
    /// What was written to files that are not in their places is not stored: an error.
    func write(_ batch: MarkBatch) throws(StorageError)
    /// Whether its files are where they were opened.
    /// - Throws: `.misplaced` if they are not.
    func requireInPlace() throws(StorageError)
    /// Brings what was written from the log into the database, as far as that can be done.
    func checkpoint()
    /// The database's file.
    var identity: FileIdentity? { get }
}

/// What is written at once.
package struct MarkBatch: Equatable, Sendable {
    package var changes: MarkChanges
    /// Nothing that is stored counts any more, except what is put.
    package var replacesAll: Bool
    /// Whether it must outlive a loss of power.
    package var isDurable: Bool

    package init(_ changes: MarkChanges, replacesAll: Bool = false, isDurable: Bool = true) {
        self.changes = changes
        self.replacesAll = replacesAll
        self.isDurable = isDurable
    }
}
