// Files in memory, as input and output of a child.

import CLinux
import Glibc

extension OwnedDescriptor {
    /// A file without a path, with the content `bytes`, positioned at its start. It is removed with its last
    /// descriptor.
    package static func inMemory(
        _ bytes: [UInt8], name: StaticString
    ) throws(SystemError) -> OwnedDescriptor {
        let number = try systemCall("make a file in memory") {
            // A static string is NUL-terminated and immortal.
            let bytes = unsafe name.utf8Start
            return unsafe bytes.withMemoryRebound(
                to: CChar.self, capacity: name.utf8CodeUnitCount + 1
            ) { unsafe clinux_memfd($0) }
        }
        let file = OwnedDescriptor(adopting: number)
        try file.writeAll(bytes)
        _ = try systemCall("rewind a file in memory") { lseek(number, 0, SEEK_SET) }
        return file
    }

    /// A file without a path, of `size` zeros, for the output of programs: they can't make it longer, and a write beyond
    /// its end fails without a signal. It goes with its last descriptor.
    package static func boundedMemory(
        _ size: Int, name: StaticString
    ) throws(SystemError) -> OwnedDescriptor {
        OwnedDescriptor(
            adopting: try systemCall("make a file in memory") {
                // A static string is NUL-terminated and immortal.
                let bytes = unsafe name.utf8Start
                return unsafe bytes.withMemoryRebound(
                    to: CChar.self, capacity: name.utf8CodeUnitCount + 1
                ) { unsafe clinux_memfd_bounded($0, Int64(size)) }
            })
    }
}
