// Patterns, compiled so that the last one that matches a name is found fast.
//
// Most patterns are a plain name or "*" and a plain end, perhaps in certain folders. These are found by hash, in one
// pass over the name. For each such name or end there is a chain of its patterns, from the last to the first; it has
// only those that can still decide something. The other patterns are tried from the last to the first, until one matches
// or none can be later than what is known. The folders of a path are compared only where the name matches.
//
// A segment is matched with one point of return, that of its last "*"; the folders likewise, with that of the last
// `**`. So no pattern takes more steps than its length times that of the path, but for a small factor.

final class PatternList: Sendable {
    struct Pattern: Sendable {
        /// The line in the file, from 1.
        let line: Int
        /// Where `text` has the pattern, with "!" and the final slash.
        let text: Range<Int>
        let isNegated: Bool
        let isForFolders: Bool
        /// The segments of the folders; nil if any folder will do.
        let folders: Range<Int>?
        /// The tokens of the name.
        let name: Range<Int>
        /// The pattern before this one that has the same name, or end of names; -1 if there is none.
        var next: Int32 = -1
    }

    /// A pattern that is in no chain, with the first and the last token of its name.
    private struct Other: Sendable {
        let number: Int32
        let first: UInt32
        let last: UInt32
    }

    /// The elements of segments, as numbers: a byte, one of these two, or a set.
    private enum Token {
        static let anyByte: UInt32 = 256
        static let anyBytes: UInt32 = 257
        static let firstSet: UInt32 = 258
    }

    /// No pattern.
    static let none: Int32 = -1

    let patterns: [Pattern]
    /// The bytes of all patterns.
    let text: [UInt8]
    /// Whether some pattern is about folders, so that a name alone is not enough.
    let needsPath: Bool
    private let tokens: [UInt32]
    /// The segments of folders: the places of their tokens, nil for `**`.
    private let segments: [Range<Int>?]
    private let sets: [ByteSet]
    /// The chains of patterns that are plain names.
    private let names: NameTable
    /// The chains of patterns that are "*" and a plain end.
    private let ends: NameTable
    private let endBytes: ByteSet
    private let others: [Other]

    /// Takes the patterns as written and as read, with their lines.
    init(_ lines: [(line: Int, text: ArraySlice<UInt8>, parsed: ParsedPattern)]) {
        var builder = Builder()
        for (line, text, parsed) in lines { builder.add(line, text, parsed) }
        patterns = builder.patterns
        text = builder.text
        needsPath = builder.patterns.contains { $0.folders != nil }
        tokens = builder.tokens
        segments = builder.segments
        sets = builder.sets
        names = builder.names
        ends = builder.ends
        endBytes = builder.ends.firstBytes
        others = builder.others
    }

    private struct Builder {
        var patterns: [Pattern] = []
        var text: [UInt8] = []
        var tokens: [UInt32] = []
        var segments: [Range<Int>?] = []
        var sets: [ByteSet] = []
        var setNumbers: [ByteSet: UInt32] = [:]
        var names = NameTable()
        var ends = NameTable()
        var others: [Other] = []

        mutating func add(_ line: Int, _ written: ArraySlice<UInt8>, _ parsed: ParsedPattern) {
            let textStart = text.count
            text += written
            let folders = parsed.folders.map { folders in
                let ranges = folders.map { segment -> Range<Int>? in
                    guard case .name(let tokens) = segment else { return nil }
                    return add(tokens)
                }
                segments += ranges
                return segments.count - ranges.count..<segments.count
            }
            let pattern = Pattern(
                line: line, text: textStart..<text.count, isNegated: parsed.isNegated,
                isForFolders: parsed.isForFolders, folders: folders, name: add(parsed.name))
            let number = Int32(patterns.count)
            patterns.append(pattern)
            if let name = Self.plainBytes(parsed.name[...]) {
                link(number, before: names.set(name, to: number))
            } else if parsed.name.first == .anyBytes,
                let end = Self.plainBytes(parsed.name.dropFirst()), !end.isEmpty
            {
                link(number, before: ends.set(end, to: number))
            } else {
                let last = pattern.name.upperBound - 1
                others.append(
                    Other(
                        number: number, first: tokens[pattern.name.lowerBound],
                        last: tokens[last]))
            }
        }

        private mutating func add(_ segment: [PatternToken]) -> Range<Int> {
            let start = tokens.count
            for token in segment {
                switch token {
                case .byte(let byte): tokens.append(UInt32(byte))
                case .anyByte: tokens.append(Token.anyByte)
                case .anyBytes: tokens.append(Token.anyBytes)
                case .set(let set):
                    let number = setNumbers[set] ?? UInt32(sets.count)
                    if number == sets.count {
                        sets.append(set)
                        setNumbers[set] = number
                    }
                    tokens.append(Token.firstSet + number)
                }
            }
            return start..<tokens.count
        }

        private static func plainBytes(_ tokens: ArraySlice<PatternToken>) -> [UInt8]? {
            var bytes: [UInt8] = []
            for token in tokens {
                guard case .byte(let byte) = token else { return nil }
                bytes.append(byte)
            }
            return bytes
        }

        /// Puts a pattern in front of a chain, without those that it overrides in each case.
        private mutating func link(_ number: Int32, before chain: Int32?) {
            let pattern = patterns[Int(number)]
            guard var next = chain, pattern.folders != nil || pattern.isForFolders else { return }
            let following = patterns[Int(next)]
            if pattern.folders == nil, following.folders == nil, following.isForFolders {
                next = following.next
            }
            patterns[Int(number)].next = next
        }
    }

