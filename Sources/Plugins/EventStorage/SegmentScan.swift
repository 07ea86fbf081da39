internal import StateFolder
internal import SystemInterface

/// The result of reading a segment from its start.
struct SegmentScan {
    /// The reason why the rest of a segment is unreadable.
    enum Fault: Equatable {
        case cutShort, spoilt
        /// A number that is not above the previous one, or not below those of the next segment.
        case outOfOrder
    }

    let header: SegmentHeader
    var count = 0
    var lastNumber = 0
    /// The end of the last complete record.
    var end = SegmentHeader.size
    let size: Int
    var fault: Fault?

    /// The reason why a file is not a valid segment.
    enum Refusal: Error {
        case header(SegmentHeader.Fault)
        /// Its name does not match its header.
        case misnamed
        /// It is shorter than a header: its creation was interrupted.
        case unfinished
        /// It is longer than any valid segment.
        case tooLong(Int)
        case system(SystemError)
    }

    /// The largest valid segment: a fourth of the most bytes that may be kept, and a record.
    static let mostBytes = 1 << 30 + 4 << 20
    private static let chunk = 1 << 20

    /// Reads `file` and passes each event to `visit`, up to the first fault.
    ///
    /// Reads in chunks, so memory use does not depend on the size of the file.
    /// - Complexity: O(bytes).
    init(
        _ file: any StorageFile, named name: String, numbersBelow bound: Int,
        _ visit: (StoredEvent, _ size: Int) -> Void
    ) throws(Refusal) {
        do throws(SystemError) {
            size = try file.size()
        } catch { throw .system(error) }
        guard size <= Self.mostBytes else { throw .tooLong(size) }
        var window = [UInt8](repeating: 0, count: SegmentHeader.size)
        guard try Self.fill(&window, from: file, at: 0) == SegmentHeader.size else {
            throw .unfinished
        }
        do { header = try SegmentHeader(reading: window) } catch { throw .header(error) }
        guard name == SegmentName.text(header.firstNumber) else { throw .misnamed }
        lastNumber = header.firstNumber - 1
        try readRecords(file, below: bound, visit)
    }

    private mutating func readRecords(
        _ file: any StorageFile, below bound: Int, _ visit: (StoredEvent, Int) -> Void
    ) throws(Refusal) {
        var window: [UInt8] = []
        var position = 0
        var read = end
        while true {
            switch Record.read(window, at: position) {
            case .event(let event, let length):
                guard event.number > lastNumber, event.number < bound else {
                    return fault = .outOfOrder
                }
                visit(event, length)
                count += 1
                lastNumber = event.number
                position += length
                end += length
            case .spoilt:
                return fault = .spoilt
            case .cutShort:
                var chunk = [UInt8](repeating: 0, count: Self.chunk)
                let count = try Self.fill(&chunk, from: file, at: read)
                if count == 0 {
                    if position < window.count { fault = .cutShort }
                    return
                }
                window.removeSubrange(..<position)
                position = 0
                window.append(contentsOf: chunk[..<count])
                read += count
            }
        }
    }

    private static func fill(
        _ buffer: inout [UInt8], from file: any StorageFile, at offset: Int
    ) throws(Refusal) -> Int {
        do throws(SystemError) {
            return try file.read(into: &buffer, at: offset)
        } catch { throw .system(error) }
    }
}
