internal import WireProtocol

// From a line of text to a query:
//
//     query       = { word | option | condition }          words are the search text
//                 | { "~" term | option | condition }      terms are that of a fuzzy search
//     condition   = ("-" | "not:") condition | "(" alternatives ")" | key ":" value
//     alternatives = conditions { "or" conditions }         at the top, too
//     option      = ("sort" | "limit" | "skip") ":" value
//
// Conditions side by side must all hold, and bind tighter than `or`. Only at the top may there be words
// and options, and words not beside `or`. Either all words are terms of a fuzzy search, or none is.

/// Reads the text of one query.
struct QueryParser {
    /// The deepest nesting of parentheses; the daemon allows no more.
    static let greatestDepth = 14

    private let text: [Unicode.Scalar]
    private let tokens: [QueryLexer.Token]
    private let terms: QueryTerms
    private var place = 0
    private var query = ListQuery()
    private var words: [SearchWord] = []

    /// A word that is searched for.
    private struct SearchWord {
        let text: String
        var isFuzzy = false
        let range: Range<Int>

        /// As it is typed.
        var shown: String { isFuzzy ? "~\(text)" : text }
    }

    init(_ text: String, at now: Timestamp, in zone: CalendarZone) throws(QueryTextError) {
        var lexer = QueryLexer(text)
        tokens = try lexer.tokens()
        self.text = lexer.text
        terms = QueryTerms(text: lexer.text, now: now, zone: zone)
    }

    /// A parser of words that are one condition.
    init(
        _ tokens: [QueryLexer.Token], of text: [Unicode.Scalar], at now: Timestamp,
        in zone: CalendarZone
    ) {
        self.tokens = tokens
        self.text = text
        terms = QueryTerms(text: text, now: now, zone: zone)
    }

    /// The condition that the words are.
    mutating func parseCondition() throws(QueryTextError) -> PickerFilter {
        try condition(depth: 0)
    }

    mutating func parse() throws(QueryTextError) -> ListQuery {
        let filter = try alternatives(depth: 0)
        query.filter = filter == .everything ? nil : filter
        if !words.isEmpty {
            let search = words.map(\.text).joined(separator: " ")
            query.search = search.isEmpty ? nil : search
            if words[0].isFuzzy, query.search != nil { query.match = .fuzzy }
        }
        return query
    }

    private func error(_ message: String, _ range: Range<Int>) -> QueryTextError {
        QueryTextError(message, at: range, of: text)
    }

    // MARK: Conditions

    /// Conditions up to the end, or to the closing parenthesis.
    private mutating func alternatives(depth: Int) throws(QueryTextError) -> PickerFilter {
        var options: [PickerFilter] = []
        var conditions: [PickerFilter] = []
        var lastOr: Range<Int>?
        loop: while place < tokens.count {
            let token = tokens[place]
            switch token.kind {
            case .close:
                if depth == 0 { throw error("this bracket closes none", token.range) }
                break loop
            case .or:
                if depth == 0, let word = words.first {
                    throw error(Self.besideOr(word.shown), word.range)
                }
                guard !conditions.isEmpty else {
                    throw error("'or' stands between two conditions", token.range)
                }
                options.append(.all(conditions))
                conditions = []
                lastOr = token.range
                place += 1
            case .term(let key, let value)
            where depth == 0 && value.isEmpty && lastOr == nil && QueryTerms.isForeign(key):
                let typed = String.UnicodeScalarView(text[token.range])
                try add(SearchWord(text: String(typed), range: token.range))
            case .word(let word) where depth == 0:
                if QueryTerms.lacksColon(word), text[token.range.lowerBound] != "\"" {
                    let key = word.prefix { $0.isLetter }
                    throw error(
                        "'\(word)' lacks a colon: '\(key):\(word.dropFirst(key.count))' is a "
                            + "condition; in quotes it is searched for", token.range)
                }
                if lastOr != nil { throw error(Self.besideOr(word), token.range) }
                try add(SearchWord(text: word, range: token.range))
            case .fuzzy(let terms) where depth == 0:
                let word = SearchWord(text: terms, isFuzzy: true, range: token.range)
                if lastOr != nil { throw error(Self.besideOr(word.shown), token.range) }
                try add(word)
            case .term(let key, _) where depth == 0 && QueryTerms.options.contains(key):
                try terms.setOption(token, of: &query)
                place += 1
            default:
                conditions.append(try condition(depth: depth))
            }
        }
        if let lastOr, conditions.isEmpty {
            throw error("'or' stands between two conditions", lastOr)
        }
        if lastOr == nil { return .all(conditions) }
        return .any(options + [.all(conditions)])
    }

