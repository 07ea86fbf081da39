// The meaning of filters and patterns, as a slow reference implementation.

import PickerModel
import TestSupport

extension FilterExpression {
    /// Evaluates the tree recursively.
    func holds(_ document: Document) -> Bool {
        switch self {
        case .everything: return true
        case .all(let parts): return parts.allSatisfy { $0.holds(document) }
        case .any(let parts): return parts.contains { $0.holds(document) }
        case .not(let part): return !part.holds(document)
        case .suffix(let suffixes):
            let name = document.name.text.utf8.map { 0x41...0x5A ~= $0 ? $0 + 32 : $0 }
            return suffixes.contains { suffix in
                name.count > suffix.count && Array(name.suffix(suffix.count + 1)) == [0x2E] + suffix
            }
        case .name(let names): return names.contains(Array(document.name.text.utf8))
        case .glob(let glob):
            return PlainGlob(glob).matches(
                glob.options.contains(.wholePath) ? document.path.text : document.name.text)
        case .type(let types):
            return types.contains(MediaType(forName: document.name.text))
        case .size(let comparison, let size): return comparison.plainly(document.size, size)
        case .modified(let comparison, let seconds):
            return comparison.plainly(document.modified.secondsSince1970, seconds)
        case .liked: return document.isLiked
        case .dropped: return document.isDropped
        case .attribute(let test): return test.plainly(document.attributes[test.attribute])
        case .keys(let keys): return keys.texts.contains { $0 == document.key }
        case .hidden: return document.path.text.split(separator: "/").contains { $0.first == "." }
        }
    }
}

extension AttributeTest {
    func plainly(_ value: AttributeValue?) -> Bool {
        switch (operation, value, operand) {
        case (.known, let value, .boolean(let isKnown)): return (value != nil) == isKnown
        case (_, nil, _): return false
        case (.comparison(let by), .boolean(let one)?, .boolean(let other)):
            return by.plainly(one ? 1 : 0, other ? 1 : 0)
        case (.comparison(let by), .integer(let one)?, .integer(let other)):
            return by.plainly(one, other)
        case (.comparison(let by), .number(let one)?, .number(let other)):
            return by.plainly(one, other)
        case (.comparison(let by), .time(let one)?, .time(let other)):
            return by.plainly(one, other)
        case (.comparison(.equal), .text(let one)?, .text(let other)):
            return Array(one.utf8) == Array(other.utf8)
        case (.comparison(.notEqual), .text(let one)?, .text(let other)):
            return Array(one.utf8) != Array(other.utf8)
        case (.comparison(let by), .text(let one)?, .text(let other)):
            let (left, right) = (FoldedName(one), FoldedName(other))
            return by.plainly(Array(left.sortKey).sortable, Array(right.sortKey).sortable)
        case (.contains, .text(let one)?, .text(let other)):
            let (text, part) = (
                Array(FoldedName(one).searchBytes), Array(FoldedName(other).searchBytes)
            )
            return text.indices.contains { text[$0...].starts(with: part) } || part.isEmpty
        case (.prefix, .text(let one)?, .text(let other)):
            return FoldedName(one).searchBytes.starts(with: FoldedName(other).searchBytes)
        default: return false
        }
    }
}

extension [UInt8] {
    /// A text that sorts like the bytes.
    fileprivate var sortable: String {
        map {
            String($0 + 0, radix: 16).count == 1
                ? "0" + String($0, radix: 16) : String($0, radix: 16)
        }.joined()
    }
}

extension FilterExpression.Comparison {
    func plainly<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
        switch rawValue {
        case "eq": left == right
        case "ne": !(left == right)
        case "gt": right < left
        case "ge": !(left < right)
        case "lt": left < right
        default: !(right < left)
        }
    }
}

/// An exhaustive matcher without memoization: for short patterns and texts.
struct PlainGlob {
    private let pattern: [Unicode.Scalar]
    private let options: Glob.Options

    init(_ glob: Glob) {
        pattern = Array(glob.pattern.unicodeScalars)
        options = glob.options
    }

    func matches(_ text: String) -> Bool {
        let text = Array(text.unicodeScalars)
        guard options.contains(.wholePath) else { return segment(pattern[...], text[...], true) }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = pattern.split(separator: "/", omittingEmptySubsequences: false)
        return path(wanted[...], parts[...])
    }

    private func isHidden(_ part: ArraySlice<Unicode.Scalar>) -> Bool {
        part.first == "." && !options.contains(.includingDotFiles)
    }

    private func path(
        _ wanted: ArraySlice<ArraySlice<Unicode.Scalar>>,
        _ parts: ArraySlice<ArraySlice<Unicode.Scalar>>
    ) -> Bool {
        guard let first = wanted.first else { return parts.isEmpty }
        if Array(first) == ["*", "*"] {
            if wanted.count == 1 { return !parts.isEmpty && !parts.contains { isHidden($0) } }
            if path(wanted.dropFirst(), parts) { return true }
            guard let part = parts.first, !isHidden(part) else { return false }
            return path(wanted, parts.dropFirst())
        }
        guard let part = parts.first else { return false }
        return segment(first, part, true) && path(wanted.dropFirst(), parts.dropFirst())
    }