    // MARK: Matching

    /// The path of the folder that has the name, for the patterns that are about folders.
    struct FolderPath: ~Copyable {
        /// The length of the path of the patterns' own folder, with which `bytes` begins.
        var base: Int
        /// Relative to the root; nil until it is needed.
        var bytes: [UInt8]?
    }

    /// The last pattern that matches, as an index in `patterns`; `none` if there is none.
    ///
    /// `findPath` is called at most once in the life of `path`. What the comparisons took is added to `steps`.
    func lastMatch(
        _ name: Span<UInt8>, isFolder: Bool, _ path: inout FolderPath, _ findPath: () -> [UInt8],
        _ steps: inout Int
    ) -> Int32 {
        var best = Self.none
        if let chain = names.value(name) {
            best = last(ofChain: chain, after: best, isFolder, &path, findPath, &steps)
        }
        if ends.mayHaveEnd(of: name) {
            var hash = NameTable.emptyHash
            var place = name.count
            while place > 0 {
                place -= 1
                let byte = name[place]
                hash = NameTable.hash(hash, after: byte)
                if endBytes.contains(byte), let chain = ends.value(name, from: place, hash: hash) {
                    best = last(ofChain: chain, after: best, isFolder, &path, findPath, &steps)
                }
            }
        }
        guard !name.isEmpty else { return best }
        let (first, last) = (UInt32(name[0]), UInt32(name[name.count - 1]))
        var index = others.count
        while index > 0 {
            index -= 1
            let other = others[index]
            if other.number <= best { break }
            guard other.first == first || other.first >= Token.anyByte,
                other.last == last || other.last >= Token.anyByte
            else { continue }
            let pattern = patterns[Int(other.number)]
            if pattern.isForFolders, !isFolder { continue }
            if matches(pattern.name, name, 0..<name.count, &steps),
                isInFolders(of: pattern, &path, findPath, &steps)
            {
                return other.number
            }
        }
        return best
    }

    /// The last pattern of a chain that matches and comes after `best`, otherwise `best`.
    private func last(
        ofChain chain: Int32, after best: Int32, _ isFolder: Bool, _ path: inout FolderPath,
        _ findPath: () -> [UInt8], _ steps: inout Int
    ) -> Int32 {
        var number = chain
        while number > best {
            let pattern = patterns[Int(number)]
            if isFolder || !pattern.isForFolders,
                isInFolders(of: pattern, &path, findPath, &steps)
            {
                return number
            }
            steps += 1
            number = pattern.next
        }
        return best
    }

    private func isInFolders(
        of pattern: Pattern, _ path: inout FolderPath, _ findPath: () -> [UInt8],
        _ steps: inout Int
    ) -> Bool {
        guard let folders = pattern.folders else { return true }
        let bytes = path.bytes ?? findPath()
        path.bytes = bytes
        return matches(folders: folders, bytes.span, base: path.base, &steps)
    }

    /// Whether a path matches these segments. Its first `base` bytes are left out.
    private func matches(
        folders: Range<Int>, _ path: Span<UInt8>, base: Int, _ steps: inout Int
    ) -> Bool {
        let end = path.count
        var place = base == 0 ? 0 : base + 1
        if place >= end { place = end + 1 }
        var segment = folders.lowerBound
        var retry: (segment: Int, place: Int)?
        while place <= end {
            steps += 1
            if segment < folders.upperBound {
                guard let tokens = segments[segment] else {
                    segment += 1
                    if segment == folders.upperBound { return true }
                    retry = (segment, place)
                    continue
                }
                let nameEnd = Self.endOfName(path, from: place, &steps)
                if matches(tokens, path, place..<nameEnd, &steps) {
                    segment += 1
                    place = nameEnd + 1
                    continue
                }
            }
            guard let last = retry else { return false }
            segment = last.segment
            place = Self.endOfName(path, from: last.place, &steps) + 1
            retry = (segment, place)
        }
        while segment < folders.upperBound, segments[segment] == nil { segment += 1 }
        return segment == folders.upperBound
    }

    private static func endOfName(
        _ path: Span<UInt8>, from start: Int, _ steps: inout Int
    ) -> Int {
        var end = start
        while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
        steps += end - start
        return end
    }

    /// Whether the tokens of a segment match a part of a text, which is a name.
    private func matches(
        _ segment: Range<Int>, _ text: Span<UInt8>, _ part: Range<Int>, _ steps: inout Int
    ) -> Bool {
        let (end, lastPlace) = (segment.upperBound, part.upperBound)
        var token = segment.lowerBound
        var place = part.lowerBound
        // The place after the last `*`, and where its text ends so far.
        var retryToken = -1
        var retryPlace = 0
        var compared = 0
        defer { steps += compared }
        while place < lastPlace {
            compared += 1
            if token < end {
                let wanted = tokens[token]
                if wanted == Token.anyBytes {
                    token += 1
                    if token == end { return true }
                    retryToken = token
                    retryPlace = place
                    continue
                }
                if accepts(wanted, text[place]) {
                    token += 1
                    place += 1
                    continue
                }
            }
            if retryToken < 0 { return false }
            retryPlace += 1
            place = retryPlace
            token = retryToken
        }
        while token < end, tokens[token] == Token.anyBytes { token += 1 }
        return token == end
    }

    @inline(__always)
    private func accepts(_ token: UInt32, _ byte: UInt8) -> Bool {
        if token < Token.anyByte { return token == UInt32(byte) }
        return token == Token.anyByte || sets[Int(token - Token.firstSet)].contains(byte)
    }
}
