internal import StateFolder
internal import SystemInterface

/// Reads the frames of a file, from its start.
struct FrameReader {
    private let file: any StorageFile
    private let size: Int
    /// What was read and not used.
    private var buffer: [UInt8] = []
    /// Room for what is read next.
    private var block: [UInt8] = []
    private var start = 0
    private var offset = 0
    /// All frames before it were valid.
    private(set) var validEnd = 0

    /// The bytes that are read at once.
    private static let blockBytes = 1 << 20

    init(_ file: any StorageFile) throws(SystemError) {
        self.file = file
        size = try file.size()
    }

    /// Whether everything was read.
    var isAtEnd: Bool { validEnd == size }

    /// The next frame; nil at the end, and before bytes that are no frame. Its records are in what was read ahead: if the
    /// frame exists during the next call, that copies all of it.
    /// - Complexity: O(n) in its length.
    mutating func next() throws(SystemError) -> Frame? {
        guard try fill(Frame.headBytes) else { return nil }
        let length = Int(buffer.load(UInt32.self, at: start))
        let sum = buffer.load(UInt32.self, at: start + 4)
        guard 1...Frame.longest ~= length, length <= size - validEnd - Frame.headBytes,
            try fill(Frame.headBytes + length)
        else { return nil }
        let payload = start + Frame.headBytes..<start + Frame.headBytes + length
        guard checksum(of: buffer, in: payload) == sum,
            let frame = Frame(payload: buffer[payload])
        else { return nil }
        start = payload.upperBound
        validEnd += Frame.headBytes + length
        return frame
    }

    /// Makes so many bytes available.
    private mutating func fill(_ count: Int) throws(SystemError) -> Bool {
        if buffer.count - start >= count { return true }
        buffer.removeFirst(start)
        start = 0
        while buffer.count < count {
            let wanted = min(Self.blockBytes, size - offset)
            if wanted == 0 { return false }
            if block.count != wanted { block = Array(repeating: 0, count: wanted) }
            let read = try file.read(into: &block, at: offset)
            if read == 0 { return false }
            offset += read
            buffer.append(contentsOf: block.prefix(read))
        }
        return true
    }
}
