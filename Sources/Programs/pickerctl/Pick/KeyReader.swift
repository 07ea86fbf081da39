import PickerClient
import SystemInterface
import TerminalCells

/// Reads keys from a terminal, on a loop.
final class KeyReader {
    /// How long an escape may be the start of a longer sequence: more than a slow line takes, and less than people see.
    private static let patience = Duration.milliseconds(40)

    /// How long an answer may take at the end.
    private static let answering: Int64 = 100_000_000

    private let device: TerminalDevice
    private let loop: PollLoop
    private let take: (TerminalInput) -> Void
    private let end: () -> Void
    private var parser = InputParser()
    /// Whether the terminal was asked something and has not answered all of it.
    var isAsked: Bool {
        get { parser.isAsked }
        set { parser.isAsked = newValue }
    }
    private var watch: PollWatch?
    private var timer: PollTimer?

    /// Calls `take` with each key or text, and `end` once, when the terminal is gone.
    init(
        _ device: TerminalDevice, on loop: PollLoop, take: @escaping (TerminalInput) -> Void,
        end: @escaping () -> Void
    ) {
        self.device = device
        self.loop = loop
        self.take = take
        self.end = end
    }

    /// Reads from now on.
    func begin() {
        if watch != nil { return }
        watch = loop.watch(device.box.number, for: .readable) { [weak self] _ in self?.read() }
    }

    /// Reads no more, until the next `begin`.
    func stop() {
        watch?.cancel()
        watch = nil
        timer?.cancel()
        timer = nil
    }

    /// Takes what the terminal still has to answer, so that nobody else gets that; with it go keys that are typed
    /// meanwhile. A terminal that answers at all does so in a fraction of the limit.
    func takeAnswers() {
        let deadline = loop.nanoseconds + Self.answering
        while parser.isAsked, device.isInForeground {
            let left = (deadline - loop.nanoseconds) / 1_000_000
            if left <= 0 { return }
            device.box.descriptor.waitUntilReadable(milliseconds: Int32(left))
            guard let bytes = device.read() else { return }
            for case .report(.attributes) in parser.take(bytes) { parser.isAsked = false }
        }
    }

    private func read() {
        // A read in the background would stop the program. When it is back, a signal tells.
        guard device.isInForeground || device.isGone else { return stop() }
        guard let bytes = device.read() else {
            stop()
            return end()
        }
        timer?.cancel()
        timer = nil
        for input in parser.take(bytes) { take(input) }
        // A key may have stopped the reader.
        guard parser.isWaiting, watch != nil else { return }
        timer = loop.schedule(after: Self.patience) { [weak self] in self?.giveUp() }
    }

    private func giveUp() {
        timer = nil
        for input in parser.giveUp() { take(input) }
    }
}
