/// What is typed in a picker, while it is being typed.
///
/// Words with the keys of queries (`type:pdf`, `-is:liked`, `(type:pdf or type:md)`, `sort:-size`) mean what they
/// mean in ``ListQuery/init(text:at:in:)``. All others are terms of a fuzzy search in fzf's language, also those with
/// unknown keys and with quotes that are not closed; text in quotes is searched for as it is. So each text is a query:
/// a faulty value of a key is told, and left out.
package struct TypedQuery: Equatable, Sendable {
    /// A part of the text.
    package struct Word: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// It is searched for.
            case term
            /// It says which documents are in the list; `or` between two of them is one, too.
            case condition
            /// It says how the list is shown.
            case option
            /// A condition or option with a fault.
            case fault
        }

        /// In bytes of UTF-8. Words do not overlap; a condition with brackets is one word.
        package let range: Range<Int>
        package let kind: Kind
    }

    package let text: String
    /// The place of the caret in the text, in bytes of UTF-8.
    package let caret: Int
    /// The list that is meant: its search, which is fuzzy, its filter, its most rows, and its order if one is typed.
    package let query: ListQuery
    /// What is wrong with the first faulty word.
    package let fault: QueryTextError?
    /// The parts of the text, in their order.
    package let words: [Word]
    /// The texts that are searched for, without fzf's marks, and without those that must not be there.
    package let terms: [String]

    /// Reads a text; each is valid.
    ///
    /// - Parameters:
    ///   - text: the line.
    ///   - caret: the caret's place in bytes of UTF-8; by default the end. A place that is not between two scalars is
    ///     that of the one it is in.
    ///   - now: the moment from which ages such as `7d` count back.
    ///   - zone: the time zone of dates.
    ///   - attributes: the names of attributes that there are: then words with other names are searched for. If they
    ///     are not known, each key that looks like one is the name of an attribute.
    /// - Complexity: O(n), times the words that begin with a dash or bracket.
    package init(
        text: String, caret: Int? = nil, at now: Timestamp = .now, in zone: CalendarZone = .local,
        attributes: [String]? = nil
    ) {
        let scalars = Array(text.unicodeScalars)
        let reader = TypedQueryReader(scalars, at: now, in: zone, attributes: attributes)
        let parts = Self.decided(reader.parts)
        let bytes = Self.offsets(of: scalars)
        self.text = text
        self.caret = bytes[Self.index(of: caret, in: bytes)]
        query = Self.query(of: parts, options: reader.options)
        fault =
            parts.lazy.compactMap { part in
                if case .fault(let error) = part.kind { error } else { nil }
            }.first
        words = parts.map { part in
            Word(
                range: bytes[part.range.lowerBound]..<bytes[part.range.upperBound],
                kind: Self.kind(of: part))
        }
        terms = Self.terms(of: parts)
    }

    /// The offset of each scalar in bytes, and that of the end.
    static func offsets(of scalars: [Unicode.Scalar]) -> [Int] {
        var offsets = [0]
        offsets.reserveCapacity(scalars.count + 1)
        var offset = 0
        for scalar in scalars {
            offset += UTF8.width(scalar)
            offsets.append(offset)
        }
        return offsets
    }

    /// The scalar that has the byte at `offset`; the end if there is none, or no offset.
    static func index(of offset: Int?, in offsets: [Int]) -> Int {
        guard let offset else { return offsets.count - 1 }
        return max(0, (offsets.firstIndex { $0 > offset } ?? offsets.count) - 1)
    }

    // MARK: From parts to a query

    /// The parts, of which each `or` that does not stand between two conditions is searched for.
    private static func decided(_ parts: [TypedQueryReader.Part]) -> [TypedQueryReader.Part] {
        var result = parts
        // Options may stand anywhere.
        let places = parts.indices.filter {
            if case .option = parts[$0].kind { false } else { true }
        }
        for (place, index) in places.enumerated() {
            guard case .or = parts[index].kind else { continue }
            let isBetween =
                place > 0 && place + 1 < places.count && parts[places[place - 1]].isCondition
                && parts[places[place + 1]].isCondition
            if !isBetween { result[index].kind = .search("or", term: "or") }
        }
        return result
    }

    private static func kind(of part: TypedQueryReader.Part) -> Word.Kind {
        switch part.kind {
        case .search: .term
        case .or, .condition: .condition
        case .option: .option
        case .fault: .fault
        }
    }

    private static func query(
        of parts: [TypedQueryReader.Part], options: ListQuery
    ) -> ListQuery {
        var query = options
        var search: [String] = []
        // Conditions side by side bind tighter than `or`.
        var alternatives: [[PickerFilter]] = [[]]
        for part in parts {
            switch part.kind {
            case .search(let text, _): if !text.isEmpty { search.append(text) }
            case .condition(let filter): alternatives[alternatives.count - 1].append(filter)
            case .or: alternatives.append([])
            case .option, .fault: break
            }
        }
        // What has only faults is no alternative: it would be everything.
        let sound = alternatives.filter { !$0.isEmpty }
        if !sound.isEmpty { query.filter = .any(sound.map { .all($0) }) }
        if !search.isEmpty {
            query.search = search.joined(separator: " ")
            query.match = .fuzzy
        }
        return query
    }

    private static func terms(of parts: [TypedQueryReader.Part]) -> [String] {
        var terms: [String] = []
        var isBehindBar = true
        for part in parts {
            guard case .search(let text, let term) = part.kind else { continue }
            // A bar behind a term, as in `a | b`, is no text.
            if text == "|", !isBehindBar {
                isBehindBar = true
                continue
            }
            isBehindBar = false
            if let term, !term.isEmpty { terms.append(term) }
        }
        return terms
    }
}
