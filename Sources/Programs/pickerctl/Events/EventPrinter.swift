import Glibc
import PickerClient
import SystemInterface
import TerminalCells

// Events as lines on standard output.
//
// Lines are buffered here until standard output accepts them, so that the loop, and with it signals, never
// waits for a reader. A pipe that poll(2) reports as writable accepts 4,096 bytes atomically without
// blocking. So complete lines are written in pieces of at most that size, and only a longer line can be cut
// off by an end. An event counts as handled when its whole line has been written.

/// Prints events.
final class EventPrinter: EventSink {
    var onHandled: ((EventPosition?) -> Void)?
    var onFailure: ((any Error) -> Void)?

    private struct Line {
        let bytes: [UInt8]
        let position: EventPosition?
    }

    private static let mostWaiting = 64 << 10
    /// The pieces that are written before other handlers run.
    private static let piecesInTurn = 64

    private let loop: PollLoop
    private let format: (PendingEvent) -> [UInt8]
    private let isFile: Bool
    private let longestPiece: Int
    private var lines: [Line] = []
    private var waitingBytes = 0
    private var writtenOfFirst = 0
    private var watch: PollWatch?
    private var isScheduled = false

    /// `format` returns the line for an event, without the newline.
    init(on loop: PollLoop, format: @escaping (PendingEvent) -> [UInt8]) {
        self.loop = loop
        self.format = format
        isFile = (try? FileStatus.of(descriptorNumber: 1))?.kind == .regular
        longestPiece = isFile ? Self.mostWaiting : Int(PIPE_BUF)
    }

    deinit { watch?.cancel() }

    var isReady: Bool { waitingBytes < Self.mostWaiting }
    var isIdle: Bool { lines.isEmpty }

    func take(_ event: PendingEvent) { add(format(event), event.position) }

    /// Prints a notification that is no event.
    func take(line: [UInt8]) { add(Self.json(line), nil) }

    /// A line of JSON, safe for a terminal.
    static func json(_ line: [UInt8]) -> [UInt8] {
        if line.allSatisfy({ $0 < 0x7F }) { return line }
        return Array(VisibleText.escaped(json: String(decoding: line, as: UTF8.self)).utf8)
    }

    /// A begun line is finished, unless there is another signal.
    func end(because signal: Int32) {
        lines = writtenOfFirst > 0 && lines.count > 1 ? [lines[0]] : []
        waitingBytes = lines.reduce(0) { $0 + $1.bytes.count } - writtenOfFirst
        if lines.isEmpty {
            writtenOfFirst = 0
            waitingBytes = 0
        }
        waitIfNeeded()
        onHandled?(nil)
    }

    private func add(_ line: [UInt8], _ position: EventPosition?) {
        lines.append(Line(bytes: line + [UInt8(ascii: "\n")], position: position))
        waitingBytes += line.count + 1
        if isScheduled || watch != nil { return }
        // Lines of one turn are written together.
        isScheduled = true
        loop.atEndOfTurn { [weak self] in
            self?.isScheduled = false
            self?.write()
        }
    }

    private func write() {
        var handled: EventPosition?
        do {
            let output = Output.standard
            for _ in 0..<Self.piecesInTurn where !lines.isEmpty && (isFile || output.isWritable) {
                guard case .bytes(let count) = try output.writeSome(nextPiece) else {
                    break
                }
                handled = dropWritten(count) ?? handled
            }
        } catch {
            onFailure?(error)
        }
        waitIfNeeded()
        onHandled?(handled)
    }

    /// As many complete lines as fit into one piece, or the next part of a longer line.
    private var nextPiece: [UInt8] {
        var piece = Array(lines[0].bytes[writtenOfFirst...].prefix(longestPiece))
        guard writtenOfFirst + piece.count == lines[0].bytes.count else { return piece }
        for line in lines.dropFirst() {
            if piece.count + line.bytes.count > longestPiece { break }
            piece += line.bytes
        }
        return piece
    }

    /// - Returns: the position of the last event whose line is complete.
    private func dropWritten(_ count: Int) -> EventPosition? {
        var handled: EventPosition?
        var done = 0
        writtenOfFirst += count
        waitingBytes -= count
        while done < lines.count, writtenOfFirst >= lines[done].bytes.count {
            writtenOfFirst -= lines[done].bytes.count
            handled = lines[done].position ?? handled
            done += 1
        }
        lines.removeFirst(done)
        return handled
    }

    private func waitIfNeeded() {
        if lines.isEmpty {
            watch?.cancel()
            watch = nil
        } else if watch == nil {
            watch = loop.watch(1, for: .writable) { [weak self] _ in self?.write() }
        }
    }
}
