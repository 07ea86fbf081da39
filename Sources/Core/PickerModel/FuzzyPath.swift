/// One document at a time, and the points of terms in it.
struct FuzzyPath: ~Copyable {
    /// The most steps for the terms of one document, in letters of terms × letters of the name or path. Terms beyond
    /// it have the points from the last place where they can begin (`FuzzyAlignment.lastPoints`), instead of the
    /// most. Whether they match is the same.
    static let mostSteps = 1 << 17

    /// So many steps may be taken in vain for a term.
    private static let fewSteps = 1 << 10

    /// What a term is looked for in.
    private enum Place { case name, path }

    private var nameRow = FuzzyRow()
    private var pathRow = FuzzyRow()
    /// Whether the document's name and path have been read.
    private var isNameRead = false
    private var isPathRead = false
    /// The scalars of the document's name that have no bonus.
    private var spelled: UInt64 = 0
    private var alignment = FuzzyAlignment()
    private var steps = 0

    init() {}

    /// The rank of a document; nil if it does not match. The places of the scalars that are found, in the path, are
    /// appended to `places`, unless it is nil. A document that is `likely` to match is not tested by its bytes before.
    mutating func rank(
        of query: borrowing FuzzyQuery, name: Span<UInt8>, casedName: Span<UInt8>,
        folder: Span<UInt8>, casedFolder: Span<UInt8>, letters: Int?, spelled: UInt64,
        isLikely: Bool, places: inout [Int]?
    ) -> FuzzyRank? {
        let terms = query.terms.span
        if !isLikely {
            let bytes = query.bytes.span
            for index in terms.indices where terms[index].isRequired {
                let text = bytes.extracting(terms[index].bytes)
                let kind = terms[index].kind
                guard Self.mayHave(kind, text, name) || Self.mayHave(kind, text, folder, name)
                else { return nil }
            }
        }
        isNameRead = false
        isPathRead = false
        self.spelled = spelled
        steps = 0
        var total: Int32 = 0
        var start = 0
        while start < terms.count {
            var end = start + 1
            while end < terms.count, terms[end].isAlternative { end += 1 }
            let found =
                points(
                    of: start..<end, query, in: name, casedName, folder, isLikely: isLikely, &places
                )
                ?? points(
                    of: start..<end, query, inPath: name, casedName, folder, casedFolder, &places
                )
                .map { $0 / FuzzyPoints.divisorInPath }
            guard
                let found = found
                    ?? pointsOfAbsence(
                        start..<end, query, name, casedName, folder, casedFolder)
            else {
                return nil
            }
            total += found
            start = end
        }
        guard query.isRanked else { return FuzzyRank(points: 0, length: 0) }
        readName(name, casedName)
        let space = nameRow.count - nameRow.trimmedCount
        return FuzzyRank(
            points: total, length: Int32(max(0, (letters ?? nameRow.count) - space)))
    }

    private mutating func readName(_ name: Span<UInt8>, _ casedName: Span<UInt8>) {
        if isNameRead { return }
        nameRow.read(name: name, casedName: casedName, spelled: spelled)
        isNameRead = true
    }

    private mutating func readPath(
        _ name: Span<UInt8>, _ casedName: Span<UInt8>, _ folder: Span<UInt8>,
        _ casedFolder: Span<UInt8>
    ) {
        if isPathRead { return }
        pathRow.read(
            name: name, casedName: casedName, spelled: spelled, folder: folder,
            casedFolder: casedFolder)
        isPathRead = true
    }

    /// The points of the first of some alternatives that is in the name; nil if none is.
    private mutating func points(
        of alternatives: Range<Int>, _ query: borrowing FuzzyQuery, in name: Span<UInt8>,
        _ casedName: Span<UInt8>, _ folder: Span<UInt8>, isLikely: Bool, _ places: inout [Int]?
    ) -> Int32? {
        let terms = query.terms.span
        for index in alternatives where !terms[index].isInverse {
            let term = terms[index]
            // A test by bytes would rarely save anything.
            let isUntested = isLikely && term.isRequired && term.kind == .fuzzy
            let bytes = query.bytes.span.extracting(term.bytes)
            guard isUntested || Self.mayHave(term.kind, bytes, name) else { continue }
            readName(name, casedName)
            let former = places?.count ?? 0
            let points = Self.points(
                of: term.kind, query.scalars.span.extracting(term.scalars),
                links: query.links.span.extracting(term.scalars), in: nameRow, &alignment, &steps,
                &places)
            guard let points else { continue }
            if places != nil {
                let start = folder.scalarCount(before: folder.count)
                for index in former..<(places?.count ?? 0) { places?[index] += start }
            }
            return points
        }
        return nil
    }

