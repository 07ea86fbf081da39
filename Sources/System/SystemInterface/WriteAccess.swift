import Glibc

/// What this user may do with files, as the kernel answers before it is tried. It may be otherwise when it is tried.
package enum WriteAccess {
    /// Why names can't be added to the folder at `path`; nil if they can.
    package static func problemAdding(to path: RawPath) -> ErrorNumber? {
        problem(path, W_OK | X_OK)
    }

    /// Why the file at `path` can't be written; nil if it can. A symbolic link is followed.
    package static func problemWriting(_ path: RawPath) -> ErrorNumber? {
        problem(path, W_OK)
    }

    private static func problem(_ path: RawPath, _ mode: Int32) -> ErrorNumber? {
        // The path is a C string for the length of the call.
        switch outcome(of: { unsafe path.withCString { unsafe access($0, mode) } }) {
        case .success: nil
        case .failure(let code): code
        }
    }
}
