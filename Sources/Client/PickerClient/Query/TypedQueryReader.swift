internal import WireProtocol

/// Divides what is typed in a picker into its parts: conditions and options, as `QueryParser` has them, and all else,
/// which is searched for.
struct TypedQueryReader {
    struct Part {
        enum Kind {
            /// The text of a search, and what it looks for; nil if for the lack of something.
            case search(String, term: String?)
            /// What may stand between two conditions.
            case or
            case condition(PickerFilter)
            case option
            case fault(QueryTextError)
        }

        var kind: Kind
        let range: Range<Int>
        /// The words of a condition or option, as far as they could be told apart.
        var tokens: [QueryLexer.Token] = []
        /// Whether brackets are not closed.
        var isOpen = false

        /// Whether it stands where a condition can.
        var isCondition: Bool {
            switch kind {
            case .condition, .fault: true
            case .search, .or, .option: false
            }
        }
    }

    /// What the options say.
    private(set) var options = ListQuery()
    private(set) var parts: [Part] = []

    private let text: [Unicode.Scalar]
    private let now: Timestamp
    private let zone: CalendarZone
    /// The attributes that there are; nil if that is not known.
    private let attributes: [String]?
    private var place = 0

    /// - Complexity: O(n), times the words that begin with a dash or bracket.
    init(
        _ text: [Unicode.Scalar], at now: Timestamp, in zone: CalendarZone, attributes: [String]?
    ) {
        self.text = text
        self.now = now
        self.zone = zone
        self.attributes = attributes
        while let part = next() { parts.append(part) }
    }

    private mutating func next() -> Part? {
        while place < text.count, text[place].properties.isWhitespace { place += 1 }
        guard place < text.count else { return nil }
        let part = (text[place] == "\"" ? quotedText() : condition()) ?? searchText()
        place = part.range.upperBound
        return part
    }

    // MARK: Conditions

    /// The condition or option that begins here, perhaps with a dash or with brackets; nil if there is none with a
    /// known key.
    private mutating func condition() -> Part? {
        var lexer = QueryLexer(text, from: place)
        var tokens: [QueryLexer.Token] = []
        var stray: QueryLexer.Token?
        var depth = 0
        var isKnown = false
        reading: while depth <= QueryParser.greatestDepth {
            lexer.skipBlanks()
            let hasKey = lexer.key().map { isKey($0, amongOthers: isKnown) } ?? false
            isKnown = isKnown || hasKey
            let token: QueryLexer.Token?
            do {
                token = try lexer.nextToken()
            } catch {
                // Within the value of a key all that follows is quoted; otherwise a quote is searched for.
                guard isKnown else { return nil }
                let end = hasKey ? text.count : tokens.last?.range.upperBound ?? text.count
                return Part(kind: .fault(error), range: place..<end)
            }
            guard let token else { break }
            switch token.kind {
            case .not: break
            case .open: depth += 1
            case .close where isKnown && depth > 0: depth -= 1
            case .or where isKnown && depth > 0: break
            case .term where hasKey: break
            default:
                stray = token
                break reading
            }
            tokens.append(token)
            if case .not = token.kind { continue }
            if depth == 0 { break }
        }
        guard isKnown, let end = tokens.last?.range.upperBound else { return nil }
        return Part(
            kind: meaning(of: tokens, and: stray), range: place..<end, tokens: tokens,
            isOpen: depth > 0)
    }

    private func isKey(_ key: String, amongOthers isBehindKey: Bool) -> Bool {
        if QueryTerms.isAttribute(key) { return isBehindKey || attributes?.contains(key) ?? true }
        return QueryWords.keys.contains { $0.name == key }
    }

    /// What words mean: those of one condition or option, and one that can't stand there.
    private mutating func meaning(
        of tokens: [QueryLexer.Token], and stray: QueryLexer.Token?
    ) -> Part.Kind {
        do throws(QueryTextError) {
            if case .term(let key, _) = tokens[0].kind, QueryTerms.options.contains(key) {
                try setOption(key, tokens[0])
                return .option
            }
            let words = tokens + (stray.map { [$0] } ?? [])
            var parser = QueryParser(words, of: text, at: now, in: zone)
            return .condition(try parser.parseCondition())
        } catch {
            return .fault(error)
        }
    }

    private mutating func setOption(
        _ key: String, _ token: QueryLexer.Token
    ) throws(QueryTextError) {
        if key == "skip" {
            throw QueryTextError(
                "'skip:' leaves out rows of a printed list; this one can be scrolled",
                at: token.range, of: text)
        }
        var all = options
        try QueryTerms(text: text, now: now, zone: zone).setOption(token, of: &all)
        options = all
    }

    // MARK: Text that is searched for

    /// A text in quotes, whose letters are searched for together; nil if the quote is not closed, or a letter follows.
    private func quotedText() -> Part? {
        var lexer = QueryLexer(text, from: place)
        guard let token = try? lexer.nextToken(), case .word(let word) = token.kind else {
            return nil
        }
        // A backslash at the end would escape the blank that follows.
        var rest = Substring(word)
        while rest.hasSuffix("\\") { rest.removeLast() }
        let escaped = rest.split(separator: " ", omittingEmptySubsequences: false)
            .joined(separator: "\\ ")
        return Part(
            kind: .search(escaped.isEmpty ? "" : "'" + escaped, term: word), range: token.range)
    }

    /// Text up to a blank that has no backslash before it.
    private func searchText() -> Part {
        var end = place
        while end < text.count,
            !text[end].properties.isWhitespace
                || text[end] == " " && end > place && text[end - 1] == "\\"
        {
            end += 1
        }
        let word = String(String.UnicodeScalarView(text[place..<end]))
        let isOr = ["or", "OR"].contains(word)
        return Part(
            kind: isOr ? .or : .search(word, term: Self.term(of: word)), range: place..<end)
    }

    /// The text that a term of fzf's looks for, without its marks; nil if it looks for the lack of one.
    private static func term(of word: String) -> String? {
        var text = String.UnicodeScalarView()
        for scalar in word.unicodeScalars {
            if scalar == " ", text.last == "\\" { text.removeLast() }
            text.append(scalar)
        }
        var rest = text[...]
        if rest.first == "!" { return nil }
        if rest.count > 1, rest.last == "$" { rest.removeLast() }
        if rest.first == "'" || rest.first == "^" { rest.removeFirst() }
        return rest.isEmpty ? nil : String(rest)
    }
}
