// The kernel's queue of file changes.
//
// Owns one inotify descriptor. A watch is known by its number, which the kernel never uses twice
// in one queue's life. The queue is bounded by the kernel: when it overflows an event with
// `.queueOverflow` and watch -1 says that others were lost, and what was watched must be read anew.

import CLinux
import Glibc

/// What to watch for and what was seen (`IN_…` of inotify(7)).
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
    /// The watch is gone: removed, or its file is.
    package static let ignored = InotifyMask(rawValue: UInt32(IN_IGNORED))
    package static let isDirectory = InotifyMask(rawValue: UInt32(IN_ISDIR))

    // Only when adding.
    package static let onlyDirectory = InotifyMask(rawValue: UInt32(IN_ONLYDIR))
    package static let doNotFollowLinks = InotifyMask(rawValue: UInt32(IN_DONT_FOLLOW))
    /// Leaves out files that were deleted while open.
    package static let excludeUnlinked = InotifyMask(rawValue: UInt32(IN_EXCL_UNLINK))
    /// The file stays watched for what it was watched for before.
    package static let addedToOthers = InotifyMask(rawValue: UInt32(IN_MASK_ADD))
}

/// One change that the kernel saw.
package struct InotifyEvent: Hashable, Sendable {
    /// Which watch; -1 for an overflow.
    package let watch: Int32
    package let mask: InotifyMask
    /// The same for the two halves of a move within what is watched; else 0.
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
package struct Inotify: ~Copyable {
    /// Big enough for one event with the longest name, as the kernel requires, and for some 100
    /// usual ones.
    package static let bufferBytes = 8 * 1024

    private let descriptor: OwnedDescriptor
    private var buffer: [UInt8]

    /// A new queue; reading it never blocks.
    package init() throws(SystemError) {
        let number = try systemCall(
            "make an inotify queue"
        ) { inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC)) }
        descriptor = OwnedDescriptor(adopting: number)
        buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
    }

    /// For watching; readable when events wait.
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

    /// Ends a watch. Its events that are queued still come, then one with `.ignored`. A watch that
    /// is gone already is fine.
    package func remove(_ watch: Int32) {
        // The only errors are of a watch that is gone, and of a queue that is no queue.
        _ = inotify_rm_watch(number, watch)
    }

    /// Calls `body` for each event that one read gives; `false` when none waits.
    ///
    /// Call again until `false` to drain the queue, or stop after some and come back: the rest
    /// keeps the descriptor readable.
    package mutating func readEvents(
        _ body: (InotifyEvent) -> Void
    ) throws(SystemError) -> Bool {
        switch try descriptor.read(into: &buffer) {
        case .wouldBlock, .closed: return false
        case .bytes(let filled):
            try parse(filled, body)
            return true
        }
    }

    // struct inotify_event: watch, mask, cookie, length (4 bytes each), name padded with NULs.
    private static let headerBytes = 16

    private func parse(_ filled: Int, _ body: (InotifyEvent) -> Void) throws(SystemError) {
        var start = 0
        while start < filled {
            guard filled - start >= Self.headerBytes else { throw Self.malformed }
            // Four words lie within what was filled, as was just checked; they need no alignment.
            let (watch, mask, cookie, length) = unsafe buffer.withUnsafeBytes { bytes in
                unsafe (
                    bytes.loadUnaligned(fromByteOffset: start, as: Int32.self),
                    bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
                    bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self),
                    Int(bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                )
            }
            let first = start + Self.headerBytes
            guard length <= filled - first else { throw Self.malformed }
            // The padding is of NULs; a name ends at the first.
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
