internal import Picking
internal import TerminalCells

/// The lines of a text, made to be shown: tabs are blanks, what a terminal would obey is spelled out, and the words of
/// the query are marked.
///
/// At most `mostLines` lines of `longestLine` bytes each are kept; a longer line ends with an ellipsis. After
/// `mostMarks` marks no more are made.
struct TextLines {
    static let mostLines = 2000
    static let longestLine = 4096
    static let mostMarks = 4096
    private static let tabWidth = 4

    private(set) var lines: [StyledText] = []
    /// The first line with a word of the query.
    private(set) var firstMatch: Int?
    /// Whether there are more lines.
    private(set) var isCut: Bool
    private let words: SoughtWords
    private var marks = 0

    /// - Parameters:
    ///   - text: In UTF-8; what is not is shown as U+FFFD.
    ///   - isCut: Whether the text goes on.
    ///   - words: Those that are marked.
    /// - Complexity: O(length × words).
    init(_ text: [UInt8], isCut: Bool, marking words: SoughtWords) {
        self.isCut = isCut
        self.words = words
        var rest = text[...]
        while !rest.isEmpty {
            if lines.count == Self.mostLines {
                self.isCut = true
                return
            }
            let end = rest.firstIndex(of: UInt8(ascii: "\n"))
            var line = rest[..<(end ?? rest.endIndex)]
            rest = end.map { rest[($0 + 1)...] } ?? []
            if line.last == UInt8(ascii: "\r") { line.removeLast() }
            add(line)
        }
    }

    private mutating func add(_ line: ArraySlice<UInt8>) {
        let isLong = line.count > Self.longestLine
        let kept = isLong ? TextEncoding.withoutPart(line.prefix(Self.longestLine)) : line
        let text = Self.withoutTabs(String(decoding: kept, as: UTF8.self))
        let places = marks < Self.mostMarks ? words.places(in: text) : []
        if !places.isEmpty, firstMatch == nil { firstMatch = lines.count }
        marks += places.count
        var shown =
            places.isEmpty
            ? StyledText(escaping: text)
            : StyledText(
                escaping: text, style: .plain, marking: places, marked: PreviewStyle.match)
        if isLong { shown.append(escaping: "…", style: PreviewStyle.note) }
        lines.append(shown)
    }

    /// The line with blanks up to the next column that a tab leads to.
    private static func withoutTabs(_ line: String) -> String {
        guard line.utf8.contains(UInt8(ascii: "\t")) else { return line }
        var text = ""
        var column = 0
        for (index, part) in line.split(separator: "\t", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 {
                let blanks = tabWidth - column % tabWidth
                text += String(repeating: " ", count: blanks)
                column += blanks
            }
            text += part
            column += DisplayWidth.of(VisibleText.escaping(String(part)))
        }
        return text
    }
}
