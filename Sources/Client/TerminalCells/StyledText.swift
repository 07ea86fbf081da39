/// Text in parts of different styles, each of which is safe to be drawn: what a terminal would obey has been escaped.
package struct StyledText: Hashable, Sendable {
    package struct Run: Hashable, Sendable {
        package var text: String
        package var style: CellStyle
    }

    package private(set) var runs: [Run]

    package init() { runs = [] }

    /// Untrusted text in one style.
    package init(escaping text: String, style: CellStyle = .plain) {
        runs = text.isEmpty ? [] : [Run(text: VisibleText.escaping(text), style: style)]
    }

    /// Untrusted text, of which some parts have another style: those with these bytes of it in UTF-8, in ascending ranges.
    /// A character of which a part is in one is marked as a whole: an escape sequence inside would tear it apart.
    package init(
        escaping text: String, style: CellStyle, marking ranges: [Range<Int>], marked: CellStyle
    ) {
        self.init()
        if text.isPrintableASCII(without: UInt8(ascii: "\\")) {
            append(ascii: text, style, ranges, marked)
            return
        }
        var (place, rest) = (0, ranges[...])
        var (run, isRunMarked) = ("", false)
        for character in text {
            let end = place + character.utf8.count
            while let range = rest.first, range.upperBound <= place { rest.removeFirst() }
            let isMarked = rest.first.map { $0.lowerBound < end && !$0.isEmpty } ?? false
            if isMarked != isRunMarked {
                append(escaping: run, style: isRunMarked ? marked : style)
                (run, isRunMarked) = ("", isMarked)
            }
            run.append(character)
            place = end
        }
        append(escaping: run, style: isRunMarked ? marked : style)
    }

    /// Adds text that is safe as it is, and whose characters are a byte each.
    private mutating func append(
        ascii text: String, _ style: CellStyle, _ ranges: [Range<Int>], _ marked: CellStyle
    ) {
        let bytes = text.utf8
        func part(_ range: Range<Int>) -> String {
            let start = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
            return String(text[start..<bytes.index(start, offsetBy: range.count)])
        }
        var place = 0
        var marks = 0..<0
        for range in ranges {
            let start = max(range.lowerBound, marks.upperBound)
            let next = start..<max(start, min(range.upperBound, bytes.count))
            if next.isEmpty { continue }
            if next.lowerBound > marks.upperBound {
                add(part(place..<marks.lowerBound), style)
                add(part(marks), marked)
                (place, marks) = (marks.upperBound, next)
            } else {
                marks = (marks.isEmpty ? next.lowerBound : marks.lowerBound)..<next.upperBound
            }
        }
        add(part(place..<marks.lowerBound), style)
        add(part(marks), marked)
        place = marks.upperBound
        add(place == 0 ? text : part(place..<bytes.count), style)
    }

    /// Adds untrusted text.
    package mutating func append(escaping text: String, style: CellStyle = .plain) {
        if !text.isEmpty { runs.append(Run(text: VisibleText.escaping(text), style: style)) }
    }

    /// Adds untrusted text whose backslashes stay as they are: what a file contains, where nobody takes `\n` for a line
    /// that ends.
    package mutating func append(content text: String, style: CellStyle = .plain) {
        if !text.isEmpty { runs.append(Run(text: VisibleText.escaping(json: text), style: style)) }
    }

    package mutating func append(_ other: StyledText) { runs += other.runs }

    /// The lines that it takes if none has more than so many columns: the first ones, `most` of them at most.
    package func wrapped(to columns: Int, most: Int) -> [StyledText] {
        guard columns > 0, most > 0 else { return [] }
        var lines: [StyledText] = []
        var (line, taken) = (StyledText(), 0)
        for run in runs {
            var part = ""
            for character in run.text {
                let width = DisplayWidth.of(character)
                if taken + width > columns, taken > 0 {
                    line.add(part, run.style)
                    lines.append(line)
                    if lines.count == most { return lines }
                    (line, taken, part) = (StyledText(), 0, "")
                }
                part.append(character)
                taken += width
            }
            line.add(part, run.style)
        }
        return lines + [line]
    }

    /// Adds what was escaped before.
    private mutating func add(_ text: String, _ style: CellStyle) {
        if !text.isEmpty { runs.append(Run(text: text, style: style)) }
    }

    package var isEmpty: Bool { runs.isEmpty }

    /// The columns that it takes.
    package var width: Int { runs.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// The text alone.
    package var text: String { runs.map(\.text).joined() }
}
