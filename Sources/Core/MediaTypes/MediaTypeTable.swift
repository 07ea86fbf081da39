// The media types of names, from the lists of shared-mime-info and a list of one's own.
//
// Built once, from bytes; immutable after. A type is its index into `texts`, which are sorted by bytes: indexes
// compare as the texts do. No index is stable from one table to another.
//
// Which glob decides: one that is the whole name; else one that is the name's end, behind a `*`; else another. Of
// each kind the one with the greatest weight, and of these the longest; `GlobRule.isBetter` says the rest. So each
// rule has a rank, and the best is the least rank among the matches. One walk over the name from its end finds it
// for the first two kinds: it looks up each end that begins as some glob's does. The few others must be tried.

/// The media types of names.
package struct MediaTypeTable: Sendable {
    /// The types, sorted by bytes. At most `globLimit + 1`.
    package let texts: [String]
    /// No name tells it, but what is no file may be a folder.
    private static let folder = "inode/directory"
    /// The index of `application/octet-stream`, the type of a name that no glob matches.
    package let unknown: UInt16
    /// What the files had that was left out.
    package let leftOut: LeftOut
    /// The same for tables that give every name the same type, under the same index; different for others.
    package let fingerprint: [UInt8]

    /// The most globs, of all files together.
    package static let globLimit = 50_000

    private let literals: GlobIndex
    private let tails: GlobIndex
    private let odds: OddGlobs
    /// Tells the first bytes of what `tails` has.
    private let bytes: ByteClasses
    private let icons: [String]
    private let genericIcons: [String]

    /// The contents of the files, each kind in order of precedence: the user's own first.
    package struct Files: Sendable {
        package var globs: [[UInt8]]
        package var aliases: [[UInt8]]
        package var icons: [[UInt8]]
        package var genericIcons: [[UInt8]]

        package init(
            globs: [[UInt8]] = [], aliases: [[UInt8]] = [], icons: [[UInt8]] = [],
            genericIcons: [[UInt8]] = []
        ) {
            self.globs = globs
            self.aliases = aliases
            self.icons = icons
            self.genericIcons = genericIcons
        }
    }

    /// A table of what the files say.
    ///
    /// The fallback has a type per line: its text, then its suffixes without their leading dots. They count as the
    /// last of the `globs`, with the weight 50; and where a file has several types for one suffix, of which none is
    /// better, the one that stands here is taken.
    package init(_ files: Files, fallback: String) {
        var leftOut = LeftOut()
        let aliases = NameList.read(
            files.aliases, separator: UInt8(ascii: " "), &leftOut, isValue: NameList.isType)
        var rules = GlobRules(aliases: aliases)
        for file in files.globs { rules.add(file, &leftOut) }
        rules.add(fallback: fallback, &leftOut)

        let octets = "application/octet-stream"
        var types = Set(rules.rules.map(\.type))
        types.insert(octets)
        types.insert(Self.folder)
        // All are ASCII, so this compares bytes.
        texts = types.sorted()
        let indexes = Dictionary(
            uniqueKeysWithValues: texts.enumerated().map { ($1, UInt16($0)) })
        unknown = indexes[octets] ?? 0

        var literals = GlobIndex(capacity: rules.rules.count { $0.isLiteral })
        var tails = GlobIndex(capacity: rules.rules.count { $0.tail != nil })
        var odds = OddGlobs()
        var starts = ByteSet()
        for (rank, rule) in rules.ranked.enumerated() {
            let type = indexes[rule.type] ?? unknown
            let hasPlace =
                switch rule.kind {
                case .literal(let name):
                    literals.insert(
                        name, isCaseSensitive: rule.isCaseSensitive, type: type,
                        rank: UInt32(rank))
                case .tail(let tail):
                    tails.insert(
                        tail, isCaseSensitive: rule.isCaseSensitive, type: type,
                        rank: UInt32(rank))
                case .odd:
                    odds.insert(
                        rule.glob, isCaseSensitive: rule.isCaseSensitive, type: type)
                }
            if !hasPlace {
                leftOut.beyondLimit += 1
            } else if let first = rule.tail?.first {
                starts.insert(first.folded)
            }
        }
        self.literals = literals
        self.tails = tails
        self.odds = odds
        bytes = ByteClasses(tailStarts: starts)

        let icons = NameList.read(
            files.icons, separator: UInt8(ascii: ":"), &leftOut, isValue: NameList.isIcon)
        let genericIcons = NameList.read(
            files.genericIcons, separator: UInt8(ascii: ":"), &leftOut,
            isValue: NameList.isIcon)
        self.icons = texts.map { icons[$0] ?? NameList.icon(ofType: $0) }
        self.genericIcons = texts.map { genericIcons[$0] ?? NameList.genericIcon(ofType: $0) }
        self.leftOut = leftOut
        fingerprint = Self.fingerprint(
            of: files.globs, files.aliases, [Array(fallback.utf8), Array(Self.folder.utf8)])
    }

    /// A digest of what decides the types, with the length of each part.
    private static func fingerprint(of lists: [[UInt8]]...) -> [UInt8] {
        var bytes: [UInt8] = []
        for list in lists {
            bytes.append(contentsOf: Array("\(list.map(\.count))".utf8))
            for part in list { bytes.append(contentsOf: part) }
        }
        return Array(MD5.text(of: bytes.span).utf8)
    }

    /// The type of a file with this name, which is no path; `unknown` if no glob matches. Allocates nothing.
    /// - Complexity: O(n) for the globs that are names or ends of names. If none matches, O(n) for each of the at
    ///   most 64 others with one star, of which most ask for bytes that the name has not.
    package func index(forName name: borrowing Span<UInt8>) -> UInt16 {
        let count = name.count
        let mayBeLiteral = count <= literals.longest
        let end = mayBeLiteral ? 0 : max(0, count - tails.longest)
        var hash = EndHash()
        var best: GlobIndex.Match?
        var place = count
        while place > end {
            place -= 1
            let byte = bytes[name[place]]
            hash.add(byte.folded)
            if byte.startsTail, let match = tails.match(hash, name, from: place),
                match.rank < best?.rank ?? .max
            {
                best = match
            }
        }
        if mayBeLiteral, let literal = literals.match(hash, name, from: 0) { return literal.type }
        return best?.type ?? odds.type(of: name) ?? unknown
    }

    /// The index of a type; nil if no glob has it.
    package func index(ofType text: String) -> UInt16? {
        var range = texts.startIndex..<texts.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if texts[middle] == text { return UInt16(middle) }
            range =
                texts[middle] < text
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// The name of the type's icon, which a theme may lack: then `genericIcon` is the one to show.
    package func icon(of type: UInt16) -> String { icons[Int(type)] }

    /// The name of the icon for types like this one, such as `text-x-generic`.
    package func genericIcon(of type: UInt16) -> String { genericIcons[Int(type)] }
}
