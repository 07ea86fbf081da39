import Glibc
import PickerClient
import SystemInterface

/// Why nothing more can be written.
enum OutputError: Error {
    /// Nobody reads what we write any more, as after `| head`: no failure.
    case closed
    /// What was to be written is lost, on a full disk for one.
    case failed(ErrorNumber)
}

/// A buffered writer to standard output or standard error.
final class Output {
    // Not isolated, unchecked: this program has one thread, so no other can be in this buffer.
    @safe nonisolated(unsafe) static let standard = Output(descriptor: 1)
    // Likewise: one thread, no other in this buffer.
    @safe nonisolated(unsafe) static let errors = Output(descriptor: 2)

    private static let flushAt = 64 << 10

    // The descriptor stays open for as long as the program runs, as it is never let go of.
    private let box: DescriptorBox
    private var buffer: [UInt8] = []

    private init(descriptor: Int32) {
        box = DescriptorBox(OwnedDescriptor(adopting: descriptor))
    }

    /// Adds bytes, which go out with the next flush, or when there are many.
    func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.flushAt { try flush() }
    }

    func write(_ text: String) throws(OutputError) { try write(text.utf8) }

    func writeLine(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Writes what is buffered, waiting for a reader that is slow.
    func flush() throws(OutputError) {
        var start = 0
        defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.flushAt) }
        while start < buffer.count {
            do {
                switch try box.descriptor.write(buffer, from: start) {
                case .bytes(let count): start += count
                case .wouldBlock: waitUntilWritable()
                case .closed: throw OutputError.closed
                }
            } catch let error as SystemError {
                throw .failed(error.code)
            } catch {
                throw .closed
            }
        }
    }

    /// Writes as much of `bytes` as goes at once, past the buffer, which must be empty.
    func writeSome(_ bytes: [UInt8]) throws(OutputError) -> Transfer {
        let transfer: Transfer
        do {
            transfer = try box.descriptor.write(bytes)
        } catch {
            throw .failed(error.code)
        }
        if transfer == .closed { throw .closed }
        return transfer
    }

    private func waitUntilWritable() {
        var entry = pollfd(fd: box.number, events: Int16(POLLOUT), revents: 0)
        // The pointer is to a local variable that outlives the call.
        _ = unsafe poll(&entry, 1, -1)
    }
}

extension Output {
    private func writeNow(_ text: String) throws(OutputError) {
        try write(text)
        try flush()
    }

    /// A line at once. Nothing can be done if it fails: for standard error.
    func say(_ text: String) { try? writeNow(text + "\n") }

    /// The same without a line's end, for what is written over again.
    func tell(_ text: String) { try? writeNow(text) }
}
