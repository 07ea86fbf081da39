// A datagram socket read by a test, such as that of a service manager.

package import SystemInterface

/// Receives datagrams at a path.
package final class DatagramReceiver {
    private let descriptor: OwnedDescriptor

    package init(_ path: RawPath) throws {
        descriptor = try UnixSocket.receiveDatagrams(at: path)
    }

    /// The datagrams received since the last call, in order.
    package func receiveAll() -> [String] {
        var messages: [String] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case .bytes(let count)? = try? descriptor.read(into: &buffer) {
            messages.append(String(decoding: buffer[..<count], as: UTF8.self))
        }
        return messages
    }
}
