import Glibc
import PickerClient
import SystemInterface

/// The reason why writing failed.
enum OutputError: Error {
    /// The reader has exited, for example `| head`: not a failure.
    case closed
    /// Output was lost, for example on a full disk.
    case failed(ErrorNumber)
}

/// A buffered writer to standard output or standard error.
final class Output {
    // Not isolated, unchecked: this program has one thread, so no other can use this buffer.
    @safe nonisolated(unsafe) static let standard = Output(descriptor: 1)
    // Likewise: one thread, which alone uses this buffer.
    @safe nonisolated(unsafe) static let errors = Output(descriptor: 2)

    private static let flushAt = 64 << 10

    // The descriptor stays open as long as the program runs, because it is never released.
    private let box: DescriptorBox
    private var buffer: [UInt8] = []

    private init(descriptor: Int32) {
        box = DescriptorBox(OwnedDescriptor(adopting: descriptor))
    }

    /// Buffers bytes until the next flush, or until the buffer is full.
    func write(_ bytes: some Collection<UInt8>) throws(OutputError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= Self.flushAt { try flush() }
    }

    func write(_ text: String) throws(OutputError) { try write(text.utf8) }

    func writeLine(_ text: String) throws(OutputError) {
        buffer.append(contentsOf: text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Flushes the buffer; blocks on a slow reader.
    func flush() throws(OutputError) {
        var start = 0
        defer { buffer.removeAll(keepingCapacity: buffer.capacity <= 4 * Self.flushAt) }
        while start < buffer.count {
            do {
                switch try box.descriptor.write(buffer, from: start) {
                case .bytes(let count): start += count
                case .wouldBlock: box.descriptor.poll(for: POLLOUT, milliseconds: nil)
                case .closed: throw OutputError.closed
                }
            } catch let error as SystemError {
                throw .failed(error.code)
            } catch {
                throw .closed
            }
        }
    }

    /// Writes as much of `bytes` as possible without blocking, bypassing the buffer, which must be empty.
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

    /// Whether a write does not block, or fails.
    var isWritable: Bool { box.descriptor.poll(for: POLLOUT, milliseconds: 0) != 0 }
}

extension Output {
    /// Writes a text immediately.
    func writeNow(_ text: String) throws(OutputError) {
        try write(text)
        try flush()
    }

    /// Writes a line immediately and ignores errors: for standard error.
    func say(_ text: String) { try? writeNow(text + "\n") }

    /// The same without a newline, for text that is overwritten.
    func tell(_ text: String) { try? writeNow(text) }
}
