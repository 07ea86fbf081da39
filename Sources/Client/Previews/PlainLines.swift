package import TerminalCells

/// The lines that a command prints, without what a terminal would obey: sequences that begin with an escape, and other
/// control bytes, are dropped. A carriage return begins its line anew.
///
/// At most `mostLines` lines of `longestLine` bytes each are kept; what is beyond is dropped, and makes `isCut` true.
package struct PlainLines {
    package static let mostLines = 2000
    package static let longestLine = 4096
    private static let tabWidth = 4

    /// Where in a sequence the next byte is.
    private enum Place { case text, escape, control, string, stringEscape }

    private var place = Place.text
    private var done: [StyledText] = []
    private var line: [UInt8] = []
    /// Whether a carriage return came last, after which a line feed ends the line, and anything else begins it anew.
    private var isReturned = false
    package private(set) var isCut = false

    package init() {}

    /// The lines so far; the last one may be longer later.
    package var lines: [StyledText] {
        line.isEmpty ? done : done + [Self.shown(line)]
    }

    /// Takes what was printed next. A sequence or a character may be divided between two calls.
    /// - Complexity: O(bytes).
    package mutating func take(_ bytes: [UInt8]) {
        for byte in bytes {
            if done.count == Self.mostLines {
                isCut = true
                return
            }
            take(byte)
        }
    }

    private mutating func take(_ byte: UInt8) {
        let escape: UInt8 = 0x1B
        switch place {
        case .text where byte == escape: place = .escape
        case .text: takeText(byte)
        case .escape:
            switch byte {
            case UInt8(ascii: "["): place = .control
            // Titles, device strings and the like, which end with a bell or `ESC \`.
            case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
                UInt8(ascii: "_"):
                place = .string
            case 0x20...0x2F: break
            case escape: break
            default: place = .text
            }
        case .control:
            if byte == escape { place = .escape } else if byte >= 0x40 { place = .text }
        case .string:
            if byte == 0x07 { place = .text } else if byte == escape { place = .stringEscape }
        case .stringEscape: place = byte == UInt8(ascii: "\\") ? .text : .string
        }
    }

    private mutating func takeText(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"):
            done.append(Self.shown(line))
            line = []
            isReturned = false
        case UInt8(ascii: "\r"): isReturned = true
        case UInt8(ascii: "\t"):
            begin()
            let blanks = Self.tabWidth - line.count % Self.tabWidth
            for _ in 0..<blanks { append(UInt8(ascii: " ")) }
        case 0..<0x20, 0x7F: break
        default:
            begin()
            append(byte)
        }
    }

    private mutating func begin() {
        if isReturned { line = [] }
        isReturned = false
    }

    private mutating func append(_ byte: UInt8) {
        if line.count < Self.longestLine { line.append(byte) } else { isCut = true }
    }

    private static func shown(_ line: [UInt8]) -> StyledText {
        StyledText(escaping: String(decoding: line, as: UTF8.self))
    }
}
