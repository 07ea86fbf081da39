internal import WireProtocol

/// The meaning of words with a colon.
struct QueryTerms {
    let text: [Unicode.Scalar]
    let now: Timestamp
    let zone: CalendarZone

    static let options = QueryWords.keys.filter(\.isOption).map(\.name)
    private static let known = QueryWords.keys.map { $0.name + ":" }

    private typealias Unit = QueryLexer.Unit

    private func error(_ message: String, _ range: Range<Int>) -> QueryTextError {
        QueryTextError(message, at: range, of: text)
    }

    /// "KEY: must be X".
    private func wrong(_ token: QueryLexer.Token, _ right: String) -> QueryTextError {
        guard case .term(let key, let value) = token.kind else { return error(right, token.range) }
        let range = value.isEmpty ? token.range : token.valueStart..<token.range.upperBound
        return error("'\(key):' must be followed by \(right)", range)
    }

    private static func text(_ units: some Sequence<Unit>) -> String {
        units.map(\.text).joined()
    }

    // MARK: Conditions

    func filter(_ token: QueryLexer.Token) throws(QueryTextError) -> PickerFilter {
        guard case .term(let key, let value) = token.kind else { return .everything }
        let text = Self.text(value)
        switch key {
        case "type", "ext", "suffix":
            return try suffixes(token, value, mayBeNamed: key == "type")
        case "name":
            if text.isEmpty || text.contains("/") {
                throw wrong(token, "the name of a file, without folders")
            }
            return .name(text)
        case "match", "imatch":
            if text.isEmpty || text.contains("/") {
                throw wrong(token, "a pattern for names, such as *.txt; for folders there is path:")
            }
            return .match(text, ignoringCase: key == "imatch")
        case "path":
            if text.isEmpty || text.hasPrefix("/") || text.hasSuffix("/") {
                throw wrong(
                    token, "a pattern for paths below the watched folder, such as drafts/**")
            }
            return .path(text)
        case "size": return try size(token, value)
        case "modified": return try modified(token, value)
        case "liked", "hidden":
            guard let isWanted = QueryWords.flags[text] else { throw wrong(token, "yes or no") }
            let filter: PickerFilter = key == "liked" ? .liked : .hidden
            return isWanted ? filter : !filter
        case "is":
            guard let mark = QueryWords.marks.first(where: { $0.word == text }) else {
                throw wrong(token, "liked, dropped or any")
            }
            return mark.filter
        case "attr": return try attribute(token, value)
        default:
            if Self.isAttribute(key) { return try attribute(key, token, value) }
            throw unknown(key, token)
        }
    }

