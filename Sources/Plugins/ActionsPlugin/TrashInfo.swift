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

    /// The text for a path, and the time in seconds since 1970, which is written in UTC.
    static func text(path: [UInt8], time: Int64) -> [UInt8] {
        var text = Array("[Trash Info]\nPath=".utf8)
        for byte in path {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.append(byte)
            default:
                text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
            }
        }
        return text + "\nDeletionDate=\(date(time))\n".utf8
    }

    /// Of the Gregorian calendar: a year of it begins with March here, so that the day of a leap year is its last.
    static func date(_ time: Int64) -> String {
        func two(_ number: Int64) -> String { (number < 10 ? "0" : "") + "\(number)" }
        let seconds = min(max(time, 0), 250_000_000_000)
        let days = seconds / 86_400 + 719_468
        let ofEra = days % 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let day = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * day + 2) / 153
        let year = days / 146_097 * 400 + yearOfEra + (month < 10 ? 0 : 1)
        let second = seconds % 86_400
        return "\(year)-\(two(month < 10 ? month + 3 : month - 9))-"
            + "\(two(day - (153 * month + 2) / 5 + 1))T\(two(second / 3600)):"
            + "\(two(second / 60 % 60)):\(two(second % 60))"
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
