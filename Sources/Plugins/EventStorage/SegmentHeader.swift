internal import StateFolder

// The format of a segment. All numbers are little-endian.
//
//     header  magic "pkevents" · version u32 · epoch: length u32, 40 bytes · first number u64 · CRC u32
//     record  CRC u32 · length u32 · number u64 · time f64 · topic length u8 · has data u8 · topic · data
//
// The header's checksum covers all bytes before it. A record's checksum covers all bytes after it,
// including the length; the length counts from the number on. A tail of zeros, which a file system may
// leave after a loss of power, is never a valid record, because a length of zero is below the minimum.

/// The header of a segment.
struct SegmentHeader: Equatable {
    static let version: UInt32 = 1
    static let size = 68
    private static let magic = Array("pkevents".utf8)

    var epoch: String
    /// The number of the first record.
    var firstNumber: Int

    /// The reason why bytes are not a valid header.
    enum Fault: Error { case foreign, newer(UInt32), spoilt }

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        EpochField.append(epoch, to: &bytes)
        bytes.append(littleEndian: UInt64(firstNumber))
        bytes.append(littleEndian: checksum(of: bytes, in: 0..<bytes.count))
        return bytes
    }
}

extension SegmentHeader {
    /// `bytes` must have `size` elements.
    init(reading bytes: [UInt8]) throws(Fault) {
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        let version = bytes.load(UInt32.self, at: 8)
        let isWhole = bytes.load(UInt32.self, at: 64) == checksum(of: bytes, in: 0..<64)
        // Another version may use another checksum.
        guard version == Self.version else { throw isWhole ? .newer(version) : .spoilt }
        let first = bytes.load(UInt64.self, at: 56)
        guard isWhole, let epoch = EpochField.read(bytes, at: 12),
            (1...UInt64(StoredEvent.largestNumber)).contains(first)
        else { throw .spoilt }
        self.init(epoch: epoch, firstNumber: Int(first))
    }
}
