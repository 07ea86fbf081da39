/// Parses a pattern. Patterns that can never match, or that are misleading, are refused.
struct GlobParser {
    private let pattern: [Unicode.Scalar]
    private let options: Glob.Options
    private var place = 0
    private(set) var tokens: [Glob.Token] = []
    private(set) var segments: [Glob.Segment] = []
    private(set) var sets: [ScalarSet] = []
    private var segmentStart = 0
    /// The number of stars and of all units in the current segment.
    private var starCount = 0
    private var unitCount = 0

    init(_ pattern: String, _ options: Glob.Options) {
        self.pattern = Array(pattern.unicodeScalars)
        self.options = options
    }

    mutating func parse() throws(PickerModelError) {
        if pattern.isEmpty { throw .badPattern("the pattern is empty; '*' matches every name") }
        if pattern.contains("\0") { throw .badPattern("no name has a NUL in it") }
        while place < pattern.count {
            unitCount += 1
            switch try takeScalar() {
            case ("/", _):
                unitCount -= 1
                try endSegment()
            case ("*", false):
                starCount += 1
                if tokens.last != .anyText || tokens.count == segmentStart {
                    tokens.append(.anyText)
                }
            case ("?", false): tokens.append(.anyScalar)
            case ("[", false): try takeSet()
            case (let scalar, _): tokens.append(.scalar(folded(scalar)))
            }
        }
        try endSegment(isLast: true)
    }

    // MARK: Scalars

    private func folded(_ scalar: Unicode.Scalar) -> UInt32 {
        options.contains(.ignoringCase) ? ScalarCase.lower(scalar.value) : scalar.value
    }

    /// The next scalar, and whether a backslash escapes it.
    private mutating func takeScalar() throws(PickerModelError)
        -> (Unicode.Scalar, isEscaped: Bool)
    {
        let scalar = pattern[place]
        place += 1
        guard scalar == "\\", !options.contains(.withoutEscapes) else {
            return (scalar, false)
        }
        guard place < pattern.count else {
            throw .badPattern("the pattern ends in a single '\\'; '\\\\' stands for one")
        }
        place += 1
        return (pattern[place - 1], true)
    }

    // MARK: Segments

    private mutating func endSegment(isLast: Bool = false) throws(PickerModelError) {
        guard options.contains(.wholePath) else {
            if !isLast {
                throw .badPattern(
                    "no name has a '/' in it; [\"path\", …] is held against whole paths")
            }
            segments.append(Glob.Segment(tokens: segmentStart..<tokens.count, isAnyDepth: false))
            return
        }
        if tokens.count == segmentStart {
            throw .badPattern(
                segments.isEmpty
                    ? "paths are relative to their root: the pattern must not begin with '/'"
                    : isLast
                        ? "the pattern ends in '/'; add '**' for all that is below that folder"
                        : "two slashes follow each other, which no path has")
        }
        let isAnyDepth = starCount == 2 && unitCount == 2
        (starCount, unitCount) = (0, 0)
        if isAnyDepth { tokens.removeSubrange(segmentStart...) }
        // Two `**` in a row are equivalent to one.
        if !isAnyDepth || segments.last?.isAnyDepth != true {
            segments.append(
                Glob.Segment(tokens: segmentStart..<tokens.count, isAnyDepth: isAnyDepth))
        }
        segmentStart = tokens.count
    }

    // MARK: Sets

    private mutating func takeSet() throws(PickerModelError) {
        let start = place - 1
        var ranges: [ClosedRange<UInt32>] = []
        let isNegated = place < pattern.count && ["!", "^"].contains(pattern[place])
        if isNegated { place += 1 }
        while true {
            guard place < pattern.count else {
                throw .badPattern("'[' at \(start) has no ']'; '\\[' stands for a bracket")
            }
            // A bracket in first position is a member.
            if pattern[place] == "]", !ranges.isEmpty { break }
            let first = try takeMember()
            var last = first
            if place + 1 < pattern.count, pattern[place] == "-",
                pattern[place + 1] != "]"
            {
                place += 1
                last = try takeMember()
            }
            guard first <= last else {
                throw .badPattern("a range in '[…]' at \(start) ends before it begins")
            }
            ranges.append(first...last)
        }
        place += 1
        tokens.append(.set(sets.count))
        sets.append(ScalarSet(ranges: ranges, isNegated: isNegated))
    }

    private mutating func takeMember() throws(PickerModelError) -> UInt32 {
        let (scalar, isEscaped) = try takeScalar()
        if scalar == "/" { throw .badPattern("a '/' can't be in '[…]'") }
        if scalar == "[", !isEscaped, place < pattern.count, pattern[place] == ":" {
            throw .badPattern("there are no classes such as '[:alpha:]'; name a range, as '[a-z]'")
        }
        return scalar.value
    }
}
