internal import JSONText

/// The bytes that wait to be sent to one client: whole lines, the first perhaps sent in part.
///
/// Bytes are appended at the end and taken from the front. What has been taken is dropped when it is
/// more than what is left, so that each byte is moved at most once. The system is handed all that waits in
/// one piece, which a ring could not do.
struct OutputBuffer {
    private(set) var bytes: [UInt8] = []
    /// Where the first unsent byte is.
    private(set) var head = 0
    /// Whether part of the line that the first unsent byte belongs to has been sent.
    private var isMidLine = false

    var count: Int { bytes.count - head }
    var isEmpty: Bool { head == bytes.count }

    /// Takes storage that another buffer has had, if it has none itself.
    mutating func take(from spare: inout SpareStorage) {
        if bytes.capacity == 0, let storage = spare.take() { bytes = storage }
    }

    /// Lets another buffer have its storage, if nothing waits.
    mutating func giveBack(to spare: inout SpareStorage) {
        guard isEmpty, bytes.capacity > 0 else { return }
        var storage: [UInt8] = []
        swap(&storage, &bytes)
        head = 0
        spare.put(storage)
    }

    /// Appends one line that comes in two parts.
    mutating func append(_ line: [UInt8], _ rest: ByteSlice) {
        bytes.append(contentsOf: line)
        // The range lies within the array, and the buffer is used within the call only.
        unsafe rest.array.withUnsafeBufferPointer {
            unsafe bytes.append(contentsOf: $0.extracting(rest.range))
        }
    }

    /// Appends what `line` has written: one line, or more.
    mutating func append(_ line: borrowing JSONWriter) {
        line.append(to: &bytes)
    }

    /// The first `count` waiting bytes have been sent.
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

    /// Takes back all lines of which no byte has been sent.
    mutating func dropUnsentLines() {
        if !isMidLine {
            bytes.removeAll()
            head = 0
        } else if let end = bytes[head...].firstIndex(of: UInt8(ascii: "\n")) {
            bytes.removeSubrange((end + 1)...)
        }
    }
}

/// Memory for what waits to be sent, on its way from a buffer that is empty to one that needs some: while
/// clients read at once, all of them need little more than one does.
struct SpareStorage {
    private static let mostPieces = 8
    /// A piece that is larger is let go of.
    private static let largestPiece = 512 << 10

    private var pieces: [[UInt8]] = []

    mutating func take() -> [UInt8]? { pieces.popLast() }

    mutating func put(_ storage: consuming [UInt8]) {
        guard pieces.count < Self.mostPieces, storage.capacity <= Self.largestPiece else { return }
        if !storage.isEmpty { storage.removeAll(keepingCapacity: true) }
        pieces.append(storage)
    }
}
