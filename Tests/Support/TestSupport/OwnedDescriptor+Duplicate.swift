import Glibc
package import SystemInterface

extension OwnedDescriptor {
    /// A second descriptor for the same open file.
    package func duplicate() throws(SystemError) -> OwnedDescriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        if copy < 0 {
            throw SystemError(ErrorNumber(rawValue: errno), operation: "duplicate a descriptor")
        }
        return OwnedDescriptor(adopting: copy)
    }
}
