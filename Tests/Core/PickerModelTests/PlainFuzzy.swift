// Fuzzy matching as it is described, without regard to cost: the reference for `FuzzyMatcher`.

import PickerModel

/// A path to match, whose name begins at `nameStart`.
struct PlainPath {
    let folded: [UInt32]
    let bonuses: [Int]
    let nameStart: Int
    private let isSpace: [Bool]

    /// Without `spelling`, letters that one letter of the name is spelled with have the bonus of others.
    init(folder: String, name: String, spelling: Bool = true) {
        var folded: [UInt32] = []
        var bonuses: [Int] = []
        var isSpace: [Bool] = []
        var nameStart = 0
        for text in [folder, name] {
            nameStart = folded.count
            let lower = FoldedName(text).searchBytes
            folded += String(decoding: lower, as: UTF8.self).unicodeScalars.map(\.value)
            let cased = String(decoding: FoldedName.casedBytes(of: text), as: UTF8.self)
            var previous = Kind.space
            for scalar in cased.unicodeScalars {
                let kind = Kind(scalar)
                bonuses.append(kind.bonus(after: previous))
                isSpace.append(kind == .space)
                previous = kind
            }
        }
        if spelling {
            var place = nameStart
            for scalar in name.unicodeScalars {
                // Behind a letter, because a name of nothing but marks keeps them.
                let folded = FoldedName("-" + String(scalar)).searchBytes
                let count = String(decoding: folded, as: UTF8.self).unicodeScalars.count - 1
                if count > 1 {
                    for each in place..<min(place + count, bonuses.count) { bonuses[each] = 0 }
                }
                place += count
            }
        }
        self.folded = folded
        self.bonuses = bonuses
        self.nameStart = nameStart
        self.isSpace = isSpace
        precondition(folded.count == bonuses.count)
    }

    private enum Kind: Int, Comparable {
        case space, sign, delimiter, lower, upper, letter, digit

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }

        init(_ scalar: Unicode.Scalar) {
            let properties = scalar.properties
            switch properties.generalCategory {
            case .lowercaseLetter: self = .lower
            case .uppercaseLetter: self = .upper
            case .titlecaseLetter, .modifierLetter, .otherLetter: self = .letter
            case .decimalNumber, .letterNumber, .otherNumber: self = .digit
            default:
                if properties.isWhitespace {
                    self = .space
                } else {
                    self = ",/:;|".unicodeScalars.contains(scalar) ? .delimiter : .sign
                }
            }
        }

        func bonus(after previous: Kind) -> Int {
            if self > .sign, previous == .space { return 10 }
            if self > .sign, previous == .delimiter { return 9 }
            if self > .sign, previous == .sign { return 8 }
            if previous == .lower, self == .upper { return 7 }
            if previous != .digit, self == .digit { return 7 }
            if self == .sign { return 8 }
            return self == .space ? 10 : 0
        }
    }

    /// The points of letters found at these places.
    func points(of places: [Int]) -> Int {
        var points = 0
        var ofRun = 0
        for (index, place) in places.enumerated() {
            var bonus = bonuses[place]
            if index > 0, places[index - 1] == place - 1 {
                if bonus >= 8, bonus > ofRun { ofRun = bonus }
                bonus = max(bonus, ofRun, 4)
            } else {
                ofRun = bonus
                if index == 0 {
                    bonus *= 2
                } else {
                    for gap in 0..<place - places[index - 1] - 1 {
                        points = max(0, points - (gap == 0 ? 3 : 1))
                    }
                }
            }
            points += 16 + bonus
        }
        return points
    }

    /// All ways to find a term.
    func ways(to find: [UInt32]) -> [[Int]] {
        var ways: [[Int]] = [[]]
        for letter in find {
            ways = ways.flatMap { way in
                folded.indices.filter { $0 > way.last ?? -1 && folded[$0] == letter }.map {
                    way + [$0]
                }
            }
        }
        return ways
    }

    /// The points of a term by fzf's rules, cell by cell. Nil if it is not there.
    func fuzzyPoints(of term: [UInt32]) -> Int? {
        struct Cell {
            var points: Int
            var run: Int
            var isGap: Bool
        }
        var before: [Cell?] = []
        for (row, letter) in term.enumerated() {
            var cells: [Cell?] = []
            for place in folded.indices {
                let left = place == 0 ? nil : cells[place - 1]
                var cell = left.map {
                    Cell(points: max(0, $0.points - ($0.isGap ? 1 : 3)), run: 0, isGap: true)
                }
                if folded[place] == letter {
                    if row == 0 {
                        cell = Cell(
                            points: 16 + 2 * bonuses[place], run: 1, isGap: false)
                    } else if place > 0, let start = before[place - 1] {
                        var bonus = bonuses[place]
                        var run = start.run + 1
                        if run > 1 {
                            let first = bonuses[place - run + 1]
                            if bonus >= 8, bonus > first {
                                run = 1
                            } else {
                                bonus = max(bonus, first, 4)
                            }
                        }
                        let points = start.points + 16 + bonus
                        if points >= cell?.points ?? 0 {
                            cell = Cell(points: points, run: run, isGap: false)
                        }
                    }
                }
                cells.append(cell)
            }
            before = cells
        }
        return before.compactMap { $0?.points }.max()
    }

    /// The points of a term; nil if it is not there.
    func points(of term: PlainTerm) -> Int? {
        let text = term.folded
        let places = folded.indices.filter { folded[$0...].starts(with: text) }
        func trimmed(_ start: Int) -> Int {
            PlainPath.isSpace(text[0])
                ? start : folded.indices[start...].first { !isSpace[$0] } ?? folded.count
        }
        let end =
            PlainPath.isSpace(text[text.count - 1])
            ? folded.count
            : (folded.indices[nameStart...].last { !isSpace[$0] } ?? nameStart - 1) + 1
        let starts = [trimmed(nameStart), trimmed(0)]
        var found: Int?
        switch term.kind {
        case "fuzzy" where text.count > 1: return fuzzyPoints(of: text)
        case "fuzzy", "exact":
            let parts = [places.filter { $0 >= nameStart }, places.filter { $0 < nameStart }]
            let best = parts.compactMap { part in
                part.first { bonuses[$0] >= 8 }
                    ?? part.first { place in !part.contains { bonuses[$0] > bonuses[place] } }
            }
            return best.map { points(of: Array($0..<$0 + text.count)) }.max()
        case "prefix": found = starts.first { places.contains($0) }
        case "suffix": found = places.first { $0 + text.count == end }
        default: found = starts.first { places.contains($0) && $0 + text.count == end }
        }
        return found.map { points(of: Array($0..<$0 + text.count)) }
    }

    /// The length without white space around it.
    var inkedCount: Int {
        let inked = folded.indices.filter { !isSpace[$0] }
        return inked.last.map { $0 + 1 - (inked.first ?? 0) } ?? 0
    }

    private static func isSpace(_ value: UInt32) -> Bool {
        Unicode.Scalar(value)?.properties.isWhitespace ?? false
    }
}

