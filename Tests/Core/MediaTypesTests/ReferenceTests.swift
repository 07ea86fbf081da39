// The table against the specification taken word by word: each glob is tried on each name.

import MediaTypes
import TestSupport
import Testing

/// The globs of files, in order of precedence, tried one by one.
private struct Reference {
    private struct Rule {
        let weight: Int
        let type: String
        let pattern: [UInt8]
        let isCaseSensitive: Bool
        let file: Int
    }

    private var rules: [Rule] = []
    private let fallback: [String: String]

    init(_ files: [String], fallback: String) {
        var suffixes: [String: String] = [:]
        var last = ""
        for line in fallback.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            for suffix in words.dropFirst() {
                suffixes["*." + suffix] = words[0]
                last += "50:\(words[0]):*.\(suffix)\n"
            }
        }
        self.fallback = suffixes
        var refused: Set<String> = []
        for (file, text) in (files + [last]).enumerated() {
            let before = rules
            var refusedHere: Set<String> = []
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                let fields = line.split(separator: ":").map(String.init)
                if fields[2] == "__NOGLOBS__" {
                    refusedHere.insert(fields[1])
                    continue
                }
                let isCaseSensitive = fields.count > 3 && fields[3] == "cs"
                if !isCaseSensitive, text.split(separator: "\n").contains(line + ":cs") { continue }
                let pattern = isCaseSensitive ? fields[2] : Self.folded(fields[2])
                if refused.contains(fields[1])
                    || before.contains(where: {
                        $0.pattern == Array(pattern.utf8) && $0.isCaseSensitive == isCaseSensitive
                    })
                {
                    continue
                }
                rules.append(
                    Rule(
                        weight: Int(fields[0]) ?? -1, type: fields[1],
                        pattern: Array(pattern.utf8), isCaseSensitive: isCaseSensitive, file: file))
            }
            refused.formUnion(refusedHere)
        }
    }

    static func folded(_ text: String) -> String {
        String(decoding: text.utf8.map(folded), as: UTF8.self)
    }

    static func folded(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

    func type(_ name: [UInt8]) -> String {
        var best: (rule: Rule, order: [Int])?
        for rule in rules {
            let units = Self.units(rule.isCaseSensitive ? name : name.map(Self.folded))
            guard Self.matches(rule.pattern[...], units[...]) else { continue }
            let order = order(rule)
            if let known = best {
                if known.order.lexicographicallyPrecedes(order)
                    || known.order == order && rule.type < known.rule.type
                {
                    best = (rule, order)
                }
            } else {
                best = (rule, order)
            }
        }
        return best?.rule.type ?? octets
    }

    private func order(_ rule: Rule) -> [Int] {
        let special = Set("*?[".utf8)
        let isLiteral = !rule.pattern.contains(where: special.contains)
        let isTail =
            rule.pattern.first == 42 && rule.pattern.count > 1
            && !rule.pattern.dropFirst().contains(where: special.contains)
        let isExpected =
            fallback[String(decoding: rule.pattern, as: UTF8.self)] == rule.type
        return [
            isLiteral ? 2 : isTail ? 1 : 0, rule.weight, rule.pattern.count,
            rule.isCaseSensitive ? 1 : 0, -rule.file, isExpected ? 1 : 0,
        ]
    }

    /// The characters of a name; each byte that is part of none.
    private static func units(_ name: [UInt8]) -> [[UInt8]] {
        var units: [[UInt8]] = []
        var rest = name[...]
        while let first = rest.first {
            let width = (1...4).first { width in
                width <= rest.count
                    && String(validating: rest.prefix(width), as: UTF8.self) != nil
            }
            units.append(width.map { Array(rest.prefix($0)) } ?? [first])
            rest.removeFirst(width ?? 1)
        }
        return units
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<[UInt8]>) -> Bool {
        guard let byte = pattern.first else { return name.isEmpty }
        if byte == 42 {
            return matches(pattern.dropFirst(), name)
                || !name.isEmpty && matches(pattern, name.dropFirst())
        }
        guard let unit = name.first else { return false }
        if byte == 63 { return matches(pattern.dropFirst(), name.dropFirst()) }
        if byte == 91, let close = pattern.dropFirst(2).firstIndex(of: 93) {
            let inside = pattern[(pattern.startIndex + 1)..<close]
            let isNegated = inside.first == 33
            let members = Set(isNegated ? inside.dropFirst() : inside)
            let isMember = unit.count == 1 && members.contains(unit[0])
            return isMember != isNegated && matches(pattern[(close + 1)...], name.dropFirst())
        }
        return pattern.starts(with: unit)
            && matches(pattern.dropFirst(unit.count), name.dropFirst())
    }
}

@Suite struct ReferenceTests {
    private static let pieces = [
        "a", "A", "b", "B", "1", ".", ".", ".a", ".b.a", "é", "É", "~", "so", "read",
    ]

    private static func text(_ count: Int, _ numbers: inout SeededRandom) -> String {
        (0..<count).map { _ in pieces.randomElement(using: &numbers) ?? "" }.joined()
    }

    private static func pattern(_ numbers: inout SeededRandom) -> String {
        let text = text(Int.random(in: 1...3, using: &numbers), &numbers)
        switch Int.random(in: 0..<20, using: &numbers) {
        case 0..<4: return text
        case 4..<14: return "*" + text
        case 14: return "*" + text + "[ab1]"
        case 15: return "*" + text + "*"
        case 16: return text + "*"
        case 17: return "*.[!ab]" + text
        case 18: return "?" + text
        default: return text + "*" + Self.text(1, &numbers) + "?"
        }
    }

    private static func list(_ numbers: inout SeededRandom) -> String {
        var lines: [String] = []
        // A table takes 64 globs of the kinds that are rare here, of three lists.
        for _ in 0..<Int.random(in: 0...30, using: &numbers) {
            let type = "t/\(Int.random(in: 0..<12, using: &numbers))"
            let weight = [50, 50, 50, 10, 60].randomElement(using: &numbers) ?? 50
            let flags = Bool.random(using: &numbers) && Bool.random(using: &numbers) ? ":cs" : ""
            let line = "\(weight):\(type):\(pattern(&numbers))"
            lines.append(line + flags)
            if !flags.isEmpty, Bool.random(using: &numbers) { lines.append(line) }
        }
        if Int.random(in: 0..<4, using: &numbers) == 0 {
            lines.insert("0:t/\(Int.random(in: 0..<12, using: &numbers)):__NOGLOBS__", at: 0)
        }
        return lines.joined(separator: "\n")
    }

    @Test("a table says of random names what all globs tried one by one say")
    func random() {
        withSeed { numbers in
            var known = 0
            for _ in 0..<60 {
                let files = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
                    Self.list(&numbers)
                }
                let fallback = "t/1 a b.a 1\nt/20 b é a1\nt/3 bb"
                let table = MediaTypeTable(files, fallback: fallback)
                let reference = Reference(files, fallback: fallback)
                #expect(table.leftOut.total == 0)
                for _ in 0..<60 {
                    var name = Array(
                        Self.text(Int.random(in: 0...5, using: &numbers), &numbers).utf8)
                    if Int.random(in: 0..<10, using: &numbers) == 0, !name.isEmpty {
                        name[Int.random(in: 0..<name.count, using: &numbers)] = 0xC3
                    }
                    let expected = reference.type(name)
                    if expected != octets { known += 1 }
                    #expect(
                        table.type(name) == expected,
                        "name \(String(decoding: name, as: UTF8.self)), \(files)")
                }
            }
            // Else the comparison says little.
            #expect(known > 1000)
        }
    }
}
