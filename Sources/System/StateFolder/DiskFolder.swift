internal import Glibc
package import SystemInterface

/// A folder on a disk, for this user alone, locked against other processes while this object lives.
///
/// The lock is held on a separate file, `lock`, which is never removed: a lock on a file that is removed and
/// recreated can be held twice.
package final class DiskFolder: StorageFolder {
    package let path: String
    private let folder: OwnedDescriptor
    private let lock: OwnedDescriptor
    private let identity: FileIdentity
    private let lockIdentity: FileIdentity

    /// Opens the folder at `path`, creating it if necessary.
    /// - Throws: `.inUse` if another process has locked it.
    package init(at path: String) throws(StorageError) {
        self.path = path
        let isOwn: Bool
        do throws(SystemError) {
            try OwnedDescriptor.makeFolders(RawPath(path))
            folder = try OwnedDescriptor.openFolder(RawPath(path), followingLinks: false)
            let status = try FileStatus.of(folder)
            identity = FileIdentity(status)
            isOwn = status.owner == CurrentProcess.uid
            if isOwn, status.permissions & 0o077 != 0 { try folder.setPermissions(0o700) }
        } catch { throw .system(error.naming(path)) }
        guard isOwn else { throw StorageError(.failed, "'\(path)' belongs to another user") }
        let isTaken: Bool
        do throws(SystemError) {
            lock = try folder.openFile(Array(Self.lockName.utf8), creates: true)
            lockIdentity = FileIdentity(try FileStatus.of(lock))
            isTaken = try lock.tryLock()
        } catch { throw .system(error.naming(path + "/lock")) }
        guard isTaken else { throw .inUse(path: path) }
    }

    private static let lockName = "lock"

    package func names() throws(SystemError) -> [String] {
        // Opened anew each time, because reading changes the descriptor's position.
        var reader = try DirectoryReader(opening: RawPath(path), followingLinks: false)
        var names: [String] = []
        while try reader.readBatch({ names.append(String(decoding: $0.name, as: UTF8.self)) }) {
            // A store creates a few dozen files. If someone put millions here, only the first ones are read.
            if names.count > Self.mostNames { break }
        }
        return names
    }

    private static let mostNames = 10_000

    package func create(_ name: String) throws(SystemError) -> any StorageFile {
        _ = try folder.createFile(Array(name.utf8), mode: 0o600)
        return try open(name)
    }

    package func open(_ name: String) throws(SystemError) -> any StorageFile {
        let opened = try folder.openFile(Array(name.utf8))
        let status = try FileStatus.of(opened)
        guard status.kind == .regular else {
            throw SystemError(
                .invalidArgument, operation: "open", subject: name,
                advice: "it is not a regular file")
        }
        return DiskFile(opened, FileIdentity(status))
    }

    package func rename(_ name: String, to new: String) throws(SystemError) {
        try folder.renameFile(Array(name.utf8), to: Array(new.utf8))
    }

    package func remove(_ name: String) throws(SystemError) {
        try folder.removeFile(Array(name.utf8))
    }

    package func synchronize() throws(SystemError) {
        try folder.synchronize()
    }

    package func identity(of name: String) throws(SystemError) -> FileIdentity? {
        do throws(SystemError) {
            return FileIdentity(try FileStatus.of(Array(name.utf8), in: folder))
        } catch {
            if error.code == .noSuchFile { return nil }
            throw error
        }
    }

    /// - Complexity: two status calls by name, some microseconds.
    package func requireInPlace() throws(StorageError) {
        let found: FileIdentity
        do throws(SystemError) {
            found = FileIdentity(try FileStatus.of(RawPath(path)))
        } catch {
            switch error.code {
            case .noSuchFile, .notADirectory, .tooManySymbolicLinks: throw .misplaced(path: path)
            default: throw .system(error.naming(path))
            }
        }
        guard found == identity else { throw .misplaced(path: path) }
        // If its lock file were renamed or removed, another daemon could lock the folder as well.
        try requireInPlace(Self.lockName, lockIdentity)
    }
}

/// An open file on a disk.
private final class DiskFile: StorageFile {
    let identity: FileIdentity
    private let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor, _ identity: FileIdentity) {
        self.identity = identity
        self.descriptor = descriptor
    }

    func size() throws(SystemError) -> Int {
        Int(clamping: try FileStatus.of(descriptor).size)
    }

    func read(into buffer: inout [UInt8], at offset: Int) throws(SystemError) -> Int {
        try descriptor.read(into: &buffer, at: offset)
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        try descriptor.write(bytes, at: offset)
    }

    func truncate(to size: Int) throws(SystemError) { try descriptor.truncate(to: size) }
    func synchronize() throws(SystemError) { try descriptor.synchronize() }
}

extension SystemError {
    /// The same error, about `subject`.
    package func naming(_ subject: String) -> SystemError {
        SystemError(code, operation: operation, subject: subject, advice: advice)
    }
}
