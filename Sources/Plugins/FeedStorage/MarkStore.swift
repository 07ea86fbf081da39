package import PickerModel
package import StateFolder

// The interface of a store of marks, so that tests can inject failures.

/// A store of marks. One thread at a time uses it, but not always the same one.
package protocol MarkStore: Sendable {
    /// For messages.
    var path: String { get }

    /// Whether nothing was ever stored, so that opening can wait until the first write.
    var isUnused: Bool { get }

    /// Opens the store and reads its marks.
    func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks
}

/// How to treat existing data when a store is opened.
package enum MarkOpening: Hashable, Sendable {
    /// Use the existing data.
    case asFound
    /// The existing data is known to be damaged: set it aside.
    case knownDamaged
    /// The existing data will be replaced. If it is not the previously open database `known`, it is foreign
    /// and set aside.
    case replacing(known: FileIdentity?)
}

/// The result of opening a store.
package struct OpenedMarks {
    package let connection: any MarkConnection
    package let marks: [StoredMark]
    /// Messages about faults, for the log.
    package let notes: [String]

    package init(connection: any MarkConnection, marks: [StoredMark], notes: [String]) {
        self.connection = connection
        self.marks = marks
        self.notes = notes
    }
}

/// An open store. It belongs to the thread that opened it, and is closed when it is released.
package protocol MarkConnection: AnyObject {
    /// Writes `batch` as a transaction. Returns once it will survive the end of the process and, if the
    /// batch is durable, a loss of power. Throws if a file is not at its path, because the data would be
    /// lost.
    func write(_ batch: MarkBatch) throws(StorageError)
    /// Checks that its files are at their paths.
    /// - Throws: `.misplaced` if they are not.
    func requireInPlace() throws(StorageError)
    /// Copies the log into the database, as far as possible.
    func checkpoint()
    /// The database's file.
    var identity: FileIdentity? { get }
}

/// The changes of one transaction.
package struct MarkBatch: Equatable, Sendable {
    private let first: MarkChanges
    /// Marks that are stored over those; without a mark they are removed.
    private let later: [StoredMark]
    /// Whether the puts of this batch replace all stored marks.
    package var replacesAll: Bool
    /// Whether it must survive a loss of power.
    package var isDurable: Bool

    package init(
        _ changes: MarkChanges, followedBy later: [StoredMark] = [], replacesAll: Bool = false,
        isDurable: Bool = true
    ) {
        first = changes
        self.later = later
        self.replacesAll = replacesAll
        self.isDurable = isDurable
    }

    /// What is stored, by ascending ids.
    /// - Complexity: O(k log k) for k marks: it is for the thread that stores them.
    package var changes: MarkChanges {
        if later.isEmpty { return first }
        var puts = Dictionary(uniqueKeysWithValues: first.puts.map { ($0.id, $0) })
        var removals = Set(first.removals)
        for mark in later {
            if mark.marks.isEmpty {
                puts[mark.id] = nil
                removals.insert(mark.id)
            } else {
                puts[mark.id] = mark
                removals.remove(mark.id)
            }
        }
        return MarkChanges(
            puts: puts.values.sorted { $0.id < $1.id },
            removals: replacesAll ? [] : removals.sorted())
    }
}
