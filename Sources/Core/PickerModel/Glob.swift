// A glob pattern for names or paths, compiled once and then matched against each document.
//
// A pattern is split at its slashes into segments, and each segment into tokens: a scalar, any scalar (`?`), a
// set (`[a-z]`, `[!a-z]`), or any text (`*`). A segment `**` stands for any number of folders. Matching walks
// through pattern and text; at a difference it goes back to the last `*` of the segment, or else to the last
// `**`. Everything before that was matched as early as possible, so another match of it would leave less text,
// never more. Each token is therefore compared with each scalar at most once: O(pattern × text) comparisons at
// worst, O(text) in most cases, for any pattern; and nothing is allocated.
//
// As in watchman and shells, a leading `.` of a name is matched only by a `.`, not by a wildcard, unless the
// options say so. Texts are compared by scalars: composed and decomposed `é` differ. A name that is not UTF-8
// is matched as displayed, with U+FFFD for the invalid bytes.

/// A compiled glob pattern. Equal patterns with equal options are equal.
package struct Glob: Sendable {
    /// The interpretation of a pattern.
    package struct Options: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Matches whole paths, where `*` stops at a slash and `**` does not; otherwise names.
        package static let wholePath = Options(rawValue: 1)
        /// Letters match regardless of case.
        package static let ignoringCase = Options(rawValue: 2)
        /// Wildcards match a `.` that begins a name, too.
        package static let includingDotFiles = Options(rawValue: 4)
        /// A backslash stands for itself.
        package static let withoutEscapes = Options(rawValue: 8)
    }

    /// One part of a segment.
    enum Token: Equatable, Sendable {
        /// This scalar; in lower case, if case is ignored.
        case scalar(UInt32)
        case anyScalar
        /// A set, by its index in the pattern.
        case set(Int)
        case anyText
    }

    /// The tokens between two slashes, or any number of folders.
    struct Segment: Sendable {
        let tokens: Range<Int>
        let isAnyDepth: Bool
    }

    package let pattern: String
    package let options: Options
    private let tokens: [Token]
    private let segments: [Segment]
    private let sets: [ScalarSet]

    /// A pattern for names or, with `wholePath`, for paths.
    /// - Throws: `PickerModelError.badPattern`.
    /// - Complexity: O(n).
    package init(_ pattern: String, _ options: Options = []) throws(PickerModelError) {
        var parser = GlobParser(pattern, options)
        try parser.parse()
        self.pattern = pattern
        self.options = options
        tokens = parser.tokens
        segments = parser.segments
        sets = parser.sets
    }

    /// Whether the document's name, or its path, matches; adds the number of compared scalars to `steps`.
    func matches(_ document: borrowing some FilterSubject, steps: inout Int) -> Bool {
        options.contains(.wholePath)
            ? document.withPathText { matches($0, steps: &steps) }
            : document.withNameText { matches($0, steps: &steps) }
    }

    /// Whether a name matches, or a relative path if the pattern is for paths.
    /// - Complexity: O(pattern × text), O(text) in most cases.
    package func matches(_ text: String) -> Bool {
        var steps = 0
        return matches(text.utf8Span.span, steps: &steps)
    }

    private func matches(_ text: borrowing Span<UInt8>, steps: inout Int) -> Bool {
        let text = copy text
        var segment = 0
        // The start of the text's next part; beyond its end if there is none.
        var start = 0
        // Where to continue after a mismatch: the segment after the last `**`, and the part that this `**`
        // takes next.
        var retry: (segment: Int, start: Int)?
        while true {
            if segment == segments.count {
                if start > text.count { return true }
            } else if segments[segment].isAnyDepth {
                segment += 1
                if segment == segments.count { return mayTakeRest(of: text, from: start) }
                retry = (segment, start)
                continue
            } else if start <= text.count {
                let end = Self.endOfPart(of: text, from: start)
                if matches(segments[segment].tokens, text, start, end, &steps) {
                    segment += 1
                    start = end + 1
                    continue
                }
            }
            guard let last = retry, last.start <= text.count, mayTakePart(of: text, at: last.start)
            else { return false }
            start = Self.endOfPart(of: text, from: last.start) + 1
            segment = last.segment
            retry = (segment, start)
        }
    }

    // MARK: Parts of a text

    private static func endOfPart(of text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "/") { end += 1 }
        return end
    }

    /// Whether a wildcard may match the start of the part.
    private func mayTakePart(of text: Span<UInt8>, at start: Int) -> Bool {
        options.contains(.includingDotFiles) || start == text.count
            || text[start] != UInt8(ascii: ".")
    }

    /// Whether a final `**` matches: some text must be left.
    private func mayTakeRest(of text: Span<UInt8>, from start: Int) -> Bool {
        var start = start
        guard start < text.count else { return false }
        while start <= text.count {
            guard mayTakePart(of: text, at: start) else { return false }
            start = Self.endOfPart(of: text, from: start) + 1
        }
        return true
    }

    // MARK: One segment

    private func matches(
        _ tokens: Range<Int>, _ text: Span<UInt8>, _ start: Int, _ end: Int, _ steps: inout Int
    ) -> Bool {
        var compared = 0
        defer { steps += compared }
        if start < end, !mayTakePart(of: text, at: start) {
            guard tokens.lowerBound < tokens.upperBound,
                self.tokens[tokens.lowerBound] == .scalar(UInt32(UInt8(ascii: ".")))
            else { return false }
        }
        var token = tokens.lowerBound
        var place = start
        var retry: (token: Int, place: Int)?
        while place < end {
            compared += 1
            if token < tokens.upperBound {
                if self.tokens[token] == .anyText {
                    token += 1
                    if token == tokens.upperBound { return true }
                    retry = (token, place)
                    continue
                }
                let (scalar, length) = Self.scalar(in: text, at: place)
                if accepts(self.tokens[token], scalar) {
                    token += 1
                    place += length
                    continue
                }
            }
            guard let last = retry else { return false }
            place = last.place + Self.scalar(in: text, at: last.place).length
            token = last.token
            retry = (token, place)
        }
        while token < tokens.upperBound, self.tokens[token] == .anyText { token += 1 }
        return token == tokens.upperBound
    }

    private func accepts(_ token: Token, _ scalar: UInt32) -> Bool {
        let ignoresCase = options.contains(.ignoringCase)
        switch token {
        case .anyScalar, .anyText:
            return true
        case .scalar(let wanted):
            return scalar == wanted || ignoresCase && ScalarCase.lower(scalar) == wanted
        case .set(let index):
            return sets[index].accepts(scalar, ignoringCase: ignoresCase)
        }
    }

    /// The scalar at `place` and its length in bytes. `text` is valid UTF-8, as all of Swift's is.
    @inline(__always)
    private static func scalar(
        in text: Span<UInt8>, at place: Int
    ) -> (value: UInt32, length: Int) {
        let first = UInt32(text[place])
        func low(_ offset: Int) -> UInt32 { UInt32(text[place + offset]) & 0x3F }
        if first < 0x80 { return (first, 1) }
        if first < 0xE0 { return ((first & 0x1F) << 6 | low(1), 2) }
        if first < 0xF0 { return ((first & 0x0F) << 12 | low(1) << 6 | low(2), 3) }
        return ((first & 0x07) << 18 | low(1) << 12 | low(2) << 6 | low(3), 4)
    }
}

extension Glob: Hashable {
    package static func == (left: Glob, right: Glob) -> Bool {
        left.options == right.options && left.pattern.hasBytes(of: right.pattern)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(pattern)
        hasher.combine(options)
    }
}
