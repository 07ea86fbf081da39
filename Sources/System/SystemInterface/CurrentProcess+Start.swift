// Checks and repairs at the start of a program.

import CLinux
import Glibc

extension CurrentProcess {
    /// Opens the closed ones of the descriptors 0, 1 and 2 on `/dev/null`.
    ///
    /// Without one of them, the next opened file would take its number, and output would go into that file. To
    /// be called before anything else.
    ///
    /// - Parameter failing: Whether their use then fails, as that of closed descriptors would.
    package static func openStandardDescriptors(failing: Bool = false) {
        for number in Int32(0)...2 where (try? FileStatus.of(descriptorNumber: number)) == nil {
            let unusable = number == 0 ? O_WRONLY : O_RDONLY
            do {
                // The lowest free number is the one that was missing.
                _ = try OwnedDescriptor.open(
                    RawPath("/dev/null"), flags: failing ? unusable : O_RDWR
                ).release()
            } catch { return }
        }
    }

    /// From now on, what is printed goes to the standard error, also by C code, and is lost where nobody reads that.
    package static func divertOutput() {
        // It fails only if the standard error is closed, and then there is nobody to tell.
        _ = clinux_divert_output()
    }

    /// The arguments after the program's name, as raw bytes.
    package static var rawArguments: [[UInt8]] {
        var arguments: [[UInt8]] = []
        // The array is NULL-terminated, and nothing in this program writes to it or its C strings.
        var next = unsafe CommandLine.unsafeArgv
        while let argument = unsafe next.pointee {
            unsafe next += 1
            arguments.append(
                unsafe (0..<strlen(argument)).map { unsafe UInt8(bitPattern: argument[$0]) })
        }
        return Array(arguments.dropFirst())
    }

    /// The working folder; nil if it is unknown.
    package static var currentFolder: RawPath? {
        // Without a buffer, getcwd allocates one, which is freed once copied.
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return RawPath(bytes: unsafe (0..<strlen(path)).map { unsafe UInt8(bitPattern: path[$0]) })
    }
}

extension RawPath {
    /// The path with all links, `.` and `..` resolved.
    /// - Throws: if there is nothing at this path, or it is not accessible.
    package func resolved() throws(SystemError) -> RawPath {
        var real: [UInt8]?
        _ = try systemCall("find", description) {
            // The path is a C string for the length of the call; the answer is copied, then freed.
            unsafe withCString { path -> Int32 in
                guard let found = unsafe realpath(path, nil) else { return -1 }
                real = unsafe (0..<strlen(found)).map { unsafe UInt8(bitPattern: found[$0]) }
                unsafe free(found)
                return 0
            }
        }
        return RawPath(trusted: real ?? bytes)
    }
}
