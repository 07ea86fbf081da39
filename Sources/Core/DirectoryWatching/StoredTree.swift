// The tree of a watcher as bytes, in which it is stored and read again.
//
// The bytes are records, each with a byte for its kind. Numbers are little-endian.
//
//     folder    root (16-bit length, bytes), the same with links resolved (of a root alone, else empty), path below it
//               with a slash after each name (32-bit length), identity, inode hash, other identity, access, device (64
//               bits each), number of files (32 bits), and as many stored rows
//     removed   a key (64 bits): its document is gone
//     revision  a number (64 bits): what follows changed with this revision
//     marked    a key (64 bits): the marks of its document changed
//
// A folder may come several times, with other files. A file that comes again has another place, or other facts. So files
// may be written while they change, as long as their changes are written behind.

import PickerModel

/// The kinds of records.
enum StoredKind: UInt8 {
    case folder = 1
    case removed = 2
    case revision = 3
    case marked = 4
}

/// What is stored of a folder besides its files.
struct StoredFolder: Equatable {
    var root: [UInt8]
    /// The path of a root with links resolved; empty for other folders.
    var resolved: [UInt8] = []
    /// With a slash after each name.
    var path: [UInt8]
    var identity: UInt64 = 0
    var inode: UInt64 = 0
    var otherIdentity: UInt64 = 0
    var access: UInt64 = 0
    /// The device of most of its files.
    var device: UInt64 = 0

    /// Appends all but the files.
    /// - Returns: where the number of files is to be written.
    func encode(to bytes: inout [UInt8]) -> Int {
        bytes.append(StoredKind.folder.rawValue)
        bytes.appendNumber(UInt64(root.count), bytes: 2)
        bytes.append(contentsOf: root)
        bytes.appendNumber(UInt64(resolved.count), bytes: 2)
        bytes.append(contentsOf: resolved)
        bytes.appendNumber(UInt64(path.count), bytes: 4)
        bytes.append(contentsOf: path)
        for number in [identity, inode, otherIdentity, access, device] {
            bytes.appendNumber(number, bytes: 8)
        }
        bytes.appendNumber(0, bytes: 4)
        return bytes.count - 4
    }
}

extension [UInt8] {
    fileprivate mutating func appendNumber(_ number: UInt64, bytes count: Int) {
        for place in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }

    mutating func appendRecord(_ kind: StoredKind, _ number: UInt64) {
        append(kind.rawValue)
        appendNumber(number, bytes: 8)
    }

    fileprivate mutating func setNumber(_ number: UInt32, at offset: Int) {
        for place in 0..<4 {
            self[offset + place] = UInt8(truncatingIfNeeded: number >> (8 * place))
        }
    }
}

/// Writes a row of files behind the header of their folder, as long as they are in one.
struct StoredFolderWriter {
    private let table: DocumentTable
    private var current: FolderNumber?
    private var device: UInt64 = 0
    private var countOffset = 0
    private var count: UInt32 = 0

    init(_ table: DocumentTable) {
        self.table = table
    }

    /// Begins a folder.
    mutating func begin(_ folder: StoredFolder, to bytes: inout [UInt8]) {
        countOffset = folder.encode(to: &bytes)
        device = folder.device
        count = 0
        current = nil
    }

    /// Appends a file of the folder that was begun.
    mutating func append(_ row: DocumentRow, identity: UInt64, to bytes: inout [UInt8]) {
        guard table.encode(row, identity: identity, device: device, to: &bytes) else { return }
        count += 1
        bytes.setNumber(count, at: countOffset)
    }

    /// Appends a file, and before it its folder unless the last one was in the same.
    mutating func append(_ row: DocumentRow, to bytes: inout [UInt8], identity: () -> UInt64) {
        let folder = table.folder(of: row)
        if folder != current {
            begin(
                StoredFolder(
                    root: table.folders.nameBytes(of: table.folders.root(of: folder)),
                    path: table.folders.path(of: folder), device: table.device(of: row)), to: &bytes
            )
            current = folder
        }
        append(row, identity: identity(), to: &bytes)
    }
}

