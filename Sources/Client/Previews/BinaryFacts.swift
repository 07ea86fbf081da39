internal import PickerClient
internal import SystemInterface
internal import TerminalCells

/// What is shown of a file that is no text: facts, and its first bytes.
struct BinaryFacts {
    static let hexLines = 16

    private let bytes: [UInt8]
    private let status: FileStatus
    private let type: String?
    private let columns: Int
    private let notes: [String]
    private let zone: CalendarZone

    /// - Parameters:
    ///   - bytes: The first ones of the file.
    ///   - status: That of the file.
    ///   - type: Its MIME type, if known.
    ///   - columns: Those of the screen: fewer bytes are in a line of a narrow one.
    ///   - notes: What else is to be said.
    ///   - zone: That of its time.
    init(
        _ bytes: [UInt8], _ status: FileStatus, type: String?, columns: Int,
        notes: [String] = [], zone: CalendarZone = .local
    ) {
        self.notes = notes
        self.bytes = bytes
        self.status = status
        self.type = type
        self.columns = columns
        self.zone = zone
    }

    var lines: [StyledText] {
        var facts = ["Not a text"]
        if let type { facts.append("Type:     \(type)") }
        facts.append("Size:     \(Self.grouped(status.size)) bytes")
        facts.append("Modified: \(Self.date(status.modified, zone))")
        facts += notes
        return facts.map { StyledText(escaping: $0, style: PreviewStyle.note) }
            + [StyledText()]
            + hex.map { line in
                var shown = StyledText()
                shown.append(content: line)
                return shown
            }
    }

    /// For example `1,234,567`.
    static func grouped(_ number: UInt64) -> String {
        var text = ""
        let digits = Array("\(number)")
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    private static func date(_ time: FileTime, _ zone: CalendarZone) -> String {
        let date = CalendarDate(Double(time.seconds), in: zone)
        let parts = [date.month, date.day, date.hour, date.minute, date.second].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        return "\(date.year)-\(parts[0])-\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4])"
    }

    /// Offset, bytes, and those that are printable ASCII.
    private var hex: [String] {
        let count = columns >= 71 ? 16 : 8
        return stride(from: 0, to: min(bytes.count, count * Self.hexLines), by: count).map {
            start in
            let line = bytes[start..<min(start + count, bytes.count)]
            let numbers = line.map { Self.hex(Int($0), digits: 2) }.joined(separator: " ")
            let gap = String(repeating: " ", count: count * 3 - 1 - numbers.utf8.count)
            let text = line.map {
                $0 >= 0x20 && $0 < 0x7F ? Character(Unicode.Scalar($0)) : "."
            }
            return "\(Self.hex(start, digits: 4))  \(numbers)\(gap)  \(String(text))"
        }
    }

    private static func hex(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
