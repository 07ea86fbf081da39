// The globs of all files, as far as they count.

/// The globs of all files, as far as they count.
struct GlobRules {
    /// In the order read.
    private(set) var rules: [GlobRule] = []
    private let aliases: [String: String]
    private var files = 0
    private var odds = 0
    /// What the files before the present one have: their rules win over those of the same pattern here.
    private var taken: Set<GlobRule.Identity> = []
    /// The types for which the files before the present one want none from here.
    private var refused: Set<String> = []
    /// The type of each end of a name, in the fallback.
    private var expected: [[UInt8]: String] = [:]

    init(aliases: [String: String]) {
        self.aliases = aliases
    }

    /// Adds a file of lower precedence than those before.
    ///
    /// `update-mime-database` writes each line with flags once more without, for readers that know none. Such a
    /// copy would make the flag void, so it does not count.
    mutating func add(_ file: [UInt8], _ leftOut: inout LeftOut) {
        var found: [GlobRule] = []
        var flagged: Set<GlobRule.Plain> = []
        var refusedBelow: Set<String> = []
        LineFile.read(file, &leftOut) { line, leftOut in
            switch GlobRule.read(line, file: files, aliases: aliases) {
            case nil: return false
            case .noGlobs(let type): refusedBelow.insert(type)
            case .rule(let rule):
                if rule.isCaseSensitive { flagged.insert(rule.plain) }
                take(rule, into: &found, &leftOut)
            }
            return true
        }
        close(found.filter { $0.isCaseSensitive || !flagged.contains($0.plain) })
        refused.formUnion(refusedBelow)
    }

    /// Adds the fallback, as the last file.
    mutating func add(fallback: String, _ leftOut: inout LeftOut) {
        var found: [GlobRule] = []
        for line in fallback.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard let first = words.first, let named = LineFile.type(Array(first)[...]) else {
                leftOut.malformed += 1
                continue
            }
            let type = aliases[named] ?? named
            for suffix in words.dropFirst() {
                let pattern = Array("*.".utf8) + suffix
                guard let rule = GlobRule(type: type, pattern: pattern[...], file: files),
                    let tail = rule.tail
                else {
                    leftOut.malformed += 1
                    continue
                }
                expected[tail] = type
                take(rule, into: &found, &leftOut)
            }
        }
        close(found)
    }

    private mutating func take(
        _ rule: GlobRule, into found: inout [GlobRule], _ leftOut: inout LeftOut
    ) {
        if refused.contains(rule.type) || taken.contains(rule.identity) { return }
        if rules.count + found.count >= MediaTypeTable.globLimit {
            leftOut.beyondLimit += 1
            return
        }
        if case .odd = rule.kind {
            guard odds < OddGlobs.limit else {
                leftOut.beyondLimit += 1
                return
            }
            odds += 1
        }
        found.append(rule)
    }

    private mutating func close(_ found: [GlobRule]) {
        rules += found
        taken.formUnion(found.map(\.identity))
        files += 1
    }

    /// The rules, best first.
    var ranked: [GlobRule] {
        rules.sorted { $0.isBetter(than: $1, fallback: expected) }
    }
}
