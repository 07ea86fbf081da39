// Filters and queries at random, and what filters mean, written down plainly.

import PickerClient
import TestSupport

/// A filter as it was written, before anything is simplified.
indirect enum WrittenFilter {
    case leaf(PickerFilter)
    case constant(Bool)
    case all([WrittenFilter])
    case any([WrittenFilter])
    case not(WrittenFilter)

    /// As the library makes it.
    var folded: PickerFilter {
        switch self {
        case .leaf(let filter): filter
        case .constant(let value): PickerFilter(booleanLiteral: value)
        case .all(let parts): .all(parts.map(\.folded))
        case .any(let parts): .any(parts.map(\.folded))
        case .not(let part): !part.folded
        }
    }

    func holds(_ sample: SampleDocument) -> Bool {
        switch self {
        case .leaf(let filter): filter.node.holds(sample)
        case .constant(let value): value
        case .all(let parts): parts.allSatisfy { $0.holds(sample) }
        case .any(let parts): parts.contains { $0.holds(sample) }
        case .not(let part): !part.holds(sample)
        }
    }
}

/// What a filter can ask about.
struct SampleDocument {
    var name: String
    var size: UInt64
    var modified: Double
    var isLiked: Bool
    var pages: Double

    init(_ random: inout SeededRandom) {
        name = ["a.md", "b.txt", "c.a,b", "a.png", "b", ".b"].randomElement(using: &random) ?? "a"
        size = UInt64.random(in: 0...3, using: &random)
        modified = Double.random(in: -1...3, using: &random).rounded()
        isLiked = random.chance(0.5)
        pages = Double.random(in: 0...2, using: &random).rounded()
    }
}

extension PickerFilter.Node {
    /// Patterns only stand for some answer that depends on them: what they match is the daemon's.
    func holds(_ sample: SampleDocument) -> Bool {
        func compare<Value: Comparable>(
            _ comparison: PickerFilter.Comparison, _ left: Value, _ right: Value
        ) -> Bool {
            switch comparison {
            case .equal: left == right
            case .notEqual: left != right
            case .greater: left > right
            case .atLeast: left >= right
            case .less: left < right
            case .atMost: left <= right
            }
        }
        switch self {
        case .everything: return true
        case .nothing: return false
        case .all(let parts): return parts.allSatisfy { $0.holds(sample) }
        case .any(let parts): return parts.contains { $0.holds(sample) }
        case .not(let part): return !part.holds(sample)
        case .suffix(let texts): return texts.contains { sample.name.hasSuffix("." + $0.text) }
        case .name(let name): return sample.name == name.text
        case .match(let pattern, let ignoresCase):
            return (pattern.text.utf8.count + sample.name.utf8.count + (ignoresCase ? 1 : 0)) % 2
                == 0
        case .path(let pattern): return (pattern.text.utf8.count + Int(sample.size)) % 3 == 0
        case .size(let comparison, let size): return compare(comparison, sample.size, size)
        case .modified(let comparison, let time): return compare(comparison, sample.modified, time)
        case .liked: return sample.isLiked
        case .dropped: return false
        case .hidden: return sample.name.hasPrefix(".")
        case .attribute(_, let comparison, let value):
            guard case .number(let number) = value.content else { return false }
            return compare(comparison, sample.pages, number)
        case .attributeText(let name, let match, let text):
            return (name.text.utf8.count + text.text.utf8.count + match.rawValue.utf8.count) % 2
                == 0
        case .keys(let keys): return keys.count % 2 == 0
        case .attributeKnown(let name): return name.text.utf8.count % 2 == 0
        }
    }

    /// Conditions, and how deep they stand in each other.
    var depth: Int {
        switch self {
        case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
        default: 1
        }
    }
}

enum RandomQueries {
    static func filter(_ random: inout SeededRandom, depth: Int = 0) -> WrittenFilter {
        switch Int.random(in: (depth < 4 ? 0 : 5)..<12, using: &random) {
        case 0, 1: return .all(filters(&random, depth))
        case 2, 3: return .any(filters(&random, depth))
        case 4: return .not(filter(&random, depth: depth + 1))
        case 5: return random.chance(0.3) ? .constant(random.chance(0.5)) : .leaf(leaf(&random))
        default: return .leaf(leaf(&random))
        }
    }

    private static func filters(_ random: inout SeededRandom, _ depth: Int) -> [WrittenFilter] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in filter(&random, depth: depth + 1) }
    }

    static func leaf(_ random: inout SeededRandom) -> PickerFilter {
        let comparison = PickerFilter.Comparison.allCases.randomElement(using: &random) ?? .equal
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            let known = ["md", "TXT", "a,b", "png", "pdf"]
            return .suffix(known.filter { _ in random.chance(0.3) })
        case 2: return .name(text(&random, "/"))
        case 9: return .hidden
        case 3: return .match(text(&random, "/"), ignoringCase: random.chance(0.5))
        case 4: return .path("x" + text(&random) + "x")
        case 5: return .size(comparison, UInt64.random(in: 0...3, using: &random))
        case 6:
            return .modified(comparison, Double.random(in: -1...3, using: &random).rounded())
        case 7:
            let value: AttributeValue =
                random.chance(0.5)
                ? AttributeValue(Double.random(in: 0...2, using: &random).rounded())
                : AttributeValue(text(&random))
            let name = "n" + text(&random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .isKnown(name)
            case 1: return .attribute(name, random.chance(0.5) ? .contains : .prefix, text(&random))
            default: return .attribute(name, comparison, value)
            }
        default: return .liked
        }
    }

    /// A text of whatever a query's text has a meaning for; not empty.
    static func text(_ random: inout SeededRandom, _ excluded: String = "") -> String {
        let pieces = [
            "a", "b", "or", " ", "  ", "\"", "\\", "(", ")", ",", "-", ":", "not:", "type:", "<",
            ">=", "!", "=", "*", "?", "[a]", "/", "é", "e", "\u{301}", "\u{200D}", "\t", "\n", "日",
            "\u{A0}", ".", "@", "1", "OR", "\r\n", "~", "'", "^", "$", "|",
        ].filter { $0 != excluded }
        return (0..<Int.random(in: 1...5, using: &random))
            .map { _ in pieces.randomElement(using: &random) ?? "a" }.joined()
    }

    static func query(_ random: inout SeededRandom) -> ListQuery {
        var query = ListQuery()
        if random.chance(0.6) {
            query.search = text(&random)
            if random.chance(0.4) { query.match = .fuzzy }
        }
        if random.chance(0.8) { query.filter = filter(&random).folded }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: query.sort = ["date"]
        case 1: query.sort = ["-size", "name"]
        case 2: query.sort = ["modified", "-pdf.pages", "score"]
        default: break
        }
        if random.chance(0.3) { query.start = Int.random(in: 1...90, using: &random) }
        if random.chance(0.3) { query.count = Int.random(in: 0...90, using: &random) }
        return query
    }
}
