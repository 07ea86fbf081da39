import Glibc
import PickerClient
import SystemInterface

/// Nobody reads what we write any more.
struct OutputClosed: Error {}

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
    func write(_ bytes: some Collection<UInt8>) throws(OutputClosed) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.flushAt { try flush() }
    }

    func write(_ text: String) throws(OutputClosed) { try write(text.utf8) }

    func writeLine(_ text: String) throws(OutputClosed) {
        buffer.append(contentsOf: text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Writes what is buffered, waiting for a reader that is slow.
    func flush() throws(OutputClosed) {
        var start = 0
        defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.flushAt) }
        while start < buffer.count {
            do {
                switch try box.descriptor.write(buffer, from: start) {
                case .bytes(let count): start += count
                case .wouldBlock: waitUntilWritable()
                case .closed: throw OutputClosed()
                }
            } catch let error as SystemError {
                // A full disk, a terminal that is gone: nothing more can be shown.
                if box.number == 1 { Output.errors.complain("cannot write: \(error.code)") }
                throw OutputClosed()
            } catch {
                throw OutputClosed()
            }
        }
    }

    /// Writes as much of `bytes` as goes at once, past the buffer, which must be empty.
    func writeSome(_ bytes: [UInt8]) throws -> Transfer {
        do {
            let transfer = try box.descriptor.write(bytes)
            if transfer == .closed { throw OutputClosed() }
            return transfer
        } catch let error as SystemError {
            throw CommandError("cannot write: \(error.code)")
        }
    }

    private func waitUntilWritable() {
        var entry = pollfd(fd: box.number, events: Int16(POLLOUT), revents: 0)
        // The pointer is to a local variable that outlives the call.
        _ = unsafe poll(&entry, 1, -1)
    }
}

extension Output {
    private func complain(_ message: String) { try? writeNow("pickerctl: \(message)\n") }

    private func writeNow(_ text: String) throws(OutputClosed) {
        try write(text)
        try flush()
    }

    /// A line at once. Nothing can be done if it fails: for standard error.
    func say(_ text: String) { try? writeNow(text + "\n") }

    /// The same without a line's end, for what is written over again.
    func tell(_ text: String) { try? writeNow(text) }
}
