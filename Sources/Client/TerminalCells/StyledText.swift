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

    /// Untrusted text, of which some parts have another style.
    /// Ranges are of its bytes in UTF-8, ascending; those that do not begin and end at characters, or are not
    /// in it, are left out.
    package init(
        escaping text: String, style: CellStyle, marking ranges: [Range<Int>], marked: CellStyle
    ) {
        self.init()
        let bytes = text.utf8
        var done = text.startIndex
        var end = 0
        for range in ranges where range.lowerBound >= end && range.upperBound <= bytes.count {
            let first = bytes.index(bytes.startIndex, offsetBy: range.lowerBound)
            let last = bytes.index(bytes.startIndex, offsetBy: range.upperBound)
            guard first.samePosition(in: text) != nil, last.samePosition(in: text) != nil,
                first < last
            else { continue }
            append(escaping: String(text[done..<first]), style: style)
            append(escaping: String(text[first..<last]), style: marked)
            done = last
            end = range.upperBound
        }
        append(escaping: String(text[done...]), style: style)
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

    package var isEmpty: Bool { runs.isEmpty }

    /// The columns that it takes.
    package var width: Int { runs.reduce(0) { $0 + DisplayWidth.of($1.text) } }

    /// The text alone.
    package var text: String { runs.map(\.text).joined() }
}