/// Records that were read and checked, on whatever thread.
package struct StoredRecords: Sendable {
    enum Record {
        /// A folder, and which of the rows are its files.
        case folder(StoredFolder, Range<Int>)
        case removed(KeyNumber)
        case revision(Int)
        case marked(KeyNumber)
    }

    private(set) var records: [Record] = []
    private(set) var rows: StoredRows

    /// Reads some whole records; nil if they are not what a watcher writes.
    /// - Parameters:
    ///   - bytes: the records.
    ///   - rows: none, of the table that is going to have them.
    /// - Complexity: O(n) in the number of bytes.
    init?(_ bytes: ArraySlice<UInt8>, none rows: StoredRows) {
        self.rows = rows
        self.rows.reserve(bytes.count / Self.bytesPerRow, nameBytes: bytes.count / 2)
        // Read during the call only.
        let isRead = unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe StoredTreeReader(bytes)
            while let record = reader.next(&self.rows) { records.append(record) }
            return reader.isAtEnd
        }
        if !isRead || !self.rows.areTexts { return nil }
    }

    /// About so many a row takes.
    private static let bytesPerRow = 80
}

/// Reads the records of some bytes.
@safe private struct StoredTreeReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    /// A reader of bytes that exist as long as it.
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = bytes
    }

    var isAtEnd: Bool { unsafe place == bytes.count }

    private mutating func number(_ count: Int) -> UInt64? {
        guard unsafe bytes.count - place >= count else { return nil }
        var number: UInt64 = 0
        for index in 0..<count { number |= unsafe UInt64(bytes[place + index]) << (8 * index) }
        place += count
        return number
    }

    private mutating func text(_ lengthBytes: Int) -> [UInt8]? {
        guard let length = number(lengthBytes), length <= UInt64(Self.longestPath),
            unsafe bytes.count - place >= Int(length)
        else { return nil }
        defer { place += Int(length) }
        return unsafe Array(bytes[place..<place + Int(length)])
    }

    /// No path below a root is longer: of as many names as a tree is deep.
    private static let longestPath = 1 << 20

    /// The next record; nil if there is none, or none that can be read. The files of a folder are added to rows.
    mutating func next(_ rows: inout StoredRows) -> StoredRecords.Record? {
        guard let kind = number(1).flatMap({ StoredKind(rawValue: UInt8($0)) }) else { return nil }
        if kind == .folder {
            guard let root = text(2), let resolved = text(2), let path = text(4) else { return nil }
            var numbers: [UInt64] = []
            for _ in 0..<5 {
                guard let number = number(8) else { return nil }
                numbers.append(number)
            }
            guard let files = number(4), root.first == slash, !root.contains(0), isPath(path)
            else { return nil }
            let first = rows.count
            for _ in 0..<files {
                // What is left of the bytes.
                guard
                    let count = unsafe rows.append(
                        UnsafeRawBufferPointer(rebasing: bytes[place...]))
                else { return nil }
                place += count
            }
            return .folder(
                StoredFolder(
                    root: root, resolved: resolved, path: path, identity: numbers[0],
                    inode: numbers[1], otherIdentity: numbers[2], access: numbers[3],
                    device: numbers[4]), first..<rows.count)
        }
        guard let number = number(8) else { return nil }
        if kind == .revision { return Int(exactly: number).map { .revision($0) } }
        guard let key = KeyNumber(stored: number) else { return nil }
        return kind == .removed ? .removed(key) : .marked(key)
    }

    /// Whether it has a slash after each name, and nothing that leads elsewhere.
    private func isPath(_ path: [UInt8]) -> Bool {
        if path.isEmpty { return true }
        guard path.last == slash, !path.contains(0) else { return false }
        let dot = UInt8(ascii: ".")
        return path.dropLast().split(separator: slash, omittingEmptySubsequences: false).allSatisfy
        {
            !$0.isEmpty && $0 != [dot] && $0 != [dot, dot]
        }
    }
}
