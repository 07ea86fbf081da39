import Glibc
import PickerClient
import Picking
import SystemInterface
import TerminalCells

/// Runs a picker in lines on the terminal of this program, whose modes stay as they are.
final class LineRun {
    /// The most bytes of a line that are kept.
    private static let mostBytes = 8192

    private let loop = PollLoop()
    private let terminal: DescriptorBox
    private let picker: LinePicker
    private var watch: PollWatch?
    private var typed: [UInt8] = []

    /// - Throws: if there is no terminal, or no daemon.
    init(_ parameters: PickSession.Parameters, to path: String) throws {
        let file = try OwnedDescriptor.open(RawPath("/dev/tty"), flags: O_RDWR | O_NONBLOCK)
        let terminal = DescriptorBox(file)
        self.terminal = terminal
        let size = Terminal(descriptor: terminal.number).size
        picker = LinePicker(
            parameters, on: try ReconnectingSession(to: path, on: loop),
            size: TerminalSize(rows: size.rows, columns: size.columns),
            dates: DateText(now: SystemClock.wallSeconds())
        ) { Self.write($0, to: terminal) }
    }

    /// Runs it to its end.
    func run() -> PickOutcome {
        watch = loop.watch(terminal.number, for: .readable) { [weak self] _ in self?.read() }
        picker.begin()
        loop.run { picker.outcome != nil }
        watch?.cancel()
        picker.end()
        return picker.outcome ?? .cancelled
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 4096)
        switch try? terminal.descriptor.read(into: &bytes) {
        case .bytes(let count): for byte in bytes[..<count] { take(byte) }
        case .wouldBlock: break
        case .closed, nil:
            watch?.cancel()
            picker.take(nil)
        }
    }

    private func take(_ byte: UInt8) {
        if byte != UInt8(ascii: "\n") {
            if typed.count < Self.mostBytes { typed.append(byte) }
            return
        }
        let line = String(decoding: typed, as: UTF8.self)
        typed = []
        picker.take(line)
    }

    /// Nothing else is to be done before it is written.
    private static func write(_ text: String, to terminal: DescriptorBox) {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            switch try? terminal.descriptor.write(bytes, from: start) {
            case .bytes(let count): start += count
            case .wouldBlock: terminal.descriptor.poll(for: POLLOUT, milliseconds: nil)
            // The reader is told the same.
            case .closed, nil: return
            }
        }
    }
}
