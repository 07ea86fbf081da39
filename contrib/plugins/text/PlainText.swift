/// A text of bytes in UTF-8. What is not UTF-8 in it counts as letters of no language.
struct PlainText {
    private let bytes: [UInt8]
    private let isMarkdown: Bool

    /// What is looked at for zeros.
    private static let head = 4096
    /// What the language is read from.
    private static let sample = 32 << 10
    /// The longest first line, in bytes.
    private static let longestLine = 256

    /// Nil for what is no text: it has a NUL in its first bytes, as programs, pictures and UTF-16 do.
    init?(_ bytes: [UInt8], isMarkdown: Bool) {
        if bytes.prefix(Self.head).contains(0) { return nil }
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.isMarkdown = isMarkdown
    }

    /// The number of words: what blanks and line breaks separate, as for wc(1).
    var wordCount: Int {
        var count = 0
        var isInWord = false
        for byte in bytes {
            let isBlank = byte == 0x20 || 0x09...0x0D ~= byte
            if !isBlank, !isInWord { count &+= 1 }
            isInWord = !isBlank
        }
        return count
    }

    /// The first line that is not blank, without the marks of Markdown; nil if there is none.
    var firstLine: String? {
        var lines = lines(in: bytes.startIndex)
        let matter = isMarkdown ? frontMatter() : nil
        if let matter { lines = self.lines(in: matter.end) }
        if let title = matter?.title { return title }
        while let line = lines.next() {
            let text = plain(line)
            if !text.isEmpty { return text }
        }
        return nil
    }

    /// The language by its code, such as `de`, or `unknown`.
    var language: String {
        var counter = LanguageCounter()
        guard isMarkdown else {
            counter.add(bytes.prefix(Self.sample))
            return counter.language
        }
        // Code is in no language of people.
        var isCode = false
        var taken = 0
        var lines = lines(in: frontMatter()?.end ?? bytes.startIndex)
        while taken < Self.sample, let line = lines.next() {
            taken += line.count
            let isFence =
                line.starts(with: Array("```".utf8)) || line.starts(with: Array("~~~".utf8))
            if isFence { isCode.toggle() }
            if !isCode, !isFence { counter.add(line) }
        }
        return counter.language
    }

    // MARK: Lines

    private struct Lines {
        var rest: ArraySlice<UInt8>

        mutating func next() -> ArraySlice<UInt8>? {
            guard !rest.isEmpty else { return nil }
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            defer { rest = rest[min(end + 1, rest.endIndex)...] }
            return rest[rest.startIndex..<end]
        }
    }

    private func lines(in start: Int) -> Lines { Lines(rest: bytes[start...]) }

    /// The block of settings between two lines `---` at the start of a Markdown file, and the title in it.
    private func frontMatter() -> (title: String?, end: Int)? {
        var lines = lines(in: bytes.startIndex)
        guard let first = lines.next(), Self.text(first) == "---" else { return nil }
        var title: String?
        while let line = lines.next(), lines.rest.startIndex < Self.head {
            let text = Self.text(line)
            if text == "---" { return (title, lines.rest.startIndex) }
            if title == nil, text.hasPrefix("title:") {
                let value = text.dropFirst("title:".count).drop { $0 == " " }
                let bare = value.trimmed { $0 == "\"" || $0 == "'" }
                title = bare.isEmpty ? nil : String(bare)
            }
        }
        return nil
    }

    /// A line as people read it.
    private func plain(_ line: ArraySlice<UInt8>) -> String {
        let text = Self.text(line)
        guard isMarkdown else { return text }
        // A line under a heading, or between two parts.
        if text.allSatisfy({ "=-*_ ".contains($0) }) { return "" }
        var rest = text[...]
        let marks = rest.prefix { $0 == "#" }
        if 1...6 ~= marks.count, rest.dropFirst(marks.count).first == " " {
            rest = rest.dropFirst(marks.count).trimmed { $0 == "#" || $0 == " " }
        }
        return String(rest.trimmed { $0 == "*" || $0 == "_" || $0 == " " })
    }

    private static func text(_ line: ArraySlice<UInt8>) -> String {
        var text = line.prefix(longestLine)
        // Not within a character.
        if line.count > longestLine, line[line.startIndex + longestLine] & 0xC0 == 0x80 {
            while let last = text.popLast(), last & 0xC0 == 0x80 {}
        }
        let words = String(decoding: text, as: UTF8.self).split { character in
            character.unicodeScalars.allSatisfy {
                $0.value < 0x20 || $0.value == 0x7F || $0.properties.isWhitespace
            }
        }
        return words.joined(separator: " ")
    }
}

extension Substring {
    /// Without such characters at both ends.
    fileprivate func trimmed(_ isOutside: (Character) -> Bool) -> Substring {
        var rest = drop(while: isOutside)
        while let last = rest.last, isOutside(last) { rest.removeLast() }
        return rest
    }
}
