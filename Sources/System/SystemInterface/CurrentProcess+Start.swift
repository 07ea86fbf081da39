// What a program looks at and puts right before anything else.

import Glibc

extension CurrentProcess {
    /// Opens those of the descriptors 0, 1 and 2 that are closed, on `/dev/null`.
    ///
    /// In a program that was started without one of them, the next file to be opened would take its place,
    /// and what is printed would go into that file. To be called first of all.
    package static func openStandardDescriptors() {
        for number in Int32(0)...2 where (try? FileStatus.of(descriptorNumber: number)) == nil {
            do {
                // The lowest free number is the one that was missing.
                _ = try OwnedDescriptor.open(RawPath("/dev/null"), flags: O_RDWR).release()
            } catch { return }
        }
    }

    /// The arguments behind the program's name, as the bytes that they are.
    package static var rawArguments: [[UInt8]] {
        var arguments: [[UInt8]] = []
        // The array ends with NULL, and nothing in this program writes to it or to its C strings.
        var next = unsafe CommandLine.unsafeArgv
        while let argument = unsafe next.pointee {
            unsafe next += 1
            arguments.append(
                unsafe (0..<strlen(argument)).map { unsafe UInt8(bitPattern: argument[$0]) })
        }
        return Array(arguments.dropFirst())
    }

    /// The folder that relative paths count from; nil if it can't be told.
    package static var currentFolder: RawPath? {
        // With no buffer given, getcwd allocates one, which is freed when it has been copied.
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return RawPath(bytes: unsafe (0..<strlen(path)).map { unsafe UInt8(bitPattern: path[$0]) })
    }
}

extension RawPath {
    /// Where the path leads, with all links, `.` and `..` resolved.
    /// - Throws: if there is nothing at this path, or it can't be reached.
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
