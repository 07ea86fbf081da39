import PickerClient
import SystemInterface
import WireProtocol

/// Splits what a process prints into lines.
final class PrintedLines {
    /// The longest line; the rest of a longer one is dropped.
    private static let longest = 64 << 10

    private let pipe: DescriptorBox
    private let take: (String) -> Void
    private var framer = LineFramer(limit: longest)
    private var watch: PollWatch?
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(_ pipe: DescriptorBox, on loop: PollLoop, _ take: @escaping (String) -> Void) {
        self.pipe = pipe
        self.take = take
        watch = loop.watch(pipe.number, for: .readable) { [weak self] _ in _ = self?.read() }
    }

    deinit { watch?.cancel() }

    /// Reads what there is. A last line may have no end.
    func drain() {
        while read() {}
        framer.append([UInt8(ascii: "\n")])
        takeLines()
    }

    /// - Returns: Whether there may be more.
    private func read() -> Bool {
        guard watch != nil else { return false }
        switch try? pipe.descriptor.read(into: &buffer) {
        case .bytes(let count):
            framer.append(buffer[..<count])
            takeLines()
            return true
        case .wouldBlock: return false
        case .closed, nil:
            watch?.cancel()
            watch = nil
            return false
        }
    }

    private func takeLines() {
        while let event = framer.next() {
            switch event {
            case .line(let line): take(String(decoding: line, as: UTF8.self))
            case .overlong: take("(a line of more than \(Self.longest) bytes)")
            }
        }
    }
}
