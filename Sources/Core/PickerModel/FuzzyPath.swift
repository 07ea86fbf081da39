/// One path at a time, and the points of terms in it.
struct FuzzyPath: ~Copyable {
    /// The most steps for the terms of one path, in letters of terms × letters of the path. Terms beyond it have
    /// the points from the last place where they can begin (`FuzzyAlignment.lastPoints`), instead of the most.
    /// Whether they match is the same.
    static let mostSteps = 1 << 17

    private var row = FuzzyRow()
    private var alignment = FuzzyAlignment()
    private var steps = 0

    init() {}

    /// The rank of a document; nil if it does not match. The places of the scalars that are found are appended to
    /// `places`, unless it is nil.
    mutating func rank(
        of query: borrowing FuzzyQuery, name: Span<UInt8>, casedName: Span<UInt8>,
        folder: Span<UInt8>, casedFolder: Span<UInt8>, places: inout [Int]?
    ) -> FuzzyRank? {
        let terms = query.terms.span
        let bytes = query.bytes.span
        for index in terms.indices where terms[index].isRequired {
            let text = bytes.extracting(terms[index].bytes)
            guard Self.mayHave(terms[index].kind, text, folder: folder, name: name) else {
                return nil
            }
        }
        let scalars = query.scalars.span
        let links = query.links.span
        var isRead = false
        steps = 0
        var total: Int32 = 0
        var index = 0
        while index < terms.count {
            var isMatch = false
            var found: Int32?
            repeat {
                let term = terms[index]
                index += 1
                if found != nil { continue }
                let isPossible =
                    term.isRequired
                    || Self.mayHave(
                        term.kind, bytes.extracting(term.bytes), folder: folder, name: name)
                if isPossible, !isRead {
                    row.read(
                        name: name, casedName: casedName, folder: folder, casedFolder: casedFolder)
                    isRead = true
                }
                let text = scalars.extracting(term.scalars)
                let links = links.extracting(term.scalars)
                if term.isInverse {
                    if !isPossible || !has(term.kind, text, links: links) { isMatch = true }
                } else if isPossible {
                    found = points(of: term.kind, text, links: links, places: &places)
                }
            } while index < terms.count && terms[index].isAlternative
            guard isMatch || found != nil else { return nil }
            total += found ?? 0
        }
        guard query.isRanked else { return FuzzyRank(points: 0, length: 0) }
        if !isRead {
            row.read(name: name, casedName: casedName, folder: folder, casedFolder: casedFolder)
        }
        return FuzzyRank(points: total, length: Int32(row.trimmedCount))
    }

    /// Whether a path may have a term, by its bytes: no unless they are there in this order, and for short terms
    /// whose letters are together, together.
    private static func mayHave(
        _ kind: FuzzyTerm.Kind, _ text: Span<UInt8>, folder: Span<UInt8>, name: Span<UInt8>
    ) -> Bool {
        guard kind != .fuzzy, text.count <= 64 else {
            return text.isSpread(over: folder, and: name)
        }
        if name.firstPlace(of: text) != nil { return true }
        if folder.isEmpty { return false }
        if folder.firstPlace(of: text) != nil { return true }
        // What begins in the folder and ends in the name has the last byte of the folder.
        for index in text.indices where text[index] == folder[folder.count - 1] {
            return text.isSpread(over: folder, and: name)
        }
        return false
    }

    /// Whether a term is in the path.
    private func has(_ kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>) -> Bool {
        kind == .fuzzy
            ? FuzzyAlignment.lastStart(of: text, in: row) != nil
            : places(of: kind, text, links: links) != nil
    }

    /// The points of a term; nil if it is not in the path. Its places are appended to `places`, unless it is nil.
    private mutating func points(
        of kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>, places: inout [Int]?
    ) -> Int32? {
        if kind == .fuzzy {
            steps += text.count * row.count
            return steps <= Self.mostSteps
                ? alignment.points(of: text, in: row, places: &places)
                : FuzzyAlignment.lastPoints(of: text, in: row, places: &places)
        }
        guard let found = self.places(of: kind, text, links: links) else { return nil }
        places?.append(contentsOf: found)
        return row.points(of: found)
    }

    private func places(
        of kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>
    ) -> Range<Int>? {
        switch kind {
        case .fuzzy, .exact: row.placesOfText(text, links: links)
        case .prefix: row.placesOfPrefix(text)
        case .suffix: row.placesOfSuffix(text)
        case .equal: row.placesOfAll(text)
        }
    }
}

extension Span<UInt8> {
    /// Whether all of this is in `first` and then `second`, in this order, with anything between.
    fileprivate func isSpread(over first: Span<UInt8>, and second: Span<UInt8>) -> Bool {
        let found = first.lettersFound(of: self, from: 0)
        return found == count || second.lettersFound(of: self, from: found) == count
    }

    /// How many letters of `term` there are after this, if there were `found` before: each behind the one
    /// before it.
    private func lettersFound(of term: Span<UInt8>, from found: Int) -> Int {
        var next = found
        var letter = term[next]
        for index in indices where self[index] == letter {
            next += 1
            if next == term.count { break }
            letter = term[next]
        }
        return next
    }
}
