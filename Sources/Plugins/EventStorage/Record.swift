internal import StateFolder

/// One event in a segment.
enum Record {
    /// The checksum and the length.
    static let prefixSize = 8
    /// Number, time, length of the topic, and whether there is data.
    private static let fixedSize = 18
    static let lengths =
        fixedSize...(fixedSize + StoredEvent.mostTopicBytes + StoredEvent.mostDataBytes)

    /// The encoded size of `event`, in bytes.
    static func size(of event: StoredEvent) -> Int {
        prefixSize + fixedSize + event.topic.utf8.count + (event.data?.count ?? 0)
    }

    /// Whether `event` is within the limits of a record.
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

    /// The result of reading a record.
    enum Reading {
        case event(StoredEvent, size: Int)
        /// The record extends beyond the available bytes.
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
