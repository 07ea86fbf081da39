package import StateFolder
internal import SystemInterface

/// The last number that anybody may have seen, in a file of a few bytes.
///
/// What is told to clients is marked first, by one small write that no disk is waited for: a process
/// that is killed leaves its mark in the kernel's memory. A machine that loses power does not, and
/// then the mark may be an old one; so it also says in which run of the machine it was made, and
/// whether the daemon ended in good order, after which the mark was brought to the disk.
///
/// It says as well which file it was written to. A copy of the folder that is put in its place has marks
/// as they were when it was made, for numbers that have been given since: it is not believed.
package struct NumberMark: Sendable {
    /// What a mark says.
    package struct Content: Hashable, Sendable {
        package var epoch: String
        /// What the kernel calls the run of the machine.
        package var boot: String
        package var lastNumber: Int
        /// The daemon has ended, and all is on the disk.
        package var isClean: Bool
    }

    static let fileName = "mark"
    static let size = formerSize + 8
    /// Of the first version, which does not say which file it was written to.
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

    /// The file it is written to.
    package var identity: FileIdentity { file.identity }

    /// Marks `number`. What the mark was, it stays if this fails.
    ///
    /// - Complexity: O(1): a sum over a hundred bytes and one system call.
    package mutating func store(_ number: Int) throws(StorageError) {
        content.lastNumber = number
        try write()
    }

    /// Marks the number as the last, for good, and returns when that is on the disk.
    package mutating func close(at number: Int) throws(StorageError) {
        content.lastNumber = number
        content.isClean = true
        try write()
        try synchronize()
    }

    /// Removes the mark, as far as that can be done, so that no start believes an old one. For when
    /// it can't be written any more.
    package func remove() {
        do { try folder.remove(Self.fileName) } catch { try? invalidate() }
    }

    /// Makes the mark unreadable, wherever its file is by now: for when another mark counts. Should the
    /// file come back into its place, it must not be believed.
    package func invalidate() throws(StorageError) {
        do { try file.truncate(to: 0) } catch { throw .system(error.naming(Self.fileName)) }
    }

    /// Makes the mark anew after `remove`, for the same epoch.
    package mutating func renew(at number: Int) throws(StorageError) {
        // If it could not be removed, it goes now.
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

    /// What reading a file comes to.
    enum Reading {
        case mark(Content)
        /// It was written to another file than this one.
        case copied(Content)
        case none
    }

    /// What the mark in `file` says.
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
