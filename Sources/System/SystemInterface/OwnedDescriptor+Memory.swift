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
        var written = 0
        while written < bytes.count {
            guard case .bytes(let count) = try file.write(bytes, from: written) else { break }
            written += count
        }
        _ = try systemCall("rewind a file in memory") { lseek(number, 0, SEEK_SET) }
        return file
    }
}