    /// Adds the word at `place`, and goes on behind it.
    private mutating func add(_ word: SearchWord) throws(QueryTextError) {
        if let first = words.first, first.isFuzzy != word.isFuzzy {
            throw error(
                "words with and without '~' can't be searched for together: put '~' before all "
                    + "of them, or before none", word.range)
        }
        words.append(word)
        place += 1
    }

    private static func besideOr(_ word: String) -> String {
        """
        the word '\(word)' is searched for, and can't stand beside 'or'; put the alternatives in \
        brackets, as in: \(word) (type:pdf or type:md), or all that you search for in quotes
        """
    }

    private mutating func condition(depth: Int) throws(QueryTextError) -> PickerFilter {
        var isNegated = false
        while place < tokens.count, case .not = tokens[place].kind {
            isNegated.toggle()
            place += 1
        }
        guard place < tokens.count else {
            throw error("a condition must follow, such as type:pdf", text.count..<text.count)
        }
        let token = tokens[place]
        place += 1
        let filter = try operand(token, depth)
        return isNegated ? !filter : filter
    }

    private mutating func operand(
        _ token: QueryLexer.Token, _ depth: Int
    ) throws(QueryTextError) -> PickerFilter {
        switch token.kind {
        case .term: return try terms.filter(token)
        case .open: return try group(token, depth)
        case .word(let word):
            let pattern = PickerFilter.match("*\(word)*", ignoringCase: true)
            throw error(
                """
                a word that is searched for can't be in brackets or negated; \
                '\(QueryPrinter.text(pattern))' is a condition that can
                """, token.range)
        case .fuzzy(let terms):
            throw error(
                """
                what is searched for with '~' can't be in brackets or negated; \
                '~!\(terms)' leaves out what has '\(terms)'
                """, token.range)
        case .or, .close, .not:
            throw error("a condition must stand here, such as type:pdf", token.range)
        }
    }

    private mutating func group(
        _ open: QueryLexer.Token, _ depth: Int
    ) throws(QueryTextError) -> PickerFilter {
        guard depth < Self.greatestDepth else {
            throw error(
                "more than \(Self.greatestDepth) brackets stand in each other", open.range)
        }
        let start = place
        let filter = try alternatives(depth: depth + 1)
        guard place < tokens.count else { throw error("this bracket is not closed", open.range) }
        if place == start {
            throw error(
                "there must be a condition between the brackets",
                open.range.lowerBound..<tokens[place].range.upperBound)
        }
        place += 1
        return filter
    }
}

extension ListQuery {
    /// Parses a query as people write it: `report type:pdf size:>1M modified:<7d sort:-size`. With `~` before
    /// each word, as in `~rep ~'2026`, the search is fuzzy; its order is still by name, unless the text has
    /// `sort:score`. pickerctl(1) has the grammar.
    ///
    /// - Parameters:
    ///   - text: the line.
    ///   - now: the moment from which ages such as `7d` count back.
    ///   - zone: the time zone of dates.
    /// - Throws: ``QueryTextError``, which marks the wrong words.
    public init(
        text: String, at now: Timestamp = .now, in zone: CalendarZone = .local
    ) throws(QueryTextError) {
        var parser = try QueryParser(text, at: now, in: zone)
        self = try parser.parse()
    }

    /// The query as a line of text, which parses to an equal query anywhere and at any time, unless the
    /// daemon would refuse it. ``fields``, ``highlights`` and a ``match`` other than a fuzzy one have no text and
    /// are left out.
    public var text: String { QueryPrinter.text(self) }
}

extension PickerFilter {
    /// The filter as text of a query.
    package var text: String { QueryPrinter.text(self) }
}
