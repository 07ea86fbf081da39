// One line of a `globs2` file, and which of two rules is better.

/// A glob and the type that it says.
struct GlobRule {
    let weight: UInt8
    let type: String
    let pattern: [UInt8]
    let isCaseSensitive: Bool
    let glob: Glob
    let kind: Glob.Kind
    /// The place of its file in the order of precedence.
    let file: Int

    static let noGlobs = Array("__NOGLOBS__".utf8)
    static let longestPattern = 255
    static let defaultWeight: UInt8 = 50

    init?(
        weight: UInt8 = defaultWeight, type: String, pattern: ArraySlice<UInt8>,
        isCaseSensitive: Bool = false, file: Int
    ) {
        guard pattern.count <= Self.longestPattern,
            let glob = Glob(pattern, isCaseSensitive: isCaseSensitive)
        else { return nil }
        self.weight = weight
        self.type = type
        self.pattern = Array(pattern)
        self.isCaseSensitive = isCaseSensitive
        self.glob = glob
        kind = glob.kind
        self.file = file
    }

    /// What a line says.
    enum Line {
        case rule(GlobRule)
        /// The files of lower precedence do not count for this type.
        case noGlobs(type: String)
    }

    /// Reads `weight:type:glob[:flags[:…]]`.
    static func read(_ line: ArraySlice<UInt8>, file: Int, aliases: [String: String]) -> Line? {
        let fields = line.split(
            separator: UInt8(ascii: ":"), maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count >= 3, let weight = weight(fields[0]),
            let named = LineFile.type(fields[1])
        else { return nil }
        let type = aliases[named] ?? named
        if fields[2].elementsEqual(noGlobs) { return .noGlobs(type: type) }
        let flags = fields.count > 3 ? fields[3].split(separator: UInt8(ascii: ",")) : []
        return GlobRule(
            weight: weight, type: type, pattern: fields[2],
            isCaseSensitive: flags.contains { $0.elementsEqual("cs".utf8) }, file: file
        ).map(Line.rule)
    }

    /// A weight: 0 to 100, in at most three digits.
    private static func weight(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard (1...3).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return nil
        }
        let value = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= 100 ? UInt8(value) : nil
    }

    /// A rule without its flags.
    struct Plain: Hashable {
        let weight: UInt8
        let type: String
        let pattern: [UInt8]
    }

    var plain: Plain { Plain(weight: weight, type: type, pattern: pattern) }

    /// What two rules share that say different things of the same names.
    struct Identity: Hashable {
        let pattern: [UInt8]
        let isCaseSensitive: Bool
    }

    var identity: Identity {
        Identity(
            pattern: isCaseSensitive ? pattern : pattern.map(\.folded),
            isCaseSensitive: isCaseSensitive)
    }

    /// The name's end that it asks for, if that is all it asks.
    var tail: [UInt8]? {
        if case .tail(let tail) = kind { tail } else { nil }
    }

    var isLiteral: Bool {
        if case .literal = kind { true } else { false }
    }

    /// Whether this rule is better than another of its kind: by weight, then by the length of the pattern. What
    /// the specification leaves open is decided so: case-sensitive first, then the file, then the type that the fallback has for it, then the type's text.
    func isBetter(than other: GlobRule, fallback: [[UInt8]: String]) -> Bool {
        if weight != other.weight { return weight > other.weight }
        if pattern.count != other.pattern.count { return pattern.count > other.pattern.count }
        if isCaseSensitive != other.isCaseSensitive { return isCaseSensitive }
        if file != other.file { return file < other.file }
        let isExpected = tail.map { fallback[$0] == type } ?? false
        let isOtherExpected = other.tail.map { fallback[$0] == other.type } ?? false
        if isExpected != isOtherExpected { return isExpected }
        // Both are ASCII, so this compares bytes.
        return type < other.type
    }
}
