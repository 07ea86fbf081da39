// The store of marks: the folder `feed` in the state folder, with one database.
//
// A database that is damaged, of a newer version or foreign is renamed, together with SQLite's companion
// files, and a new one is created; a few renamed ones are kept. The folder is locked against other daemons
// while the connection is open.
//
// The small file `count` next to the database holds the number of durable transactions. It is written after
// each transaction, without a flush, so it is never ahead of an intact database. If the database has fewer
// transactions, stored changes are missing, which SQLite does not report. Removing the database also resets
// the count.

internal import Database
internal import PickerModel
package import StateFolder
internal import SystemInterface

/// A store of marks in a database on disk.
package struct DiskMarkStore: MarkStore {
    static let fileName = "marks.sqlite"
    private static let countName = "count"
    private static let logName = fileName + "-wal"
    /// The number of renamed databases that are kept.
    static let mostAside = 4
    /// The suffixes of the database and SQLite's companion files.
    private static let companions = ["", "-wal", "-shm", "-journal"]

    private static let pageBytes = 4096

    package let path: String
    private let mostPages: Int

    /// A store in the folder at `path`, which is created when it is first opened. `mostBytes` limits the
    /// size of the database: several times what `DocumentMarks.most` take.
    package init(at path: String, mostBytes: Int = 1 << 30) {
        self.path = path
        mostPages = mostBytes / Self.pageBytes
    }

    package var isUnused: Bool {
        do throws(SystemError) {
            _ = try FileStatus.of(RawPath(shown))
            return false
        } catch { return error.code == .noSuchFile }
    }

    package func open(_ opening: MarkOpening) throws(StorageError) -> OpenedMarks {
        let folder = try DiskFolder(at: path)
        var notes: [String] = []
        do throws(SystemError) {
            if let (kind, reason) = try fault(for: opening, in: folder) {
                notes.append(try setAside(in: folder, kind, reason))
            }
            try requireFile(in: folder, &notes)
        } catch { throw .system(error.naming(path)) }
        do throws(MarkTable.Fault) {
            return try read(folder, notes)
        } catch {
            let (kind, reason) = try verdict(on: error)
            do throws(SystemError) {
                notes.append(try setAside(in: folder, kind, reason))
                try requireFile(in: folder, &notes)
            } catch { throw .system(error.naming(path)) }
        }
        do throws(MarkTable.Fault) {
            return try read(folder, notes)
        } catch {
            let reason = try verdict(on: error).reason
            throw StorageError(.failed, "'\(shown)' was recreated, and \(reason)")
        }
    }

    /// The fault of the existing database that is known before it is read.
    private func fault(
        for opening: MarkOpening, in folder: DiskFolder
    ) throws(SystemError) -> (kind: String, reason: String)? {
        switch opening {
        case .knownDamaged: return ("damaged", "it was found to be damaged")
        case .replacing(let known):
            guard let found = try folder.identity(of: Self.fileName), found != known else {
                return nil
            }
            return ("replaced", "it was put there while the daemon ran")
        case .asFound:
            guard let count = storedCount(in: folder), count > 0,
                let file = try? folder.open(Self.fileName), try file.size() == 0
            else { return nil }
            return (
                "damaged", "it is empty, and \(count) changes of likes and drops were stored in it"
            )
        }
    }

    /// The number of durable transactions in the file `count`.
    private func storedCount(in folder: DiskFolder) -> Int64? {
        (try? folder.open(Self.countName)).flatMap(StoredNumber.read)
    }

    /// The suffix and the reason for renaming a faulty database. Throws errors for which the file stays in
    /// place.
    private func verdict(
        on fault: MarkTable.Fault
    ) throws(StorageError) -> (kind: String, reason: String) {
        switch fault {
        case .failed(let error): throw StorageError(error, path: shown)
        case .damaged(let reason): ("damaged", "it is damaged (\(reason))")
        case .foreign: ("foreign", "it is not a file of pickerd's marks")
        case .newer(let version):
            ("newer", "it was written by a newer pickerd, in form \(version)")
        }
    }

    private var shown: String { path + "/" + Self.fileName }

    private func read(
        _ folder: DiskFolder, _ notes: [String]
    ) throws(MarkTable.Fault) -> OpenedMarks {
        let table = try MarkTable.open(at: shown, mostPages: mostPages)
        let (marks, strange) = try table.read()
        var notes = notes
        if strange > 0 {
            notes.append("\(strange) rows of '\(shown)' are not what pickerd writes, and not used")
        }
        if let count = storedCount(in: folder), count > table.transactions {
            notes.append(
                "'\(shown)': the last \(count - table.transactions) of \(count) changes of likes and "
                    + "drops that were stored are missing, as its log is damaged or was removed; those "
                    + "before them are used")
        }
        let count = countFile(in: folder)
        if let count { try? StoredNumber.write(table.transactions, to: count) }
        var files: [(name: String, identity: FileIdentity)] = []
        for name in [Self.fileName, Self.logName, Self.countName] {
            // A file without a known identity is not checked later.
            if let found = try? folder.identity(of: name) { files.append((name, found)) }
        }
        return OpenedMarks(
            connection: LockedConnection(table, folder, count, files), marks: marks, notes: notes)
    }

    /// The file `count`; nil if it can't be created. Then a later loss goes unreported.
    private func countFile(in folder: DiskFolder) -> (any StorageFile)? {
        if let file = try? folder.open(Self.countName) { return file }
        // Anything else of this name can't be read as a count.
        try? folder.remove(Self.countName)
        return try? folder.create(Self.countName)
    }

    /// Creates the file of the database, readable by this user only. Anything else of its name is renamed.
    private func requireFile(
        in folder: DiskFolder, _ notes: inout [String]
    ) throws(SystemError) {
        do throws(SystemError) {
            _ = try folder.open(Self.fileName)
        } catch {
            switch error.code {
            case .noSuchFile: break
            case .invalidArgument, .isADirectory, .tooManySymbolicLinks:
                notes.append(try setAside(in: folder, "foreign", "it is no plain file"))
            default: throw error
            }
            // The count belonged to the other database.
            try? folder.remove(Self.countName)
            _ = try folder.create(Self.fileName)
        }
    }

    /// Renames the database and its companion files.
    /// - Returns: a message for the log.
    private func setAside(
        in folder: DiskFolder, _ kind: String, _ reason: String
    ) throws(SystemError) -> String {
        let names = try folder.names()
        // One renamed database may be several files.
        let numbers = Set(names.compactMap(Self.asideNumber)).sorted()
        let number = (numbers.last ?? 0) + 1
        let new = "\(Self.asidePrefix)\(number).\(kind)"
        for companion in Self.companions where names.contains(Self.fileName + companion) {
            try folder.rename(Self.fileName + companion, to: new + companion)
        }
        let kept = Set(numbers.suffix(Self.mostAside - 1))
        for name in names {
            guard let old = Self.asideNumber(name), !kept.contains(old) else { continue }
            // A folder stays: `remove` removes files only.
            try? folder.remove(name)
        }
        return "'\(shown)': \(reason); it was renamed to '\(new)', and a new one begun"
    }

    private static let asidePrefix = "marks-aside-"

    /// The number in the name of a renamed database.
    private static func asideNumber(_ name: String) -> Int? {
        guard name.hasPrefix(asidePrefix) else { return nil }
        return Int(name.dropFirst(asidePrefix.count).prefix { $0 != "." })
    }
}
