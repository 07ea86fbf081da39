/// The text beside a file in the trash, which says where it was.
enum TrashInfo {
    /// What follows the name of the file.
    static let suffix = ".trashinfo"

    /// The path in a text, absolute or from the top of the file system; nil if there is none.
    static func path(in text: [UInt8]) -> [UInt8]? {
        let lines = text.split(separator: UInt8(ascii: "\n"))
        guard lines.first.map({ trimmed($0).elementsEqual("[Trash Info]".utf8) }) == true else {
            return nil
        }
        let key = Array("Path=".utf8)
        for line in lines.dropFirst() {
            if line.first == UInt8(ascii: "[") { return nil }
            if line.starts(with: key) { return decoded(trimmed(line.dropFirst(key.count))) }
        }
        return nil
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// The bytes that a text with `%` and two digits stands for; nil for anything else, and for a NUL.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                if byte == 0 { return nil }
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit), high << 4 | low != 0
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes.isEmpty ? nil : bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
