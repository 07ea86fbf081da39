// The kernel's queue of file changes.
//
// It owns one inotify descriptor. A watch is identified by its number, which the kernel never reuses for the
// same queue. The kernel limits the queue: on an overflow, an event with `.queueOverflow` and watch -1 reports
// that events were lost, and everything watched must be read again.

import CLinux
import Glibc

/// The events to watch for and those that occurred (`IN_…` of inotify(7)).
package struct InotifyMask: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    package static let modified = InotifyMask(rawValue: UInt32(IN_MODIFY))
    package static let attributes = InotifyMask(rawValue: UInt32(IN_ATTRIB))
    package static let closedAfterWriting = InotifyMask(rawValue: UInt32(IN_CLOSE_WRITE))
    package static let movedFrom = InotifyMask(rawValue: UInt32(IN_MOVED_FROM))
    package static let movedTo = InotifyMask(rawValue: UInt32(IN_MOVED_TO))
    package static let created = InotifyMask(rawValue: UInt32(IN_CREATE))
    package static let deleted = InotifyMask(rawValue: UInt32(IN_DELETE))
    package static let selfDeleted = InotifyMask(rawValue: UInt32(IN_DELETE_SELF))
    package static let selfMoved = InotifyMask(rawValue: UInt32(IN_MOVE_SELF))

    // Only in events.
    package static let unmounted = InotifyMask(rawValue: UInt32(IN_UNMOUNT))
    package static let queueOverflow = InotifyMask(rawValue: UInt32(IN_Q_OVERFLOW))
    /// The watch ended: it or its file was removed.
    package static let ignored = InotifyMask(rawValue: UInt32(IN_IGNORED))
    package static let isDirectory = InotifyMask(rawValue: UInt32(IN_ISDIR))

    // Only when adding.
    package static let onlyDirectory = InotifyMask(rawValue: UInt32(IN_ONLYDIR))
    package static let doNotFollowLinks = InotifyMask(rawValue: UInt32(IN_DONT_FOLLOW))
    /// Omits files that were deleted while open.
    package static let excludeUnlinked = InotifyMask(rawValue: UInt32(IN_EXCL_UNLINK))
    /// Adds to the file's existing mask instead of replacing it.
    package static let addedToOthers = InotifyMask(rawValue: UInt32(IN_MASK_ADD))
}

/// One file change.
package struct InotifyEvent: Hashable, Sendable {
    /// The watch; -1 for an overflow.
    package let watch: Int32
    package let mask: InotifyMask
    /// Equal for the two halves of a move between watched folders; otherwise 0.
    package let cookie: UInt32
    /// The raw name in the watched folder; empty for the folder itself.
    package let name: [UInt8]

    package init(watch: Int32, mask: InotifyMask, cookie: UInt32, name: [UInt8]) {
        self.watch = watch
        self.mask = mask
        self.cookie = cookie
        self.name = name
    }
}

