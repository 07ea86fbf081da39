// What is mounted where, as /proc/self/mountinfo has it.
//
// inotify tells nothing of a mount: what lies under it stays watched, and nobody hears of what is on it. The
// kernel says, though, that the table has changed, and then the old one and the new one are compared.

/// The mounts of this process at one moment.
struct MountTable {
    /// A line for each: its numbers, its place and its options.
    private let lines: Set<[UInt8]>

    /// - Parameter text: as the kernel gives it; a last line that is cut off is passed over.
    init(_ text: [UInt8]) {
        let end = text.lastIndex(of: UInt8(ascii: "\n")) ?? text.startIndex
        lines = Set(text[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init))
    }

    /// The places where something was mounted, unmounted or mounted anew between the two.
    func places(changedSince former: MountTable) -> Set<[UInt8]> {
        Set(lines.symmetricDifference(former.lines).compactMap(Self.place))
    }

    /// The fifth field is the place, with blanks and backslashes as three octal digits.
    private static func place(_ line: [UInt8]) -> [UInt8]? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count > 5 else { return nil }
        var place: [UInt8] = []
        var rest = fields[4]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3).compactMap(octal)
            if byte == UInt8(ascii: "\\"), digits.count == 3 {
                place.append(digits.reduce(0) { $0 &* 8 &+ $1 })
                rest.removeFirst(3)
            } else {
                place.append(byte)
            }
        }
        return place
    }

    private static func octal(_ digit: UInt8) -> UInt8? {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) ? digit - UInt8(ascii: "0") : nil
    }
}
