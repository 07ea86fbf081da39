// What /proc tells about the daemon's process: watches, descriptors and their limit.
//
// The process id comes from the daemon. It may be of another namespace, or a lie: what has another owner than this
// program, or another name than pickerd, is not looked at.

import Glibc
import SystemInterface

/// The tables of a process, as far as they can be read.
package struct ProcessTables: Hashable, Sendable {
    /// The watches of all its inotify queues.
    package let watches: Int?
    package let openDescriptors: Int?
    /// The most descriptors that it may have open; nil also if there is no limit.
    package let descriptorLimit: Int?

    package init(watches: Int?, openDescriptors: Int?, descriptorLimit: Int?) {
        self.watches = watches
        self.openDescriptors = openDescriptors
        self.descriptorLimit = descriptorLimit
    }

    /// Reads those of a pickerd of this user; nil if there is none with this id.
    package static func ofDaemon(_ pid: Int) -> ProcessTables? {
        guard pid > 0, pid <= Int(Int32.max) else { return nil }
        let folder = "/proc/\(pid)"
        let owner = try? FileStatus.of(RawPath(folder)).owner
        guard owner == CurrentProcess.uid, ProcFile.text("\(folder)/comm") == "pickerd\n" else {
            return nil
        }
        var watches: Int? = 0
        let names = ProcFile.names("\(folder)/fdinfo")
        for name in names ?? [] {
            guard let count = ProcFile.watches("\(folder)/fdinfo/\(name)") else { continue }
            watches = watches.map { $0 + count }
        }
        return ProcessTables(
            watches: names == nil ? nil : watches, openDescriptors: names?.count,
            descriptorLimit: ProcFile.text("\(folder)/limits").flatMap(descriptorLimit))
    }

    /// The soft limit of open files in the text of `/proc/PID/limits`.
    package static func descriptorLimit(_ limits: String) -> Int? {
        let name = "Max open files"
        for line in limits.split(separator: "\n") where line.hasPrefix(name) {
            let fields = line.dropFirst(name.count).split(separator: " ")
            return fields.first.flatMap { Int($0) }
        }
        return nil
    }
}

/// Counts the watches in the text of `/proc/PID/fdinfo/N`, which may come in any pieces.
package struct WatchLineCount: Hashable, Sendable {
    private static let start = Array("inotify wd:".utf8)

    package private(set) var count = 0
    /// The bytes of the line that have matched so far; nil if the line is another.
    private var matched: Int? = 0

    package init() {}

    package mutating func read(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                matched = 0
            } else if let place = matched {
                guard byte == Self.start[place] else {
                    matched = nil
                    continue
                }
                matched = place + 1
                if place + 1 == Self.start.count {
                    count += 1
                    matched = nil
                }
            }
        }
    }
}

/// Files of /proc.
enum ProcFile {
    private static let mostText = 64 << 10

    /// The text of a small file; nil if it can't be read.
    static func text(_ path: String) -> String? {
        var text: [UInt8] = []
        guard read(path, { text.append(contentsOf: $0) }, atMost: mostText) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// The number of watches that an open file of a process has.
    static func watches(_ path: String) -> Int? {
        var lines = WatchLineCount()
        guard read(path, { lines.read($0) }, atMost: .max) else { return nil }
        return lines.count
    }

    private static func read(
        _ path: String, _ take: (ArraySlice<UInt8>) -> Void, atMost limit: Int
    ) -> Bool {
        guard let file = try? OwnedDescriptor.open(RawPath(path), flags: O_RDONLY) else {
            return false
        }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var count = 0
        while count < limit {
            guard let transfer = try? file.read(into: &buffer) else { return false }
            guard case .bytes(let read) = transfer else { break }
            take(buffer[..<read])
            count += read
        }
        return true
    }

    /// The names in a folder; nil if it can't be read.
    static func names(_ path: String) -> [String]? {
        guard var reader = try? DirectoryReader(opening: RawPath(path)) else { return nil }
        var names: [String] = []
        while true {
            let more = try? reader.readBatch { entry in
                names.append(String(decoding: entry.name, as: UTF8.self))
            }
            guard let more else { return nil }
            if !more { return names }
        }
    }
}
