/// Splits the text of a query into words.
///
/// Works on scalars, not characters: a combining mark after a colon would otherwise join it into one
/// character.
struct QueryLexer {
    /// The units of a value: bare scalars, and quoted texts.
    enum Unit {
        case bare(Unicode.Scalar)
        case quoted(String)

        var text: String {
            switch self {
            case .bare(let scalar): String(Character(scalar))
            case .quoted(let text): text
            }
        }
    }

    enum Kind {
        case open, close, or, not
        /// A word to search for.
        case word(String)
        /// Terms of a fuzzy search, without the tilde before them.
        case fuzzy(String)
        /// A lowercase key without its colon, and the units of its value.
        case term(key: String, value: [Unit])
    }

    struct Token {
        let kind: Kind
        let range: Range<Int>
        /// The start of a term's value.
        var valueStart = 0
    }

    /// Keys with comma-separated lists as values.
    static let listKeys = ["type", "ext", "suffix", "sort"]

    let text: [Unicode.Scalar]
    /// Where the next word begins, or the blanks before it.
    private(set) var place = 0

    init(_ text: String) { self.text = Array(text.unicodeScalars) }

    init(_ text: [Unicode.Scalar], from place: Int) {
        self.text = text
        self.place = place
    }

    mutating func tokens() throws(QueryTextError) -> [Token] {
        var tokens: [Token] = []
        while let token = try nextToken() { tokens.append(token) }
        return tokens
    }

    /// The next word; nil at the end.
    mutating func nextToken() throws(QueryTextError) -> Token? {
        skipBlanks()
        return next == nil ? nil : try token()
    }

    mutating func skipBlanks() {
        while let scalar = next, scalar.properties.isWhitespace { place += 1 }
    }

    private var next: Unicode.Scalar? { place < text.count ? text[place] : nil }

    private func error(_ message: String, _ range: Range<Int>) -> QueryTextError {
        QueryTextError(message, at: range, of: text)
    }

    private mutating func token() throws(QueryTextError) -> Token {
        let start = place
        switch text[place] {
        case "(":
            place += 1
            return Token(kind: .open, range: start..<place)
        case ")":
            place += 1
            return Token(kind: .close, range: start..<place)
        case "\"":
            let word = try quotedWord()
            return Token(kind: .word(word), range: start..<place)
        case "~":
            place += 1
            let terms = try fuzzyTerms(behind: start)
            return Token(kind: .fuzzy(terms), range: start..<place)
        case "-" where start + 1 < text.count && !text[start + 1].properties.isWhitespace:
            place += 1
            return Token(kind: .not, range: start..<place)
        default: break
        }
        if let key = key() {
            place += key.unicodeScalars.count + 1
            if key == "not" { return Token(kind: .not, range: start..<place) }
            let valueStart = place
            let value = try units(of: key)
            return Token(
                kind: .term(key: key, value: value), range: start..<place, valueStart: valueStart)
        }
        let word = try units(of: nil).map(\.text).joined()
        return Token(
            kind: ["or", "OR"].contains(word) ? .or : .word(word), range: start..<place)
    }

    /// The letters up to a colon, if one follows; or the name of an attribute, which has a dot.
    func key() -> String? {
        var end = place
        while end < text.count, text[end].properties.isAlphabetic, text[end].isASCII { end += 1 }
        if end > place, end < text.count, text[end] != ":" {
            while end < text.count, text[end].isASCII, text[end] != ":",
                !text[end].properties.isWhitespace
            {
                end += 1
            }
            let name = String(String.UnicodeScalarView(text[place..<end]))
            guard end < text.count, QueryTerms.isAttribute(name) else { return nil }
            return text[end] == ":" ? name : nil
        }
        guard end > place, end < text.count, text[end] == ":" else { return nil }
        return String(String.UnicodeScalarView(text[place..<end])).lowercased()
    }

    /// Reads up to a blank, or to an unmatched closing parenthesis: the value of `key`, in which a part may be
    /// quoted, or without a key a word.
    private mutating func units(of key: String?) throws(QueryTextError) -> [Unit] {
        let isList = key.map { Self.listKeys.contains($0) } ?? false
        var units: [Unit] = []
        var depth = 0
        var mayQuote = key != nil
        while let scalar = next, !scalar.properties.isWhitespace {
            if scalar == "\"", mayQuote {
                units.append(.quoted(try quoted()))
                mayQuote = false
                continue
            }
            if scalar == "(" { depth += 1 }
            if scalar == ")" {
                if depth == 0 { break }
                depth -= 1
            }
            units.append(.bare(scalar))
            let signs = key == "attr" ? "<>=!~^" : "<>=!"
            let isSign = signs.unicodeScalars.contains(scalar)
            mayQuote = key != nil && isSign || isList && scalar == ","
            place += 1
        }
        return units
    }

    /// One term of a fuzzy search, or all of them in quotes, behind the tilde at `tilde`.
    private mutating func fuzzyTerms(behind tilde: Int) throws(QueryTextError) -> String {
        if next == "\"" { return try quotedWord() }
        let term = try units(of: nil).map(\.text).joined()
        guard !term.isEmpty else {
            throw error(
                "a word must follow '~' at once, as in ~report; in quotes, '~' itself is "
                    + "searched for", tilde..<place)
        }
        return term
    }

    /// A quoted text that is a word of its own.
    private mutating func quotedWord() throws(QueryTextError) -> String {
        let word = try quoted()
        if let next, !next.properties.isWhitespace, next != ")" {
            throw error("a blank is missing behind the closing quote", place..<(place + 1))
        }
        return word
    }

    /// A quoted text, in which a backslash escapes a quote or a backslash.
    private mutating func quoted() throws(QueryTextError) -> String {
        let start = place
        var result = String.UnicodeScalarView()
        place += 1
        while let scalar = next {
            place += 1
            if scalar == "\"" { return String(result) }
            if scalar == "\\", let escaped = next, escaped == "\"" || escaped == "\\" {
                result.append(escaped)
                place += 1
            } else {
                result.append(scalar)
            }
        }
        throw error("this quote is not closed", start..<(start + 1))
    }
}
