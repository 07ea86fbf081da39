// Where the daemon keeps marks: a folder of its own, `feed` in the state folder, with one database.
//
// A file that is damaged, newer than this version or not the daemon's is put aside under a name that
// says so, with what SQLite keeps beside it, and a new one is begun; a few of those are kept. The folder
// is locked against other daemons for as long as the connection lives.
//
// Beside the database a small file, `count`, says how many durable transactions it has had. It is written
// behind each, without waiting for the disk, and so is never ahead of a database that is whole; if the
// database has had fewer, changes that were stored are missing, which SQLite does not tell. Who removes
// the database has it forgotten, and the count with it.

internal import PickerModel
package import StateFolder
internal import SystemInterface

/// Marks in a database on a disk.
package struct DiskMarkStore: MarkStore {
    static let fileName = "marks.sqlite"
    private static let countName = "count"
    private static let logName = fileName + "-wal"
    /// How many databases that were put aside are kept.
    static let mostAside = 4
    /// What SQLite puts beside a database.
    private static let companions = ["", "-wal", "-shm", "-journal"]

    private static let pageBytes = 4096

    package let path: String
    private let mostPages: Int

    /// A store in the folder at `path`, which is made when it is first opened. The database may
    /// have that many bytes: some times what `DocumentMarks.most` take.
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
            throw StorageError(.failed, "'\(shown)' was made anew, and \(reason)")
        }
    }

    /// What is known to be wrong with what is there before it is read.
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

    /// How many changes were stored, as it was last noted beside the database.
    private func storedCount(in folder: DiskFolder) -> Int64? {
        (try? folder.open(Self.countName)).flatMap(StoredNumber.read)
    }

    /// What a file is put aside as, and why; or the error that it stays for.
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
            // What can't be looked at is not held against anything.
            if let found = try? folder.identity(of: name) { files.append((name, found)) }
        }
        return OpenedMarks(
            connection: LockedConnection(table, folder, count, files), marks: marks, notes: notes)
    }

    /// The file of the count; nil if it can't be made, in which case a later loss is not told.
    private func countFile(in folder: DiskFolder) -> (any StorageFile)? {
        if let file = try? folder.open(Self.countName) { return file }
        // Whatever else has its name can't be read either.
        try? folder.remove(Self.countName)
        return try? folder.create(Self.countName)
    }

    /// The database's file, for this user alone; whatever else has its name goes aside.
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
            // What was counted in another is forgotten with it.
            try? folder.remove(Self.countName)
            _ = try folder.create(Self.fileName)
        }
    }

    /// Renames the database and what belongs to it.
    /// - Returns: what happened, for the log.
    private func setAside(
        in folder: DiskFolder, _ kind: String, _ reason: String
    ) throws(SystemError) -> String {
        let names = try folder.names()
        // Some are several files.
        let numbers = Set(names.compactMap(Self.asideNumber)).sorted()
        let number = (numbers.last ?? 0) + 1
        let new = "\(Self.asidePrefix)\(number).\(kind)"
        for companion in Self.companions where names.contains(Self.fileName + companion) {
            try folder.rename(Self.fileName + companion, to: new + companion)
        }
        let kept = Set(numbers.suffix(Self.mostAside - 1))
        for name in names {
            guard let old = Self.asideNumber(name), !kept.contains(old) else { continue }
            // A folder among them can't be removed like this, and stays.
            try? folder.remove(name)
        }
        return "'\(shown)': \(reason); it was renamed to '\(new)', and a new one begun"
    }

    private static let asidePrefix = "marks-aside-"

    /// The number of a file that was put aside.
    private static func asideNumber(_ name: String) -> Int? {
        guard name.hasPrefix(asidePrefix) else { return nil }
        return Int(name.dropFirst(asidePrefix.count).prefix { $0 != "." })
    }
}