/// Owns an inotify queue.
///
/// The kernel drops events as soon as 16,384 of them wait, by default, and a program that touches files fills that in a
/// few hundredths of a second. `gather` takes them out of there, at a fraction of what handling them costs.
package struct Inotify: ~Copyable {
    /// Big enough for one event with the longest name, as the kernel requires, and for some 100
    /// usual ones.
    package static let bufferBytes = 8 * 1024
    /// The most bytes of one event: no file system has a name, with its NUL, that is longer than a path may be.
    private static let mostEventBytes = headerBytes + 4096

    /// The most reads whose events are gathered: 32 MiB. Beyond this, events wait in the kernel.
    package static let mostGathered = 4096

    private let descriptor: OwnedDescriptor
    private var buffer: [UInt8]
    /// Whole events that were gathered, oldest first, of `bufferBytes` at most each; from `next` on they are not
    /// handled.
    private var gathered: [[UInt8]] = []
    private var next = 0
    /// The bytes of all events that were passed to readers.
    package private(set) var handledBytes = 0

    /// A new queue; reads never block.
    package init() throws(SystemError) {
        let number = try systemCall(
            "make an inotify queue"
        ) { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        descriptor = OwnedDescriptor(adopting: number)
        buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
    }

    /// The descriptor, for watching; readable when events wait.
    package var number: Int32 { descriptor.number }

    /// Watches the file or folder at `path`. For one that is watched already the mask is replaced
    /// and the number is the same.
    /// - Throws: with the code `noSpace` if the user has as many watches as the system allows.
    package func add(_ path: RawPath, _ mask: InotifyMask) throws(SystemError) -> Int32 {
        let number = number
        // The path is a C string for the length of the call.
        let added = outcome {
            unsafe path.withCString { unsafe inotify_add_watch(number, $0, mask.rawValue) }
        }
        switch added {
        case .success(let watch): return watch
        case .failure(let code):
            throw SystemError(
                code, operation: "watch", subject: path.description,
                advice: code == .noSpace ? "raise fs.inotify.max_user_watches" : "")
        }
    }

    /// Removes a watch, which may be gone. Its queued events are still delivered, then one with `.ignored`.
    package func remove(_ watch: Int32) {
        // The only errors are for a missing watch and for a descriptor that is no queue.
        _ = inotify_rm_watch(number, watch)
    }

    /// Calls `body` for each event of one read, or of those gathered about as many, oldest first.
    /// - Returns: `false` when no event waits: none was there, or those of this read left room for another.
    ///
    /// Call it until it returns `false` to drain the queue, or stop earlier and continue later: the rest keeps
    /// the descriptor readable, unless it was gathered.
    package mutating func readEvents(
        _ body: (InotifyEvent) -> Void
    ) throws(SystemError) -> Bool {
        if next < gathered.count {
            let events = gathered[next]
            gathered[next] = []
            next += 1
            if next == gathered.count { forgetHandled() }
            handledBytes += events.count
            try Self.parse(events, events.count, body)
            // Others may have come to the kernel's queue.
            return true
        }
        switch try descriptor.read(into: &buffer) {
        case .wouldBlock, .closed: return false
        case .bytes(let filled):
            handledBytes += filled
            try Self.parse(buffer, filled, body)
            return Self.isFull(filled)
        }
    }

    /// What `handledBytes` will be when all events have been read that wait now.
    /// - Complexity: O(n) for n gathered reads; one system call.
    package var endOfQueue: Int {
        let number = number
        let waiting = outcome { clinux_waiting_bytes(number) }
        let inKernel: Int32 = if case .success(let count) = waiting { count } else { 0 }
        return gathered[next...].reduce(handledBytes + Int(inKernel)) { $0 + $1.count }
    }

    /// Takes the events out of the kernel's queue until it is empty or `mostGathered` is reached, and keeps them for
    /// `readEvents`.
    /// - Returns: whether events were gathered, now or before, that are not read.
    /// - Complexity: O(bytes) of what waits: about 0.1 µs for each event.
    package mutating func gather() throws(SystemError) -> Bool {
        if next > gathered.count / 2 { forgetHandled() }
        while gathered.count - next < Self.mostGathered,
            case .bytes(let filled) = try descriptor.read(into: &buffer)
        {
            if gathered.count > next,
                gathered[gathered.count - 1].count + filled <= Self.bufferBytes
            {
                gathered[gathered.count - 1] += buffer[..<filled]
            } else {
                gathered.append(Array(buffer[..<filled]))
            }
            if !Self.isFull(filled) { break }
        }
        return next < gathered.count
    }

    private mutating func forgetHandled() {
        gathered.removeSubrange(..<next)
        next = 0
    }

    /// Whether others may wait behind a read of so many bytes. The kernel stops at the first event without room: where
    /// there was room for any, the queue was empty.
    private static func isFull(_ filled: Int) -> Bool { filled > bufferBytes - mostEventBytes }

    // struct inotify_event: watch, mask, cookie, length (4 bytes each), name padded with NULs.
    private static let headerBytes = 16

    private static func parse(
        _ buffer: [UInt8], _ filled: Int, _ body: (InotifyEvent) -> Void
    ) throws(SystemError) {
        var start = 0
        while start < filled {
            guard filled - start >= headerBytes else { throw malformed }
            // Four words are within the filled part, as just checked; the loads need no alignment.
            let (watch, mask, cookie, length) = unsafe buffer.withUnsafeBytes { bytes in
                unsafe (
                    bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self),
                    Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                )
            }
            let first = start + headerBytes
            guard length <= filled - first else { throw malformed }
            // The padding consists of NULs; a name ends at the first.
            var end = first
            while end < first + length, buffer[end] != 0 { end += 1 }
            body(
                InotifyEvent(
                    watch: watch, mask: InotifyMask(rawValue: mask), cookie: cookie,
                    name: Array(buffer[first..<end])))
            start = first + length
        }
    }

    private static let malformed = SystemError(
        ErrorNumber(rawValue: EBADMSG), operation: "read file changes",
        advice: "the events have a form that Linux does not document")
}