/// A document to match.
struct PlainDocument {
    let name: PlainPath
    let path: PlainPath
    private let length: Int

    /// Without `spelling`, letters that one letter of the name is spelled with have the bonus of others.
    init(folder: String, name: String, spelling: Bool = true) {
        self.name = PlainPath(folder: "", name: name)
        path = PlainPath(folder: folder, name: name)
        length = name.unicodeScalars.count - self.name.folded.count + self.name.inkedCount
    }

    /// Points and length, as `FuzzyRank` has them; nil if a set of terms has none that matches.
    func rank(_ sets: [[PlainTerm]]) -> [Int]? {
        var total = 0
        for set in sets {
            let wanted = set.filter { !$0.isInverse }
            if let points = wanted.compactMap({ name.points(of: $0) }).first {
                total += points
            } else if let points = wanted.compactMap({ path.points(of: $0) }).first {
                total += points / 2
            } else if !set.contains(where: { $0.isInverse && !isThere($0) }) {
                return nil
            }
        }
        guard sets.joined().contains(where: { !$0.isInverse }) else { return [0, 0] }
        return [total, length]
    }

    private func isThere(_ term: PlainTerm) -> Bool {
        name.points(of: term) != nil || path.points(of: term) != nil
    }
}

/// A term of a query.
struct PlainTerm {
    /// fuzzy, exact, prefix, suffix or equal.
    let kind: String
    let isInverse: Bool
    let text: String

    var folded: [UInt32] {
        String(decoding: FoldedName(text).searchBytes, as: UTF8.self).unicodeScalars.map(\.value)
    }

    /// The term in a query.
    var written: String {
        let text = text.replacing(" ", with: "\\ ")
        let sign =
            switch kind {
            case "fuzzy": isInverse ? "!'" : ""
            case "exact": isInverse ? "!" : "'"
            case "suffix": isInverse ? "!" : ""
            default: isInverse ? "!^" : "^"
            }
        return sign + text + (["suffix", "equal"].contains(kind) ? "$" : "")
    }
}

/// Random paths and queries of few letters, so that there are many ways to match.
struct SeededFuzzy {
    var random: SeededNumbers
    private static let letters = Array("aabbcABC1_-. ,éÆß")

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    mutating func text(_ counts: ClosedRange<Int>, of letters: [Character] = Self.letters)
        -> String
    {
        let count = Int.random(in: counts, using: &random)
        return String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" })
    }

    mutating func folder(of letters: [Character] = Self.letters) -> String {
        let depth = Int.random(in: 0...2, using: &random)
        return (0..<depth).map { _ in text(1...5, of: letters) + "/" }.joined()
    }

    mutating func term() -> PlainTerm {
        let kinds = ["fuzzy", "fuzzy", "exact", "prefix", "suffix", "equal"]
        return PlainTerm(
            kind: kinds.randomElement(using: &random) ?? "", isInverse: chance(4),
            text: text(1...4, of: Array("aabbc1_ é/")))
    }

    mutating func chance(_ number: Int) -> Bool { Int.random(in: 0..<number, using: &random) == 0 }

    /// Sets of alternatives.
    mutating func sets() -> [[PlainTerm]] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            (0..<(chance(3) ? 2 : 1)).map { _ in term() }
        }
    }
}

func query(of sets: [[PlainTerm]]) -> String {
    sets.map { $0.map(\.written).joined(separator: " | ") }.joined(separator: " ")
}

extension FuzzyMatcher {
    /// The rank of a path given as texts.
    mutating func rank(_ name: String, folder: String = "") -> FuzzyRank? {
        rank(name: name, folder: folder)
    }
}

extension FuzzyRank {
    var numbers: [Int] { [Int(points), Int(length)] }
}

/// The rank of a path for a query.
func rank(_ text: String, _ name: String, folder: String = "") throws -> [Int]? {
    guard let query = try FuzzyQuery.parse(text) else { return nil }
    var matcher = FuzzyMatcher(query)
    return matcher.rank(name, folder: folder)?.numbers
}
