import Foundation

/// Names as people give them to files: words in several styles, dates, numbers and suffixes.
struct SeededFileNames {
    var random: SeededNumbers
    /// How many words of a hundred have letters beyond ASCII.
    let foreign: Int

    private static let words = """
        report invoice notes meeting budget presentation tax draft final summary project plan photo image \
        holiday letter contract offer order receipt statement analysis design review agenda minutes chapter \
        thesis article paper source index main test config setup readme license quarterly annual monthly \
        weekly customer vendor client partner team sales marketing engineering finance legal backup archive \
        export import data table list schedule calendar recipe garden house car insurance travel ticket \
        passport scan copy version old new
        """.split(separator: " ").map(String.init)
    private static let foreignWords = """
        résumé übersicht straße año größe ångström naïve façade ελληνικά привет документ отчёт 報告書 会議 地図 \
        한국어 ﬁnal œuvre
        """.split(separator: " ").map(String.init)
    private static let suffixes = """
        pdf docx txt md png jpg xlsx csv html json swift py zip odt pptx
        """.split(separator: " ").map(String.init)

    init(seed: UInt64, foreign: Int = 0) {
        random = SeededNumbers(seed: seed)
        self.foreign = foreign
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func name() -> String {
        let separator = pick(["_", "-", " ", ".", " - ", "", ""])
        let style = number(0...9)
        let words = (0..<number(1...4)).map { _ in
            let word = number(0...99) < foreign ? pick(Self.foreignWords) : pick(Self.words)
            switch style {
            case 0...4: return separator.isEmpty ? word.capitalized : word
            case 5...8: return word.capitalized
            default: return word.uppercased()
            }
        }
        var name = words.joined(separator: separator)
        switch number(0...9) {
        case 0...2: name += "\(separator)\(number(1...999))"
        case 3...4:
            let (month, day) = (number(101...112), number(101...128))
            name += "-\(number(2001...2026))-\("\(month)".dropFirst())-\("\(day)".dropFirst())"
        case 5: name += " (\(number(1...20)))"
        default: break
        }
        return name + "." + pick(Self.suffixes)
    }

    /// A part of a name as someone may type it, of a kind that fzf has an operator for; and the kind.
    mutating func query(of names: [String]) -> (text: String, kind: String) {
        func part(_ kind: String) -> String {
            let name = names[number(0...names.count - 1)].lowercased()
            let count = min(name.count, number(2...8))
            var letters = name[...]
            switch kind {
            case "prefix": letters = name.prefix(count)
            case "suffix": letters = name.suffix(count)
            case "exact":
                letters = name.dropFirst(number(0...name.count - count)).prefix(count)
            default:
                let places = name.indices.shuffled(using: &random).prefix(count).sorted()
                letters = String(places.map { name[$0] })[...]
            }
            return String(letters.replacing(" ", with: "\\ "))
        }
        switch number(0...11) {
        case 0...5: return (part("fuzzy"), "fuzzy")
        case 6: return (part("fuzzy") + " " + part("fuzzy"), "two terms")
        case 7: return ("'" + part("exact"), "exact")
        case 8: return ("^" + part("prefix"), "prefix")
        case 9: return (part("suffix") + "$", "suffix")
        case 10: return (part("fuzzy") + " !" + part("exact"), "not")
        default: return (part("fuzzy") + " | " + part("exact"), "alternatives")
        }
    }
}
