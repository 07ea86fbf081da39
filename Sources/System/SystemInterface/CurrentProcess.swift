// This process: its id, user and memory; and the system's clocks.

import CLinux
import Glibc

/// Facts about this process.
package enum CurrentProcess {
    package static var pid: Int32 { getpid() }
    package static var uid: UInt32 { getuid() }
    /// The name under which the daemon's program runs as the guard of a plugin.
    package static let pluginGuard = "pickerd-plugin-guard"

    /// The resident memory, in bytes, from /proc/self/statm.
    package static func residentBytes() throws(SystemError) -> Int {
        let file = try OwnedDescriptor.open(RawPath("/proc/self/statm"), flags: O_RDONLY)
        var buffer = [UInt8](repeating: 0, count: 128)
        guard case .bytes(let count) = try file.read(into: &buffer) else { return 0 }
        // Pages: size, resident, shared, …
        let fields = buffer[..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int(String(decoding: fields[1], as: UTF8.self))
        else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Whether a debugger is attached; also if that can't be told.
    package static var isTraced: Bool {
        guard let file = try? OwnedDescriptor.open(RawPath("/proc/self/status"), flags: O_RDONLY)
        else { return true }
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard case .bytes(let count)? = try? file.read(into: &buffer) else { return true }
        return !buffer[..<count].split(separator: UInt8(ascii: "\n"))
            .contains { $0.elementsEqual("TracerPid:\t0".utf8) }
    }

    /// The kernel's identifier of this boot, which is unique.
    package static func bootIdentifier() throws(SystemError) -> String {
        let path = "/proc/sys/kernel/random/boot_id"
        let file = try OwnedDescriptor.open(RawPath(path), flags: O_RDONLY)
        var buffer = [UInt8](repeating: 0, count: 64)
        guard case .bytes(let count) = try file.read(into: &buffer) else {
            throw SystemError(.invalidArgument, operation: "read", subject: path)
        }
        return String(decoding: buffer[..<count].filter { $0 > 0x20 }, as: UTF8.self)
    }

    /// The file of this program; nil if that can't be told.
    package static var program: RawPath? {
        // The call writes at most as many bytes as the buffer has, and returns how many.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = unsafe readlink("/proc/self/exe", start, buffer.count)
            // A path that fills the buffer may be cut.
            guard count > 0, count < buffer.count else { return nil }
            return unsafe RawPath(bytes: buffer.prefix(count).map { UInt8(bitPattern: $0) })
        }
    }

    /// The path without links of whatever is at `path`; nil if nothing is.
    package static func resolve(_ path: RawPath) -> RawPath? {
        // The result is a C string of our own until it is freed here.
        unsafe path.withCString { path in
            guard let found = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(found) }
            return unsafe RawPath(String(cString: found))
        }
    }

    /// An environment variable; `nil` if unset.
    package static func environment(_ name: String) -> String? {
        // The C string is copied at once; nothing in pickerd changes the environment later.
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// All environment variables that are UTF-8, to be passed to a child.
    package static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        // A NULL-terminated array of C strings. Nothing in pickerd changes the environment.
        guard var next = unsafe clinux_environment() else { return [:] }
        while let entry = unsafe next.pointee {
            if let text = unsafe String(validatingCString: entry),
                let sign = text.firstIndex(of: "=")
            {
                variables[String(text[..<sign])] = String(text[text.index(after: sign)...])
            }
            unsafe next += 1
        }
        return variables
    }
}

/// The system's clocks. Only loops read them; all other code is given the time.
package enum SystemClock {
    /// Monotonic nanoseconds, from an arbitrary start.
    package static func monotonicNanoseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Seconds since 1970; follows changes of the system's clock.
    package static func wallSeconds() -> Double {
        let time = read(CLOCK_REALTIME)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // The pointer is to a local variable. These two clocks always exist.
        let result = unsafe clock_gettime(clock, &time)
        precondition(result == 0, "Linux always has this clock")
        return time
    }
}
