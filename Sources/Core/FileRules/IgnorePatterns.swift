// The patterns of one ignore file, or of a setting, as gitignore(5) says.
//
// They are bytes, not characters: "?" and a bracket expression match one byte, and classes are those of ASCII. A pattern
// with a wrong bracket expression, a final backslash, or an empty name between slashes matches nothing. Such patterns
// are left out, as are comments and empty lines. Whether a folder above is ignored is not looked at here.

/// Patterns of which the last that matches decides.
package struct IgnorePatterns: Sendable {
    /// The pattern that decides.
    package struct Match: Hashable, Sendable {
        /// False if the pattern begins with "!".
        package let isIgnored: Bool
        /// The line of the pattern, from 1; in a setting, the number of the pattern.
        package let line: Int
        /// The pattern as written, without trailing spaces.
        package let pattern: [UInt8]
    }

    /// The most bytes of a file that are read. What follows the last whole line in them is left out.
    package static let maxTextLength = 1 << 20
    /// The most patterns. Those that follow are left out.
    package static let maxCount = 10_000
    /// The most bytes of a pattern. Longer ones are left out.
    package static let maxPatternLength = 4096

    let list: PatternList
    /// Whether patterns were left out because of a limit.
    package let isCut: Bool

    /// Reads a file: a pattern on each line. As in git, a byte order mark is skipped, a line can end
    /// with CR LF, and nothing of a line is read that follows a NUL.
    ///
    /// - Complexity: O(length).
    package init(parsing text: [UInt8]) {
        var rest = text[...]
        var isCut = false
        if rest.count > Self.maxTextLength {
            let first = rest.prefix(Self.maxTextLength)
            // A line that ends exactly at the limit is whole.
            let isWhole = rest[first.endIndex] == UInt8(ascii: "\n")
            let end = isWhole ? first.endIndex : first.lastIndex(of: UInt8(ascii: "\n"))
            rest = rest[..<(end ?? rest.startIndex)]
            isCut = true
        }
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for index in lines.indices where lines[index].last == UInt8(ascii: "\r") {
            lines[index].removeLast()
        }
        self.init(lines: lines, isCut: isCut)
    }

    /// Takes patterns from a setting.
    package init(_ patterns: [String]) {
        self.init(lines: patterns.map { Array($0.utf8)[...] }, isCut: false)
    }

    private init(lines: [ArraySlice<UInt8>], isCut: Bool) {
        var read: [(line: Int, text: ArraySlice<UInt8>, parsed: ParsedPattern)] = []
        var isCut = isCut
        for (index, line) in lines.enumerated() {
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            let text = Self.withoutTrailingSpaces(line.prefix { $0 != 0 })
            if text.count > Self.maxPatternLength {
                isCut = true
                continue
            }
            guard let parsed = try? ParsedPattern(text) else { continue }
            if read.count == Self.maxCount {
                isCut = true
                break
            }
            read.append((index + 1, text, parsed))
        }
        list = PatternList(read)
        self.isCut = isCut
    }

    /// A space with a backslash before it is no trailing space.
    static func withoutTrailingSpaces(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = line.startIndex
        var place = line.startIndex
        while place < line.endIndex {
            let byte = line[place]
            place += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte != UInt8(ascii: " ") { end = min(place, line.endIndex) }
        }
        return line[..<end]
    }

    /// Whether there is no pattern.
    package var isEmpty: Bool { list.patterns.isEmpty }

    package var count: Int { list.patterns.count }

    /// Whether some pattern is about the folders of a path, so that a name alone is not enough.
    package var needsPath: Bool { list.needsPath }

    /// The last pattern that matches; nil if none does. The path is relative to the folder of the patterns, without a
    /// slash at either end.
    ///
    /// - Complexity: O(length of the path) for all patterns together that are a plain name, or "*" and a plain end, in
    ///   any folder; for each other one at most O(its length times that of the path).
    package func match(path: ArraySlice<UInt8>, isFolder: Bool) -> Match? {
        var steps = 0
        return match(path: path, isFolder: isFolder, steps: &steps)
    }

    /// Adds what the comparisons took to `steps`, for tests of their number.
    package func match(
        path: ArraySlice<UInt8>, isFolder: Bool, steps: inout Int
    ) -> Match? {
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { path[($0 + 1)...] } ?? path
        let text = name.span
        var folder = PatternList.FolderPath(base: 0, bytes: nil)
        let found = list.lastMatch(
            text, isFolder: isFolder, &folder,
            { Array(path[..<(slash ?? path.startIndex)]) }, &steps)
        return found < 0 ? nil : match(at: found)
    }

    func match(at index: Int32) -> Match {
        let pattern = list.patterns[Int(index)]
        return Match(
            isIgnored: !pattern.isNegated, line: pattern.line,
            pattern: Array(list.text[pattern.text]))
    }

    /// Whether both have the same patterns in the same order. Their lines may differ.
    func hasSamePatterns(as other: IgnorePatterns) -> Bool {
        guard count == other.count, list.text == other.list.text else { return false }
        return zip(list.patterns, other.list.patterns).allSatisfy { $0.text == $1.text }
    }
}
