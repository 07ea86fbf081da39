// A file in memory, as input of a child.

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
}
