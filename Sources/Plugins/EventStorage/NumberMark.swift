package import StateFolder
internal import SystemInterface

/// The last event number that a client may have seen, stored in a small file.
///
/// The mark is written before clients see a number, with one small write that does not wait for the disk.
/// After the process is killed the mark survives in the kernel's cache. After a loss of power the file may
/// hold an older mark. So the mark also records the run of the machine, and whether the daemon ended
/// cleanly, which includes a flush of the mark to the disk.
///
/// The mark also records its own inode. A restored copy of the folder holds an old mark although later
/// numbers have been given out; the different inode shows that it is not valid.
package struct NumberMark: Sendable {
    /// The contents of a mark.
    package struct Content: Hashable, Sendable {
        package var epoch: String
        /// The kernel's identifier for this run of the machine.
        package var boot: String
        package var lastNumber: Int
        /// The daemon ended, and everything is on disk.
        package var isClean: Bool
    }

    static let fileName = "mark"
    static let size = formerSize + 8
    /// The size in format version 1, which has no inode.
    private static let formerSize = 8 + 4 + 4 + 8 + EpochField.size + bootSize + 4
    private static let magic = Array("pkmark\r\n".utf8)
    private static let version: UInt32 = 2
    private static let mostBootBytes = 64
    private static let bootSize = 4 + mostBootBytes

    package private(set) var content: Content
    private let folder: any StorageFolder
    private var file: any StorageFile
    private var bytes: [UInt8]

    init(_ content: Content, _ file: any StorageFile, in folder: any StorageFolder) {
        self.content = content
        self.folder = folder
        self.file = file
        bytes = Self.bytes(content, file.identity)
    }

    /// The file of the mark.
    package var identity: FileIdentity { file.identity }

    /// Marks `number`. After an error the old mark stays on disk.
    ///
    /// - Complexity: O(1): a sum over a hundred bytes and one system call.
    package mutating func store(_ number: Int) throws(StorageError) {
        content.lastNumber = number
        try write()
    }

    /// Marks `number` as the last of a clean end, and flushes the mark to the disk.
    package mutating func close(at number: Int) throws(StorageError) {
        content.lastNumber = number
        content.isClean = true
        try write()
        try synchronize()
    }

    /// Removes the mark, as far as possible, so that no start uses an old one. For use after a write error.
    package func remove() {
        do { try folder.remove(Self.fileName) } catch { try? invalidate() }
    }

    /// Makes the mark unreadable, wherever its file is now, because another mark replaces it: the file must
    /// not be valid if it is moved back.
    package func invalidate() throws(StorageError) {
        do { try file.truncate(to: 0) } catch { throw .system(error.naming(Self.fileName)) }
    }

    /// Creates the mark again after `remove`, for the same epoch.
    package mutating func renew(at number: Int) throws(StorageError) {
        // An earlier removal may have failed.
        remove()
        do throws(SystemError) {
            file = try folder.create(Self.fileName)
            bytes = Self.bytes(content, file.identity)
            try folder.synchronize()
        } catch { throw .system(error.naming(Self.fileName)) }
        try store(number)
        try synchronize()
    }

    mutating func write() throws(StorageError) {
        bytes.store(littleEndian: UInt32(content.isClean ? 1 : 0), at: 12)
        bytes.store(littleEndian: UInt64(content.lastNumber), at: 16)
        let body = bytes.count - 4
        bytes.store(littleEndian: checksum(of: bytes, in: 0..<body), at: body)
        do throws(SystemError) {
            try file.write(bytes, at: 0)
        } catch { throw .system(error.naming(Self.fileName)) }
    }

    func synchronize() throws(StorageError) {
        do throws(SystemError) {
            try file.synchronize()
        } catch { throw .system(error.naming(Self.fileName)) }
    }

    private static func bytes(_ content: Content, _ identity: FileIdentity) -> [UInt8] {
        var bytes = magic
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: UInt32(content.isClean ? 1 : 0))
        bytes.append(littleEndian: UInt64(content.lastNumber))
        EpochField.append(content.epoch, to: &bytes)
        let boot = content.boot.utf8.prefix(mostBootBytes)
        bytes.append(littleEndian: UInt32(boot.count))
        bytes.append(contentsOf: boot)
        bytes.append(contentsOf: repeatElement(0, count: mostBootBytes - boot.count))
        bytes.append(littleEndian: identity.inode)
        bytes.append(littleEndian: checksum(of: bytes, in: 0..<bytes.count))
        return bytes
    }

    /// The result of reading a file.
    enum Reading {
        case mark(Content)
        /// The mark was written to another file.
        case copied(Content)
        case none
    }

    /// Reads the mark in `file`.
    static func read(_ file: any StorageFile) throws(SystemError) -> Reading {
        var bytes = [UInt8](repeating: 0, count: size + 1)
        let filled = try file.read(into: &bytes, at: 0)
        guard filled == size || filled == formerSize else { return .none }
        let body = filled - 4
        guard bytes.starts(with: magic),
            bytes.load(UInt32.self, at: 8) == (filled == size ? version : 1),
            bytes.load(UInt32.self, at: body) == checksum(of: bytes, in: 0..<body),
            let epoch = EpochField.read(bytes, at: 24)
        else { return .none }
        let number = bytes.load(UInt64.self, at: 16)
        let bootStart = 24 + EpochField.size
        let bootCount = Int(bytes.load(UInt32.self, at: bootStart))
        guard number <= StoredEvent.largestNumber, bootCount <= mostBootBytes else { return .none }
        let boot = bytes[(bootStart + 4)..<(bootStart + 4 + bootCount)]
        let content = Content(
            epoch: epoch, boot: String(decoding: boot, as: UTF8.self), lastNumber: Int(number),
            isClean: bytes.load(UInt32.self, at: 12) == 1)
        let isOwn =
            filled == formerSize || bytes.load(UInt64.self, at: body - 8) == file.identity.inode
        return isOwn ? .mark(content) : .copied(content)
    }
}
