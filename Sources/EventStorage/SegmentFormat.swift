// How a segment looks, byte by byte. All numbers are little-endian.
//
//     header  magic "pkevents" · version u32 · epoch: length u32, 40 bytes · first number u64 · CRC u32
//     record  CRC u32 · length u32 · number u64 · time f64 · topic length u8 · has data u8 · topic · data
//
// The header's sum covers all before it; a record's sum covers all behind it, its length too, and
// its length counts from the number on. A tail of zeros, as a file system leaves it after power
// was lost, is no record: its length is below any that a record has.

/// What stands at the head of a segment.
struct SegmentHeader: Equatable {
    static let version: UInt32 = 1
    static let size = 68
    private static let magic = Array("pkevents".utf8)

    var epoch: String
    /// The number of the first record.
    var firstNumber: Int

    /// Why some bytes are no header of ours.
    enum Fault: Error { case foreign, newer(UInt32), spoilt }

    var bytes: [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: Self.version)
        EpochField.append(epoch, to: &bytes)
        bytes.append(littleEndian: UInt64(firstNumber))
        bytes.append(littleEndian: checksum(of: bytes, in: 0..<bytes.count))
        return bytes
    }

    init(epoch: String, firstNumber: Int) {
        self.epoch = epoch
        self.firstNumber = firstNumber
    }

    /// `bytes` must be `size` many.
    init(reading bytes: [UInt8]) throws(Fault) {
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        let version = bytes.load(UInt32.self, at: 8)
        let isWhole = bytes.load(UInt32.self, at: 64) == checksum(of: bytes, in: 0..<64)
        // Another version may sum up otherwise.
        guard version == Self.version else { throw isWhole ? .newer(version) : .spoilt }
        let first = bytes.load(UInt64.self, at: 56)
        guard isWhole, let epoch = EpochField.read(bytes, at: 12),
            (1...UInt64(StoredEvent.largestNumber)).contains(first)
        else { throw .spoilt }
        self.epoch = epoch
        firstNumber = Int(first)
    }
}

/// The name of an epoch, in a place of fixed size.
enum EpochField {
    static let mostBytes = 40
    static let size = 4 + mostBytes

    /// Whether `text` can be the name of an epoch: digits and small letters, a few.
    static func accepts(_ text: some Collection<UInt8>) -> Bool {
        (1...mostBytes).contains(text.count)
            && text.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }

    static func append(_ epoch: String, to bytes: inout [UInt8]) {
        let text = epoch.utf8.prefix(mostBytes)
        bytes.append(littleEndian: UInt32(text.count))
        bytes.append(contentsOf: text)
        bytes.append(contentsOf: repeatElement(0, count: mostBytes - text.count))
    }

    static func read(_ bytes: [UInt8], at offset: Int) -> String? {
        let count = Int(bytes.load(UInt32.self, at: offset))
        guard count <= mostBytes else { return nil }
        let text = bytes[(offset + 4)..<(offset + 4 + count)]
        return accepts(text) ? String(decoding: text, as: UTF8.self) : nil
    }
}

/// One event in a segment.
enum Record {
    /// The sum and the length.
    static let prefixSize = 8
    /// Number, time, length of the topic, and whether there is data.
    private static let fixedSize = 18
    static let lengths =
        fixedSize...(fixedSize + StoredEvent.mostTopicBytes + StoredEvent.mostDataBytes)

    /// The bytes that `event` takes.
    static func size(of event: StoredEvent) -> Int {
        prefixSize + fixedSize + event.topic.utf8.count + (event.data?.count ?? 0)
    }

    /// Whether `event` has a record that can be read back.
    static func fits(_ event: StoredEvent) -> Bool {
        (1...StoredEvent.largestNumber).contains(event.number) && event.time.isFinite
            && event.topic.utf8.count <= StoredEvent.mostTopicBytes
            && event.data?.count ?? 0 <= StoredEvent.mostDataBytes
    }

    static func append(_ event: StoredEvent, to bytes: inout [UInt8]) {
        let start = bytes.count
        let topic = event.topic.utf8
        bytes.append(littleEndian: UInt32(0))
        bytes.append(littleEndian: UInt32(size(of: event) - prefixSize))
        bytes.append(littleEndian: UInt64(event.number))
        bytes.append(littleEndian: event.time.bitPattern)
        bytes.append(UInt8(topic.count))
        bytes.append(event.data == nil ? 0 : 1)
        bytes.append(contentsOf: topic)
        if let data = event.data { bytes.append(contentsOf: data) }
        bytes.store(littleEndian: checksum(of: bytes, in: (start + 4)..<bytes.count), at: start)
    }

    /// What reading at a place comes to.
    enum Reading {
        case event(StoredEvent, size: Int)
        /// The record is longer than the bytes that are there.
        case cutShort
        case spoilt
    }

    static func read(_ bytes: [UInt8], at start: Int) -> Reading {
        guard bytes.count - start >= prefixSize else { return .cutShort }
        let length = Int(bytes.load(UInt32.self, at: start + 4))
        guard lengths.contains(length) else { return .spoilt }
        let body = start + prefixSize
        guard bytes.count - body >= length else { return .cutShort }
        let end = body + length
        guard bytes.load(UInt32.self, at: start) == checksum(of: bytes, in: (start + 4)..<end)
        else {
            return .spoilt
        }
        let number = bytes.load(UInt64.self, at: body)
        let time = Double(bitPattern: bytes.load(UInt64.self, at: body + 8))
        let topicEnd = body + fixedSize + Int(bytes[body + 16])
        guard (1...UInt64(StoredEvent.largestNumber)).contains(number), time.isFinite,
            topicEnd <= end, bytes[body + 17] == 1 || topicEnd == end
        else { return .spoilt }
        let topic = String(decoding: bytes[(body + fixedSize)..<topicEnd], as: UTF8.self)
        let data = bytes[body + 17] == 1 ? Array(bytes[topicEnd..<end]) : nil
        return .event(
            StoredEvent(number: Int(number), time: time, topic: topic, data: data),
            size: end - start)
    }
}
