internal import StateFolder
internal import SystemInterface

// What the files of the documents consist of: frames, each with its length and a checksum.
//
//     length of the payload u32 · CRC-32 of the payload u32 · payload
//
// The first byte of a payload says what it is. Numbers are little-endian.

/// The payload of a frame.
package enum Frame: Equatable, Sendable {
    /// The start of each file.
    case header(FileHeader)
    /// Records of documents: a part of a snapshot.
    case records(ArraySlice<UInt8>)
    /// The end of a whole snapshot.
    case end
    /// Changes, behind the numbers that held then.
    case batch(Numbers, ArraySlice<UInt8>)

    /// The longest payload that is read.
    static let longest = 64 << 20
    static let headBytes = 8

    fileprivate enum Kind: UInt8 {
        case header = 1
        case records = 2
        case end = 3
        case batch = 4
    }
}

/// What a file is, and for whom.
package struct FileHeader: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case snapshot = 1
        case log = 2
    }

    package var kind: Kind
    /// Snapshots and logs are numbered; a log follows the snapshot with its number.
    package var generation: UInt64
    /// Identifies the numbers of media types in the file.
    package var types: [UInt8]
    /// About how many documents follow.
    package var count: UInt64
    /// After this revision all changes follow.
    package var knownSince: UInt64
    /// The length of the log before this one, as far as it was valid.
    package var formerLength: UInt64 = 0
    /// The inode of the file: in a copy it is another one.
    package var inode: UInt64 = 0
    /// The epoch of the revisions.
    package var epoch: String
    /// Identifies the run of the machine.
    package var boot: String

    package init(
        kind: Kind, generation: UInt64, types: [UInt8], count: UInt64, knownSince: UInt64,
        epoch: String, boot: String
    ) {
        self.kind = kind
        self.generation = generation
        self.types = types
        self.count = count
        self.knownSince = knownSince
        self.epoch = epoch
        self.boot = boot
    }

    fileprivate static let magic = Array("pkdocs01".utf8)
}

/// The revision and the next key, and limits that neither of both reaches before another batch is written.
package struct Numbers: Equatable, Sendable {
    package var rev: UInt64
    package var revLimit: UInt64
    package var nextKey: UInt64
    package var keyLimit: UInt64
    /// Whether nothing came behind, because the daemon ended.
    package var isClean: Bool

    package init(
        rev: UInt64, revLimit: UInt64, nextKey: UInt64, keyLimit: UInt64, isClean: Bool
    ) {
        self.rev = rev
        self.revLimit = revLimit
        self.nextKey = nextKey
        self.keyLimit = keyLimit
        self.isClean = isClean
    }
}

extension Frame {
    /// All bytes of the frame.
    /// - Complexity: O(n) in their number, about a nanosecond for each.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(recordBytes + 64)
        bytes.append(contentsOf: repeatElement(0, count: Self.headBytes))
        switch self {
        case .header(let header):
            bytes.append(Kind.header.rawValue)
            bytes.append(contentsOf: FileHeader.magic)
            bytes.append(header.kind.rawValue)
            bytes.append(littleEndian: header.generation)
            bytes.append(littleEndian: header.count)
            bytes.append(littleEndian: header.knownSince)
            bytes.append(littleEndian: header.formerLength)
            bytes.append(littleEndian: header.inode)
            bytes.append(short: header.types)
            bytes.append(short: Array(header.epoch.utf8))
            bytes.append(short: Array(header.boot.utf8))
        case .records(let records):
            bytes.append(Kind.records.rawValue)
            bytes.append(contentsOf: records)
        case .end: bytes.append(Kind.end.rawValue)
        case .batch(let numbers, let records):
            bytes.append(Kind.batch.rawValue)
            bytes.append(numbers.isClean ? 1 : 0)
            bytes.append(littleEndian: numbers.rev)
            bytes.append(littleEndian: numbers.revLimit)
            bytes.append(littleEndian: numbers.nextKey)
            bytes.append(littleEndian: numbers.keyLimit)
            bytes.append(contentsOf: records)
        }
        let payload = Self.headBytes..<bytes.count
        bytes.store(littleEndian: UInt32(payload.count), at: 0)
        bytes.store(littleEndian: checksum(of: bytes, in: payload), at: 4)
        return bytes
    }

    private var recordBytes: Int {
        switch self {
        case .header, .end: 0
        case .records(let records), .batch(_, let records): records.count
        }
    }

    /// The payload, whose checksum holds, as a frame; nil if this is not what the daemon writes.
    init?(payload: ArraySlice<UInt8>) {
        // Most are, and are not copied.
        if payload.first == Kind.records.rawValue {
            self = .records(payload.dropFirst())
            return
        }
        let bytes = Array(payload)
        var reader = PayloadReader(bytes)
        guard let kind = reader.number(UInt8.self).flatMap(Kind.init) else { return nil }
        switch kind {
        case .header:
            guard reader.bytes(FileHeader.magic.count)?.elementsEqual(FileHeader.magic) == true,
                let kind = reader.number(UInt8.self).flatMap(FileHeader.Kind.init),
                let generation = reader.number(UInt64.self), let count = reader.number(UInt64.self),
                let since = reader.number(UInt64.self), let former = reader.number(UInt64.self),
                let inode = reader.number(UInt64.self), let types = reader.short(),
                let epoch = reader.short(), let boot = reader.short(), reader.isAtEnd
            else { return nil }
            var header = FileHeader(
                kind: kind, generation: generation, types: types, count: count, knownSince: since,
                epoch: String(decoding: epoch, as: UTF8.self),
                boot: String(decoding: boot, as: UTF8.self))
            header.formerLength = former
            header.inode = inode
            self = .header(header)
        case .records: return nil
        case .end: self = .end
        case .batch:
            guard let flags = reader.number(UInt8.self), flags <= 1,
                let rev = reader.number(UInt64.self), let revLimit = reader.number(UInt64.self),
                let nextKey = reader.number(UInt64.self),
                let keyLimit = reader.number(UInt64.self), rev <= revLimit, nextKey <= keyLimit,
                revLimit <= Numbers.greatestRevision
            else { return nil }
            self = .batch(
                Numbers(
                    rev: rev, revLimit: revLimit, nextKey: nextKey, keyLimit: keyLimit,
                    isClean: flags == 1), bytes[reader.place...])
        }
    }
}

extension Numbers {
    /// Numbers above it are not exact in JSON for many clients.
    static let greatestRevision: UInt64 = 1 << 53
}

extension [UInt8] {
    /// Appends up to 255 bytes behind their number.
    fileprivate mutating func append(short bytes: [UInt8]) {
        append(UInt8(Swift.min(bytes.count, 255)))
        append(contentsOf: bytes.prefix(255))
    }
}

/// Reads a payload from its start.
private struct PayloadReader {
    private let source: [UInt8]
    private(set) var place = 0

    init(_ source: [UInt8]) {
        self.source = source
    }

    var isAtEnd: Bool { place == source.count }

    mutating func number<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        guard source.count - place >= Number.bitWidth / 8 else { return nil }
        defer { place += Number.bitWidth / 8 }
        return source.load(Number.self, at: place)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard source.count - place >= count else { return nil }
        defer { place += count }
        return source[place..<place + count]
    }

    mutating func short() -> [UInt8]? {
        number(UInt8.self).flatMap { bytes(Int($0)) }.map(Array.init)
    }
}