    private func segment(
        _ wanted: ArraySlice<Unicode.Scalar>, _ text: ArraySlice<Unicode.Scalar>, _ isStart: Bool
    ) -> Bool {
        guard let first = wanted.first else { return text.isEmpty }
        let hides = isStart && isHidden(text)
        switch first {
        case "*":
            if hides { return false }
            if segment(wanted.dropFirst(), text, false) { return true }
            return !text.isEmpty && segment(wanted, text.dropFirst(), false)
        case "?":
            return !hides && !text.isEmpty && segment(wanted.dropFirst(), text.dropFirst(), false)
        case "[":
            guard let scalar = text.first, !hides,
                let end = wanted.dropFirst(2).firstIndex(of: "]")
            else { return false }
            return set(wanted[(wanted.startIndex + 1)..<end], holds: scalar)
                && segment(wanted[(end + 1)...], text.dropFirst(), false)
        case "\\" where !options.contains(.withoutEscapes):
            let rest = wanted.dropFirst()
            guard let literal = rest.first, let scalar = text.first else { return false }
            return isSame(literal, scalar)
                && segment(rest.dropFirst(), text.dropFirst(), false)
        default:
            guard let scalar = text.first else { return false }
            return isSame(first, scalar) && segment(wanted.dropFirst(), text.dropFirst(), false)
        }
    }

    private func set(_ members: ArraySlice<Unicode.Scalar>, holds scalar: Unicode.Scalar) -> Bool {
        var members = members
        let isNegated = members.first == "!" || members.first == "^"
        if isNegated { members = members.dropFirst() }
        var isInside = false
        while let first = members.first {
            members = members.dropFirst()
            var last = first
            if members.count > 1, members.first == "-" {
                members = members.dropFirst()
                last = members.removeFirst()
            }
            var variants = [scalar]
            if options.contains(.ignoringCase) {
                variants += "\(scalar)".lowercased().unicodeScalars
                variants += "\(scalar)".uppercased().unicodeScalars
            }
            if variants.contains(where: { first <= $0 && $0 <= last }) { isInside = true }
        }
        return isInside != isNegated
    }

    private func isSame(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
        one == other
            || options.contains(.ignoringCase) && "\(one)".lowercased() == "\(other)".lowercased()
    }
}

/// Random filters, patterns and documents, made of few letters, so that many match.
enum RandomFilters {
    static let suffixes = ["md", "txt", "a", "b.a"]
    private static let pieces = [
        "a", "b", "*", "**", "?", ".", "[ab]", "[!a]", "[^a-b]", "é", "A", "\\*", "[A-B]", "É",
    ]

    static func expression(
        _ random: inout SeededRandom, depth: Int = 0
    ) throws -> FilterExpression {
        let kinds = depth < 4 ? 0..<13 : 3..<13
        switch Int.random(in: kinds, using: &random) {
        case 0: return .all(try expressions(&random, depth))
        case 1: return .any(try expressions(&random, depth))
        case 2: return .not(try expression(&random, depth: depth + 1))
        case 3: return .everything
        case 4: return .liked
        case 5: return .suffix([Array((suffixes.randomElement(using: &random) ?? "").utf8)])
        case 6: return .name([Array(name(&random).utf8), Array("a".utf8)])
        case 7: return .size(comparison(&random), UInt64.random(in: 0...3, using: &random))
        case 8: return .modified(comparison(&random), Double.random(in: 0...3, using: &random))
        case 9: return .modified(comparison(&random), 1)
        case 10: return .hidden
        case 11: return .keys(DocumentKeys(["k", "f1", "x"].filter { _ in random.chance(0.5) }))
        default: return .glob(try glob(&random))
        }
    }

    private static func expressions(
        _ random: inout SeededRandom, _ depth: Int
    ) throws -> [FilterExpression] {
        try (0..<Int.random(in: 0...3, using: &random)).map { _ in
            try expression(&random, depth: depth + 1)
        }
    }

    static func comparison(_ random: inout SeededRandom) -> FilterExpression.Comparison {
        FilterExpression.Comparison.allCases.randomElement(using: &random) ?? .equal
    }

    static func glob(_ random: inout SeededRandom) throws -> Glob {
        var options: Glob.Options = []
        if random.chance(0.5) { options.insert(.wholePath) }
        if random.chance(0.3) { options.insert(.ignoringCase) }
        if random.chance(0.3) { options.insert(.includingDotFiles) }
        let parts = options.contains(.wholePath) ? Int.random(in: 1...4, using: &random) : 1
        let pattern = (0..<parts).map { _ in
            (0..<Int.random(in: 1...4, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "a" }.joined()
        }
        return try Glob(pattern.joined(separator: "/"), options)
    }

    static func name(_ random: inout SeededRandom) -> String {
        var name = ""
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            name += ["a", "b", "A", ".", "é", "*", "É"].randomElement(using: &random) ?? "a"
        }
        if random.chance(0.4) { name += "." + (suffixes.randomElement(using: &random) ?? "") }
        return name
    }

    static func path(_ random: inout SeededRandom) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in name(&random) }
            .joined(separator: "/")
    }

    static func document(_ random: inout SeededRandom) -> Document {
        let liked = random.chance(0.4)
        return Document(
            key: "k", root: "/r", path: FileName(path(&random)),
            size: UInt64.random(in: 0...4, using: &random),
            modified: FileTime(seconds: Int64.random(in: -1...3, using: &random))
        ).with(isLiked: liked)
    }
}
