import Glibc
import PickerClient
import SystemInterface

/// The way back to the program that has this picker as its dialog: a socket of that program.
///
/// Records go there, each with a NUL behind it, once it is known how the picker ends: its exit status, then the paths
/// that were picked, or what is wrong; and an empty one as the last. If that program closes the socket, nobody waits
/// for an answer any more.
final class PortalAnswer {
    /// Over which something comes only when it ends.
    let connection: DescriptorBox
    /// Why there is nothing to tell but a failure.
    var fault = ""
    private var paths: [[UInt8]] = []

    /// Connects.
    init(to path: String) throws(SystemError) {
        connection = DescriptorBox(try UnixSocket.connect(to: RawPath(path)))
    }

    /// Notes what was picked.
    func add(_ path: [UInt8]) { paths.append(path) }

    /// Tells the end, once; if nobody reads that, there is nobody to tell.
    func send(_ status: Int32) {
        var text = Array("\(status)\0".utf8)
        for record in status == 0 ? paths : [Array(fault.utf8)] where !record.isEmpty {
            // Neither a path nor a message has one, and if one had, the rest would be another record.
            text += record.filter { $0 != 0 } + [0]
        }
        text.append(0)
        var sent = 0
        while sent < text.count, let transfer = try? connection.descriptor.send(text, from: sent) {
            switch transfer {
            case .bytes(let count): sent += count
            case .wouldBlock: connection.descriptor.poll(for: POLLOUT, milliseconds: nil)
            case .closed: return
            }
        }
    }
}