    /// Whether a key may be the name of an attribute: words with dots between.
    static func isAttribute(_ key: String) -> Bool {
        let words = key.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isPlain = words.allSatisfy { word in
            !word.isEmpty
                && word.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x2D }
        }
        return words.count > 1 && isPlain && 0x61...0x7A ~= (key.utf8.first ?? 0)
    }

    /// `image.width:>4000`, `image.tracked:yes`, `image.taken:2024`, `image.camera:canon`, `image.camera:*`.
    private func attribute(
        _ name: String, _ token: QueryLexer.Token, _ value: [Unit]
    ) throws(QueryTextError) -> PickerFilter {
        let (comparison, rest) = Self.comparison(value)
        let text = Self.text(rest)
        if text.isEmpty {
            throw wrong(
                token,
                "a value of the attribute, such as >4000, yes, 2024-05, a part of its text, or *")
        }
        var isQuoted = false
        if case .quoted? = rest.first { isQuoted = true }
        if isQuoted {
            return comparison.map { .attribute(name, $0, AttributeValue(text)) }
                ?? .attribute(name, .contains, text)
        }
        if comparison == nil, text == "*" { return .isKnown(name) }
        if let flag = QueryWords.flags[text] {
            return .attribute(name, comparison ?? .equal, AttributeValue(flag))
        }
        if let number = Double(text), number.isFinite {
            return .attribute(name, comparison ?? .equal, AttributeValue(number))
        }
        if let span = TimeWords.span(text, now: now, in: zone) {
            return span.filter(of: name, comparison ?? .equal)
        }
        if let comparison { return .attribute(name, comparison, AttributeValue(text)) }
        if text.hasSuffix("*") { return .attribute(name, .prefix, String(text.dropLast())) }
        return .attribute(name, .contains, text)
    }

    private func unknown(_ key: String, _ token: QueryLexer.Token) -> QueryTextError {
        let range = token.range.lowerBound..<token.valueStart
        if Self.options.contains(key) {
            return error("'\(key):' must stand outside of brackets, and can't be negated", range)
        }
        let word = String(String.UnicodeScalarView(self.text[range]))
        let hint = NearestWord.hint(for: key + ":", among: Self.known)
        return error(
            "unknown word '\(word)'\(hint.isEmpty ? "." : hint) "
                + "Known are \(Self.known.joined(separator: " ")); "
                + "what is to be searched for as it is goes in quotes", range)
    }

    /// Whether the text before a colon is not a key or similar to one: then the word may be a name.
    static func isForeign(_ key: String) -> Bool {
        !known.contains(key + ":") && NearestWord.to(key + ":", among: known) == nil
    }

    /// Whether the colon is missing, as in `size>1M`.
    static func lacksColon(_ word: String) -> Bool {
        let key = word.prefix { $0.isASCII && $0.isLetter }
        guard ["size", "modified"].contains(key.lowercased()) else { return false }
        return word.dropFirst(key.count).first.map { "<>=!".contains($0) } ?? false
    }

    /// Words that people may mistake for types and that are rarely suffixes of names.
    static let noTypes: Set<String> = [
        "code", "document", "documents", "image", "images", "picture", "pictures", "photo",
        "photos",
        "videos", "movie", "movies", "music", "sound", "file", "files", "folder", "folders",
        "directory",
    ]

    private func suffixes(
        _ token: QueryLexer.Token, _ value: [Unit], mayBeNamed: Bool
    ) throws(QueryTextError) -> PickerFilter {
        var suffixes: [String] = []
        for part in Self.parts(of: value) {
            var text = Self.text(part)
            if text.hasPrefix(".") { text.removeFirst() }
            if text.isEmpty || text.hasPrefix(".") || text.contains("/") {
                throw wrong(token, "what names end in, such as pdf, or md,txt")
            }
            let named = mayBeNamed ? DocumentType.named(by: text) : nil
            if mayBeNamed, named == nil, Self.noTypes.contains(text.lowercased()) {
                let types = DocumentType.named.map(\.name).joined(separator: ", ")
                throw wrong(
                    token,
                    "what names end in, or one of \(types); 'ext:\(text)' is names in .\(text)")
            }
            suffixes += named?.suffixes ?? [text]
        }
        return .suffix(suffixes)
    }

    /// The parts between commas.
    private static func parts(of value: [Unit]) -> [[Unit]] {
        var parts: [[Unit]] = [[]]
        for unit in value {
            if case .bare(",") = unit {
                parts.append([])
            } else {
                parts[parts.count - 1].append(unit)
            }
        }
        return parts
    }

    private func size(
        _ token: QueryLexer.Token, _ value: [Unit]
    ) throws(QueryTextError) -> PickerFilter {
        let (comparison, rest) = Self.comparison(value)
        guard let size = SizeWords.bytes(Self.text(rest)) else {
            throw wrong(
                token, "a size, such as >1M: < <= > >= or !=, a number, and K M G T or Ki Mi Gi Ti")
        }
        return .size(comparison ?? .equal, size)
    }

    private func modified(
        _ token: QueryLexer.Token, _ value: [Unit]
    ) throws(QueryTextError) -> PickerFilter {
        let (comparison, rest) = Self.comparison(value)
        let text = Self.text(rest)
        if let age = TimeWords.age(text) {
            // Younger than an age means later than that moment in the past.
            let moment = now.seconds - age
            switch comparison {
            case nil, .less?: return .modified(.greater, moment)
            case .atMost?: return .modified(.atLeast, moment)
            case .greater?: return .modified(.less, moment)
            case .atLeast?: return .modified(.atMost, moment)
            case .equal?, .notEqual?:
                throw wrong(token, "< or > and an age: no file is just \(text) old")
            }
        }
        guard let span = TimeWords.span(text, now: now, in: zone) else {
            throw wrong(
                token,
                """
                an age, such as <7d (s min h d w mo y), or a date, such as >=2026-11-21, \
                2026-11 or 2026-11-21T17:30; today and yesterday are dates
                """)
        }
        switch comparison ?? .equal {
        case .equal: return span.filter
        case .notEqual: return !span.filter
        case .greater: return span.isAfter
        case .atLeast: return .modified(.atLeast, span.start)
        case .less: return .modified(.less, span.start)
        case .atMost: return !span.isAfter
        }
    }

    private func attribute(
        _ token: QueryLexer.Token, _ value: [Unit]
    ) throws(QueryTextError) -> PickerFilter {
        let start = value.firstIndex {
            if case .bare(let scalar) = $0 {
                "<>=!~^".unicodeScalars.contains(scalar)
            } else {
                false
            }
        }
        let name = Self.text(value[..<(start ?? value.endIndex)])
        if case .bare(let sign)? = start.map({ value[$0] }), sign == "~" || sign == "^" {
            let text = Self.text(value.dropFirst((start ?? 0) + 1))
            return .attribute(name, sign == "~" ? .contains : .prefix, text)
        }
        let (comparison, rest) = Self.comparison(Array(value[(start ?? value.endIndex)...]))
        guard !name.isEmpty, let comparison, !rest.isEmpty else {
            throw wrong(token, "an attribute, a comparison and a value, such as pdf.pages>=10")
        }
        let text = Self.text(rest)
        if case .quoted? = rest.first {
            return .attribute(name, comparison, AttributeValue(text))
        }
        if comparison == .equal, text == "*" { return .isKnown(name) }
        if let flag = Bool(text) { return .attribute(name, comparison, AttributeValue(flag)) }
        if let number = Double(text), number.isFinite {
            return .attribute(name, comparison, AttributeValue(number))
        }
        return .attribute(name, comparison, AttributeValue(text))
    }

    /// The comparison at the start of a value, and the rest.
    private static func comparison(
        _ value: [Unit]
    ) -> (PickerFilter.Comparison?, rest: [Unit]) {
        for (sign, comparison) in QueryPrinter.signs {
            let head = value.prefix(sign.unicodeScalars.count)
            let isBare = head.allSatisfy { if case .bare = $0 { true } else { false } }
            if isBare, text(head) == sign {
                return (comparison, Array(value.dropFirst(head.count)))
            }
        }
        return (nil, value)
    }

    // MARK: Options

    func setOption(
        _ token: QueryLexer.Token, of query: inout ListQuery
    ) throws(QueryTextError) {
        guard case .term(let key, let value) = token.kind else { return }
        switch key {
        case "sort":
            for part in Self.parts(of: value) {
                query.sort = query.sort + [try sortKey(Self.text(part), token)]
            }
        case "limit": query.count = try count(token, value)
        default: query.start = try count(token, value)
        }
    }

    private func sortKey(
        _ key: String, _ token: QueryLexer.Token
    ) throws(QueryTextError) -> String {
        let name = key.hasPrefix("-") ? String(key.dropFirst()) : key
        guard SortKey.problem(with: key) == nil else {
            throw wrong(
                token,
                "\(SortKey.known.joined(separator: ", ")), with '-' in front for the reverse, "
                    + "and commas between; not by '\(key)'"
                    + NearestWord.hint(for: name, among: SortKey.known))
        }
        return key
    }

    private func count(
        _ token: QueryLexer.Token, _ value: [Unit]
    ) throws(QueryTextError) -> Int {
        guard let count = Int(Self.text(value)), count >= 0 else {
            throw wrong(token, "a number of rows, such as 50")
        }
        return count
    }
}
