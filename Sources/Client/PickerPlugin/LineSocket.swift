internal import Glibc
internal import JSONText
internal import SystemInterface
internal import WireProtocol

/// Lines to and from the daemon, over a socket that does not block.
final class LineSocket {
    let descriptor: DescriptorBox
    /// Is shown each line, if lines are traced.
    var trace: ((String) -> Void)?
    private var framer = LineFramer()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// What is taken in at most while the daemon takes nothing: then it waits for the daemon to read.
    private static let mostTakenIn = 8 * Limits.line

    init(_ descriptor: DescriptorBox) {
        self.descriptor = descriptor
    }

    /// Sends a line, given with its end. What comes meanwhile is taken in, so that neither side can hold up the
    /// other.
    /// - Throws: ``PluginError/Code/tooLong`` without sending anything; ``PluginError/Code/ended``.
    func send(_ line: [UInt8]) throws(PluginError) {
        guard line.count <= Limits.line + 1 else {
            throw PluginError(
                .tooLong,
                "a line of \(line.count - 1) bytes is longer than the daemon takes (\(Limits.line))"
            )
        }
        show("←", line[...])
        var sent = 0
        while sent < line.count {
            switch try transfer({ () throws(SystemError) in
                try descriptor.descriptor.send(line, from: sent)
            }) {
            case .bytes(let count): sent += count
            case .wouldBlock: try waitToSend()
            case .closed: throw .atEnd
            }
        }
    }

    private func waitToSend() throws(PluginError) {
        let isFull = framer.bufferedCount >= Self.mostTakenIn
        let events = descriptor.descriptor.poll(
            for: isFull ? POLLOUT : POLLOUT | POLLIN, milliseconds: nil)
        if !isFull, events & POLLIN != 0 { try receive() }
    }

    /// Takes in what has come.
    /// - Returns: whether anything has.
    /// - Throws: ``PluginError/Code/ended`` at the end of the socket.
    @discardableResult
    func receive() throws(PluginError) -> Bool {
        let transfer = try transfer { () throws(SystemError) in
            try descriptor.descriptor.read(into: &buffer)
        }
        switch transfer {
        case .bytes(let count): framer.append(buffer[..<count])
        case .wouldBlock: return false
        case .closed: throw .atEnd
        }
        return true
    }

    /// A socket that fails is at its end.
    private func transfer(
        _ call: () throws(SystemError) -> Transfer
    ) throws(PluginError) -> Transfer {
        do {
            return try call()
        } catch {
            throw .atEnd
        }
    }

    /// The next line that has come, in memory of its own.
    /// - Throws: ``PluginError/Code/broken`` for one that is too long.
    func next() throws(PluginError) -> ByteSlice? {
        switch framer.next() {
        case .line(let line):
            let copy = line.copied
            show("→", copy[...])
            return ByteSlice(copy)
        case .overlong:
            throw PluginError(
                .broken,
                "the daemon sent a line of more than \(framer.limit) bytes, which can't be read")
        case nil: return nil
        }
    }

    private func show(_ arrow: String, _ line: ArraySlice<UInt8>) {
        guard let trace else { return }
        let text = String(decoding: line.prefix(2000), as: UTF8.self)
        let seconds = Double(SystemClock.monotonicNanoseconds() / 1000) / 1_000_000
        trace("\(seconds) \(arrow) \(text.hasSuffix("\n") ? String(text.dropLast()) : text)")
    }
}

extension PluginError {
    static let atEnd = PluginError(.ended, "the daemon has closed the socket")
    static let terminated = PluginError(.ended, "the plugin was told to end")
}
