// What a program prints, in a pipe that a test holds and need not read.

import Glibc
import SystemInterface
import TestSupport

/// A named pipe for a program's output.
///
/// Its two states tell what no look at the clock can: that a program is held up by its reader, and that
/// nobody is left who writes, neither the program nor what it started.
final class OutputPipe {
    let path: String
    private let descriptor: DescriptorBox

    /// Makes the pipe in `folder`. With `holdsOpen` it keeps what is in it when its writers have gone, and
    /// has no end; else it is `isLeft` by then.
    init(in folder: TemporaryFolder, holdsOpen: Bool = true) throws {
        folder.makePipe("pipe")
        path = folder.path("pipe")
        descriptor = DescriptorBox(
            try OwnedDescriptor.open(
                RawPath(path), flags: (holdsOpen ? O_RDWR : O_RDONLY) | O_NONBLOCK))
    }

    /// Whether a writer has to wait.
    var isFull: Bool { state(of: POLLOUT) & POLLOUT == 0 }

    /// Whether there were writers, and there are none any more.
    var isLeft: Bool { state(of: POLLIN) & POLLHUP != 0 }

    private func state(of events: Int32) -> Int32 {
        var watched = pollfd(fd: descriptor.number, events: Int16(events), revents: 0)
        // One structure, a local variable.
        _ = unsafe poll(&watched, 1, 0)
        return Int32(watched.revents)
    }

    /// All that is in it.
    func contents() throws -> String {
        var contents: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case .bytes(let count) = try descriptor.descriptor.read(into: &buffer) {
            contents += buffer[..<count]
        }
        return String(decoding: contents, as: UTF8.self)
    }
}
