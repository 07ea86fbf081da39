// Where the daemon keeps marks: a folder of its own, `feed` in the state folder, with one database.
//
// A file that is damaged, newer than this version or not the daemon's is put aside under a name that
// says so, with what SQLite keeps beside it, and a new one is begun; a few of those are kept. The folder
// is locked against other daemons for as long as the connection lives.

internal import EventStorage
internal import PickerModel
internal import SystemInterface

/// Marks in a database on a disk.
package struct DiskMarkStore: MarkStore {
    static let fileName = "marks.sqlite"
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

    package func open(settingAside: Bool) throws(MarkStoreError) -> OpenedMarks {
        let folder: DiskFolder
        do throws(StorageError) {
            folder = try DiskFolder(at: path)
        } catch { throw MarkStoreError(error) }
        var notes: [String] = []
        do throws(SystemError) {
            if settingAside {
                notes.append(try setAside(in: folder, "damaged", "it was found to be damaged"))
            }
            try requireFile(in: folder, &notes)
        } catch { throw MarkStoreError(error, path: path) }
        do throws(MarkTable.Fault) {
            return try read(folder, notes)
        } catch {
            let (kind, reason) = try verdict(on: error)
            do throws(SystemError) {
                notes.append(try setAside(in: folder, kind, reason))
                try requireFile(in: folder, &notes)
            } catch { throw MarkStoreError(error, path: path) }
        }
        do throws(MarkTable.Fault) {
            return try read(folder, notes)
        } catch {
            let reason = try verdict(on: error).reason
            throw MarkStoreError(.failed, "'\(shown)' was made anew, and \(reason)")
        }
    }

    /// What a file is put aside as, and why; or the error that it stays for.
    private func verdict(
        on fault: MarkTable.Fault
    ) throws(MarkStoreError) -> (kind: String, reason: String) {
        switch fault {
        case .failed(let error): throw MarkStoreError(error, path: shown)
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
        return OpenedMarks(
            connection: LockedConnection(table, folder), marks: marks, notes: notes)
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

/// A database, and the lock of its folder, which goes after it.
private final class LockedConnection: MarkConnection {
    private let table: MarkTable
    private let folder: DiskFolder

    init(_ table: MarkTable, _ folder: DiskFolder) {
        self.table = table
        self.folder = folder
    }

    func write(_ batch: MarkBatch) throws(MarkStoreError) { try table.write(batch) }
}
