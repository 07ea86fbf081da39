// The mounts of this process, as /proc/self/mountinfo lists them.
//
// inotify does not report a mount: the folders under it stay watched, and changes on it go unseen. The kernel
// does signal a change of the table; the old and the new table are then compared.

/// The mounts of this process at one moment.
struct MountTable {
    /// One line per mount: its IDs, mount point and options.
    private let lines: Set<[UInt8]>

    /// - Parameter text: the kernel's text; an incomplete last line is ignored.
    init(_ text: [UInt8]) {
        let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
        lines = Set(text[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init))
    }

    /// The mount points that were mounted, unmounted or remounted between the two snapshots.
    func mountPoints(changedSince former: MountTable) -> Set<[UInt8]> {
        Set(lines.symmetricDifference(former.lines).compactMap(Self.mountPoint))
    }

    /// Whether `path` lies in a folder for temporary files that the service manager has given to this service alone
    /// (`PrivateTmp=`), so that the files of others there are not seen.
    /// - Complexity: O(mounts).
    func isInPrivateTemporaryFolder(_ path: [UInt8]) -> Bool {
        guard let place = Self.temporaryFolder(of: path) else { return false }
        let own = Array("/systemd-private-".utf8)
        return lines.contains { line in
            guard Self.mountPoint(line) == place, let root = Self.field(3, of: line) else {
                return false
            }
            return root.indices.contains { root[$0...].starts(with: own) }
        }
    }

    /// The folder for temporary files that `path` lies in, if it lies in one.
    static func temporaryFolder(of path: [UInt8]) -> [UInt8]? {
        ["/tmp", "/var/tmp"].map { Array($0.utf8) }.first { WatchedRoot.lies(path, in: $0) }
    }

    private static func mountPoint(_ line: [UInt8]) -> [UInt8]? { field(4, of: line) }

    /// The fourth field is the mounted folder of the file system, the fifth one the mount point; blanks and backslashes
    /// are escaped as three octal digits.
    private static func field(_ index: Int, of line: [UInt8]) -> [UInt8]? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 5 else { return nil }
        var value: [UInt8] = []
        var rest = fields[index]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3).compactMap(octal)
            if byte == UInt8(ascii: "\\"), digits.count == 3 {
                value.append(digits.reduce(0) { $0 &* 8 &+ $1 })
                rest.removeFirst(3)
            } else {
                value.append(byte)
            }
        }
        return value
    }

    private static func octal(_ digit: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) ? digit - UInt8(ascii: "0") : nil
    }
}
