internal import EventLoops
internal import JSONText
internal import SystemInterface

/// What a process prints: standard output and error together, in lines, which are passed on as they come.
///
/// The last lines are kept for the message of its end. A line is cut after 1,024 bytes; more than 200 lines within five
/// seconds are counted and not passed on.
final class PluginOutput {
    static let longestLine = 1024
    static let keptLines = 20
    static let keptBytes = 4096
    static let mostLines = 200
    static let mostLinesTime = Duration.seconds(5)
    /// The bytes read in one turn of the loop.
    private static let readBytes = 16 << 10

    private let print: (String) -> Void
    private var loop: (any EventLoop)?
    private var pipe: DescriptorBox?
    private var source: (any IOSource)?
    private var buffer: [UInt8] = []
    /// The beginning of a line that has not ended.
    private var line: [UInt8] = []
    private var last: [String] = []
    private var periodStart: MonotonicInstant?
    private var linesInPeriod = 0

    init(print: @escaping (String) -> Void) { self.print = print }

    /// The last lines, the oldest first.
    var lastLines: [String] { last }

    /// Reads the pipe from now on.
    func read(_ pipe: DescriptorBox, on loop: any EventLoop) throws(SystemError) {
        self.pipe = pipe
        self.loop = loop
        source = try loop.watch(pipe.number, for: .readable) { [unowned self] _ in readSome() }
    }

    /// Reads what is there, as the process has ended: as much as a pipe holds.
    func drain() {
        for _ in 0..<8 where pipe != nil { readSome() }
        if !line.isEmpty { endLine() }
    }

    func close() {
        source?.cancel()
        source = nil
        pipe = nil
    }

    private func readSome() {
        guard let pipe else { return }
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.readBytes) }
        switch try? pipe.descriptor.read(into: &buffer) {
        case .bytes(let count):
            let bytes = buffer
            take(bytes.span.extracting(..<count))
        case .wouldBlock: break
        case .closed, nil: close()
        }
    }

    /// Looks at each byte once, and copies none that is cut off: a process that prints much does not wait for the daemon.
    private func take(_ bytes: Span<UInt8>) {
        var start = 0
        while start < bytes.count {
            let end = firstIndex(of: UInt8(ascii: "\n"), in: bytes, from: start)
            let room = Self.longestLine - line.count
            for index in start..<min(end ?? bytes.count, start + room) { line.append(bytes[index]) }
            guard let end else { return }
            endLine()
            start = end + 1
        }
    }

    private func endLine() {
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        last.append(text)
        var bytes = last.reduce(0) { $0 + $1.utf8.count + 1 }
        while last.count > Self.keptLines || (bytes > Self.keptBytes && last.count > 1) {
            bytes -= last.removeFirst().utf8.count + 1
        }
        pass(text)
    }

    private func pass(_ text: String) {
        guard let now = loop?.now else { return }
        if let start = periodStart, start.duration(to: now) < Self.mostLinesTime {
            linesInPeriod += 1
        } else {
            if linesInPeriod > Self.mostLines {
                print("(\(linesInPeriod - Self.mostLines) more lines were left out)")
            }
            periodStart = now
            linesInPeriod = 1
        }
        if linesInPeriod <= Self.mostLines { print(text) }
    }
}
