internal import JSONText

/// The bytes that wait to be sent to one client: whole lines, the first perhaps sent in part.
///
/// Bytes are appended at the end and taken from the front. What has been taken is dropped when it is
/// more than what is left, so that each byte is moved at most once.
struct OutputBuffer {
    /// Storage above this size is given back once the buffer is empty.
    private static let keptCapacity = 64 << 10

    private(set) var bytes: [UInt8] = []
    /// Where the first unsent byte is.
    private(set) var head = 0
    /// Whether part of the line that the first unsent byte belongs to has been sent.
    private var isMidLine = false

    var count: Int { bytes.count - head }
    var isEmpty: Bool { head == bytes.count }

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
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptCapacity)
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
