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

    /// The fifth field is the mount point; blanks and backslashes are escaped as three octal digits.
    private static func mountPoint(_ line: [UInt8]) -> [UInt8]? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 5 else { return nil }
        var mountPoint: [UInt8] = []
        var rest = fields[4]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3).compactMap(octal)
            if byte == UInt8(ascii: "\\"), digits.count == 3 {
                mountPoint.append(digits.reduce(0) { $0 &* 8 &+ $1 })
                rest.removeFirst(3)
            } else {
                mountPoint.append(byte)
            }
        }
        return mountPoint
    }

    private static func octal(_ digit: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) ? digit - UInt8(ascii: "0") : nil
    }
}
