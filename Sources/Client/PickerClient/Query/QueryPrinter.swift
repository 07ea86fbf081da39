/// Prints queries as text, which parses to an equal query.
enum QueryPrinter {
    /// Longer signs first, because they start with shorter ones.
    static let signs: [(String, PickerFilter.Comparison)] = [
        (">=", .atLeast), ("<=", .atMost), ("!=", .notEqual), (">", .greater), ("<", .less),
        ("=", .equal),
    ]

    static func text(_ query: ListQuery) -> String {
        var words: [String] = []
        if let search = query.search, !search.isEmpty {
            words.append(query.match == .fuzzy ? fuzzyTerms(search) : searchWords(search))
        }
        if let filter = query.filter { words.append(text(filter)) }
        if !query.sort.isEmpty {
            words.append("sort:" + query.sort.map { value($0) }.joined(separator: ","))
        }
        if query.start != 0 { words.append("skip:\(query.start)") }
        if let count = query.count { words.append("limit:\(count)") }
        return words.joined(separator: " ")
    }

    static func text(_ filter: PickerFilter) -> String {
        if case .all(let parts) = filter.node { return row(parts) }
        return text(filter.node)
    }

    private static func row(_ nodes: [PickerFilter.Node]) -> String {
        nodes.map { text($0) }.joined(separator: " ")
    }

    /// A condition, in parentheses if it is compound.
    private static func text(_ node: PickerFilter.Node) -> String {
        switch node {
        case .everything: return "is:any"
        case .nothing: return "-is:any"
        case .all(let parts): return "(\(row(parts)))"
        case .any(let parts):
            let options = parts.map { part in
                if case .all(let parts) = part { row(parts) } else { text(part) }
            }
            return "(\(options.joined(separator: " or ")))"
        case .keys, .not(.keys): return "is:any"
        case .not(let part): return "-" + text(part)
        case .suffix(let suffixes): return text(suffixes: suffixes.map(\.text))
        case .name(let name): return "name:" + value(name.text)
        case .match(let pattern, let ignoresCase):
            return (ignoresCase ? "imatch:" : "match:") + value(pattern.text)
        case .path(let pattern): return "path:" + value(pattern.text)
        case .size(.equal, let size): return "size:" + SizeWords.text(size)
        case .size(let comparison, let size):
            return "size:" + sign(comparison) + SizeWords.text(size)
        case .modified(let comparison, let seconds):
            return "modified:" + sign(comparison) + TimeWords.text(seconds)
        case .liked: return "is:liked"
        case .dropped: return "is:dropped"
        case .hidden: return "hidden:yes"
        case .attribute(let name, let comparison, let value):
            return "attr:" + attributeName(name.text) + sign(comparison) + text(value)
        case .attributeText(let name, let match, let text):
            return "attr:" + attributeName(name.text) + (match == .contains ? "~" : "^")
                + quoted(text.text)
        case .attributeKnown(let name): return "attr:" + attributeName(name.text) + "=*"
        }
    }

    private static func sign(_ comparison: PickerFilter.Comparison) -> String {
        signs.first { $0.1 == comparison }?.0 ?? "="
    }

    private static func text(suffixes: [String]) -> String {
        let named = DocumentType.named.first { $0.type.suffixes == suffixes }
        if let named { return "type:" + named.name }
        // `type:` would read these as names of types.
        let isPlain = suffixes.allSatisfy { suffix in
            !DocumentType.named.contains { $0.name == suffix }
                && !QueryTerms.noTypes.contains(suffix.lowercased())
        }
        let list = suffixes.map { value($0) }.joined(separator: ",")
        return (isPlain ? "type:" : "ext:") + list
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value.content {
        case .number(let number): return Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .flag(let flag): return "\(flag)"
        case .text(let text): return quoted(text.text)
        }
    }

    // MARK: Quotes

    private static let special = Set("\"(),<>=!".unicodeScalars)
    private static let fuzzySpecial = Set("\"()".unicodeScalars)

    private static func isBare(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && !special.contains($0)
            }
    }

    /// Two more signs stand between the name of an attribute and a text.
    private static func attributeName(_ name: String) -> String {
        name.unicodeScalars.contains { $0 == "~" || $0 == "^" } ? quoted(name) : value(name)
    }

    private static func value(_ text: String) -> String { isBare(text) ? text : quoted(text) }

    private static func quoted(_ text: String) -> String {
        var result = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        result.append("\"")
        return String(result)
    }

    /// The search text: as words, or in quotes if words would parse differently.
    private static func searchWords(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let isPlain = words.allSatisfy { word in
            guard isBare(String(word)), let first = word.unicodeScalars.first else { return false }
            return first != "-" && first != "~" && !word.unicodeScalars.contains(":")
                && word != "or" && word != "OR"
        }
        return isPlain ? text : quoted(text)
    }

    /// The text of a fuzzy search: as terms, or in quotes if those would parse differently.
    private static func fuzzyTerms(_ text: String) -> String {
        let terms = text.split(separator: " ", omittingEmptySubsequences: false)
        let isPlain = terms.allSatisfy { term in
            !term.isEmpty
                && term.unicodeScalars.allSatisfy {
                    !$0.properties.isWhitespace && !fuzzySpecial.contains($0)
                }
        }
        return isPlain ? terms.map { "~\($0)" }.joined(separator: " ") : "~" + quoted(text)
    }
}