    /// The points of the first of some alternatives that is in the path, none of which is in the name; nil if none is.
    private mutating func points(
        of alternatives: Range<Int>, _ query: borrowing FuzzyQuery, inPath name: Span<UInt8>,
        _ casedName: Span<UInt8>, _ folder: Span<UInt8>, _ casedFolder: Span<UInt8>,
        _ places: inout [Int]?
    ) -> Int32? {
        let terms = query.terms.span
        for index in alternatives where !terms[index].isInverse {
            let term = terms[index]
            let bytes = query.bytes.span.extracting(term.bytes)
            guard Self.mayHave(term.kind, bytes, folder, name) else { continue }
            readPath(name, casedName, folder, casedFolder)
            let points = Self.points(
                of: term.kind, query.scalars.span.extracting(term.scalars),
                links: query.links.span.extracting(term.scalars), in: pathRow, &alignment, &steps,
                &places)
            if let points { return points }
        }
        return nil
    }

    /// No points, if one of some alternatives is inverse and what it says is not there; else nil.
    private mutating func pointsOfAbsence(
        _ alternatives: Range<Int>, _ query: borrowing FuzzyQuery, _ name: Span<UInt8>,
        _ casedName: Span<UInt8>, _ folder: Span<UInt8>, _ casedFolder: Span<UInt8>
    ) -> Int32? {
        let terms = query.terms.span
        for index in alternatives where terms[index].isInverse {
            let term = terms[index]
            let bytes = query.bytes.span.extracting(term.bytes)
            let text = query.scalars.span.extracting(term.scalars)
            let links = query.links.span.extracting(term.scalars)
            if Self.mayHave(term.kind, bytes, name) {
                readName(name, casedName)
                if Self.has(term.kind, text, links: links, in: nameRow) { continue }
            }
            if Self.mayHave(term.kind, bytes, folder, name) {
                readPath(name, casedName, folder, casedFolder)
                if Self.has(term.kind, text, links: links, in: pathRow) { continue }
            }
            return 0
        }
        return nil
    }

    // MARK: Tests by bytes

    /// Whether a name may have a term, by its bytes: no unless they are there in this order, and for short terms
    /// whose letters are together, together.
    private static func mayHave(
        _ kind: FuzzyTerm.Kind, _ text: Span<UInt8>, _ name: Span<UInt8>
    ) -> Bool {
        kind == .fuzzy || text.count > 64
            ? name.lettersFound(of: text, from: 0) == text.count
            : name.firstPlace(of: text) != nil
    }

    /// Whether a path may have a term that is not in its name.
    private static func mayHave(
        _ kind: FuzzyTerm.Kind, _ text: Span<UInt8>, _ folder: Span<UInt8>, _ name: Span<UInt8>
    ) -> Bool {
        if folder.isEmpty { return false }
        let found = folder.reach(of: kind, text)
        return found == text.count
            || found > 0 && name.lettersFound(of: text, from: found) == text.count
    }

    // MARK: Terms

    /// Whether a term is in the text.
    private static func has(
        _ kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>,
        in row: borrowing FuzzyRow
    ) -> Bool {
        kind == .fuzzy
            ? FuzzyAlignment.lastStart(of: text, in: row) != nil
            : places(of: kind, text, links: links, in: row) != nil
    }

    /// The points of a term; nil if it is not in the text. Its places are appended to `places`, unless it is nil.
    private static func points(
        of kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>,
        in row: borrowing FuzzyRow, _ alignment: inout FuzzyAlignment, _ steps: inout Int,
        _ places: inout [Int]?
    ) -> Int32? {
        if kind == .fuzzy {
            let cost = text.count * row.count
            // Only what is there counts, so that the points do not depend on what was tested before.
            if cost > fewSteps, FuzzyAlignment.lastStart(of: text, in: row) == nil { return nil }
            let found =
                steps + cost <= mostSteps
                ? alignment.points(of: text, in: row, places: &places)
                : FuzzyAlignment.lastPoints(of: text, in: row, places: &places)
            if found != nil { steps += cost }
            return found
        }
        guard let found = Self.places(of: kind, text, links: links, in: row) else { return nil }
        places?.append(contentsOf: found)
        return row.points(of: found)
    }

    private static func places(
        of kind: FuzzyTerm.Kind, _ text: Span<UInt32>, links: Span<Int32>,
        in row: borrowing FuzzyRow
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
    /// How many letters of `term` there are after this, if there were `found` before: each behind the one
    /// before it.
    func lettersFound(of term: Span<UInt8>, from found: Int) -> Int {
        var next = found
        if next == term.count { return next }
        var letter = term[next]
        for index in indices where self[index] == letter {
            next += 1
            if next == term.count { break }
            letter = term[next]
        }
        return next
    }

    /// Of a folder: how many letters of a term it may have, by its bytes, if the name has the rest. For letters that
    /// are together, all, or none, or, if the term may go on in the name, as many as there are in their order.
    func reach(of kind: FuzzyTerm.Kind, _ text: Span<UInt8>) -> Int {
        guard kind != .fuzzy, text.count <= 64 else { return lettersFound(of: text, from: 0) }
        if firstPlace(of: text) != nil { return text.count }
        // What begins in the folder and ends in the name has the last byte of the folder.
        for index in text.indices where text[index] == self[count - 1] {
            return lettersFound(of: text, from: 0)
        }
        return 0
    }
}
