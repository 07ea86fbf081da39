internal import JSONText

/// The output queue of one client: whole lines, the first perhaps partly sent.
///
/// Bytes are appended at the end and removed from the front. Sent bytes are discarded once they outnumber the
/// rest, so that each byte is moved at most once. The system call gets the whole queue in one piece, which a
/// ring buffer could not provide.
struct OutputBuffer {
    private(set) var bytes: [UInt8] = []
    /// The index of the first unsent byte.
    private(set) var head = 0
    /// Whether the line of the first unsent byte is partly sent.
    private var isMidLine = false

    var count: Int { bytes.count - head }
    var isEmpty: Bool { head == bytes.count }

    /// Reuses spare storage, if it has none of its own.
    mutating func borrowStorage(from spare: inout SpareStorage) {
        if bytes.capacity == 0, let storage = spare.take() { bytes = storage }
    }

    /// Makes its storage available to other buffers, if the queue is empty.
    mutating func returnStorage(to spare: inout SpareStorage) {
        guard isEmpty, bytes.capacity > 0 else { return }
        var storage: [UInt8] = []
        swap(&storage, &bytes)
        head = 0
        spare.put(storage)
    }

    /// Appends a line given in two parts.
    mutating func append(_ line: [UInt8], _ rest: ByteSlice) {
        bytes.append(contentsOf: line)
        // The range lies within the array, and the buffer is used within the call only.
        unsafe rest.array.withUnsafeBufferPointer {
            unsafe bytes.append(contentsOf: $0.extracting(rest.range))
        }
    }

    /// Appends the text of `line`: one or more lines.
    mutating func append(_ line: borrowing JSONWriter) {
        line.append(to: &bytes)
    }

    /// Removes the first `count` bytes, which have been sent.
    mutating func removeFirst(_ count: Int) {
        precondition(count <= self.count)
        guard count > 0 else { return }
        head += count
        isMidLine = bytes[head - 1] != UInt8(ascii: "\n")
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            head = 0
        } else if head > bytes.count / 2, head > 4096 {
            bytes.removeFirst(head)
            head = 0
        }
    }

    /// Removes all lines of which no byte has been sent.
    mutating func dropUnsentLines() {
        if !isMidLine {
            bytes.removeAll()
            head = 0
        } else if let end = bytes[head...].firstIndex(of: UInt8(ascii: "\n")) {
            bytes.removeSubrange((end + 1)...)
        }
    }
}

/// Storage for output queues, passed from empty buffers to those that need it. While clients read promptly, all
/// of them together need little more than one does.
struct SpareStorage {
    private static let mostPieces = 8
    /// A larger piece is freed.
    private static let largestPiece = 512 << 10

    private var pieces: [[UInt8]] = []

    mutating func take() -> [UInt8]? { pieces.popLast() }

    mutating func put(_ storage: consuming [UInt8]) {
        guard pieces.count < Self.mostPieces, storage.capacity <= Self.largestPiece else { return }
        if !storage.isEmpty { storage.removeAll(keepingCapacity: true) }
        pieces.append(storage)
    }
}
