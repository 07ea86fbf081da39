/// A fuzzy search with its working memory. Not thread-safe.
package final class FuzzySearch: Hashable {
    /// The most terms that are looked for in all names of a block at once.
    private static let mostTerms = 32

    package let query: FuzzyQuery
    private var matcher: FuzzyMatcher
    private var folders: FuzzyFolders

    package init(_ query: FuzzyQuery) {
        self.query = query
        matcher = FuzzyMatcher(query)
        folders = FuzzyFolders(for: query)
    }

    package static func == (left: FuzzySearch, right: FuzzySearch) -> Bool {
        left.query == right.query
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(query) }

    /// The rank of a document; nil if the search does not find it.
    package func rank(of document: Document) -> FuzzyRank? {
        matcher.rank(name: document.name.text, folder: document.folder)
    }

    /// The rank of the document of a row; nil if the search does not find it. `isLikely` for one of `candidates`.
    package func rank(
        of row: DocumentRow, in table: DocumentTable, isLikely: Bool = false
    ) -> FuzzyRank? {
        // Most names have the same bonuses as their folded texts.
        let look = table.look(at: row)
        if !query.hasInverse {
            // What is in the name has the same rank whatever the folder is.
            let rank = rank(of: row, in: table, look, [], [], isLikely: isLikely)
            if let rank { return rank }
        }
        folders.read(table.folder(of: row), of: table)
        return rank(
            of: row, in: table, look, folders.folded, folders.cased, isLikely: isLikely)
    }

    /// Whether a document may have `mostPoints`, by its name.
    func mayHaveMostPoints(
        _ row: DocumentRow, of table: DocumentTable, steps: inout Int
    ) -> Bool {
        table.withSearchBytes(of: row) { query.mayHaveMostPoints($0, steps: &steps) }
    }

    @inline(__always)
    private func rank(
        of row: DocumentRow, in table: DocumentTable, _ look: CapitalLetters.Look,
        _ folder: [UInt8], _ casedFolder: [UInt8], isLikely: Bool
    ) -> FuzzyRank? {
        if !look.mayTurn {
            return table.withSearchBytes(of: row) { folded in
                matcher.rank(
                    name: folded, folder: folder.span, casedFolder: casedFolder.span,
                    letters: look.count, spelled: look.spelled, isLikely: isLikely)
            }
        }
        return table.withCasedName(of: row) { cased in
            table.withSearchBytes(of: row) { folded in
                matcher.rank(
                    name: folded, casedName: cased, folder: folder.span,
                    casedFolder: casedFolder.span, letters: look.count, spelled: look.spelled,
                    isLikely: isLikely)
            }
        }
    }

    /// The documents of a block, among some of them, that may match: all that do, and few others. They are told by
    /// the letters of their names and folders, many at once.
    ///
    /// `steps` is incremented by one for 64 bytes. With very many terms all are candidates, since a block is not
    /// divided.
    func candidates(
        ofBlock block: Int, among rows: UInt64, in table: DocumentTable, steps: inout Int
    ) -> UInt64 {
        let terms = query.terms
        guard terms.count <= Self.mostTerms else { return rows }
        var result = rows
        var start = 0
        while start < terms.count, result != 0 {
            var end = start + 1
            var hasInverse = terms[start].isInverse
            while end < terms.count, terms[end].isAlternative {
                if terms[end].isInverse { hasInverse = true }
                end += 1
            }
            // What is not there is not looked for: few documents have it.
            if !hasInverse {
                var matching: UInt64 = 0
                for index in start..<end where result & ~matching != 0 {
                    matching |= candidates(
                        index, ofBlock: block, among: result & ~matching, in: table, &steps)
                }
                result &= matching
            }
            start = end
        }
        return result
    }

    /// The rows that may have a term.
    private func candidates(
        _ index: Int, ofBlock block: Int, among rows: UInt64, in table: DocumentTable,
        _ steps: inout Int
    ) -> UInt64 {
        let query = query
        let term = query.terms[index]
        let text = query.bytes.span.extracting(term.bytes)
        let isFuzzy = term.kind == .fuzzy
        steps += 1
        var found = table.rows(
            ofBlock: block, among: rows, having: text, together: !isFuzzy, steps: &steps)
        // Those in folders that have some of it, for all rows of a folder at once.
        var rest = rows & ~found
        while rest != 0 {
            let first = DocumentRow(block * 64 + rest.trailingZeroBitCount)
            let folder = table.folder(of: first)
            var same: UInt64 = 0
            while rest != 0,
                table.folder(of: DocumentRow(block * 64 + rest.trailingZeroBitCount)) == folder
            {
                same |= rest & ~(rest - 1)
                rest &= rest - 1
            }
            let reach = folders.reach(of: index, in: folder, of: table, &steps)
            if reach == 0 { continue }
            if reach == text.count {
                found |= same
            } else {
                found |= table.rows(
                    ofBlock: block, among: same, having: text.extracting(droppingFirst: reach),
                    together: false, steps: &steps)
            }
        }
        return found
    }

    /// The parts of a document that are found; nil if the search does not find it.
    func ranges(in document: Document, unit: TextUnit) -> MatchedRanges? {
        matcher.ranges(in: document.name.text, folder: document.folder, unit: unit)
    }
}

/// The folders of documents that a fuzzy query is matched with: the texts of the latest, which most rows share with
/// the row before, and how much of each term each of them has.
private struct FuzzyFolders: ~Copyable {
    /// The most numbers that are kept: two bytes each.
    private static let mostKept = 1 << 20

    private let query: FuzzyQuery
    /// The forms of the latest folder's path.
    private(set) var folded: [UInt8] = []
    private(set) var cased: [UInt8] = []
    private var latest: FolderNumber?
    private var version = 0
    /// By folder and term: how many letters it may have (see `reach`), and one more; 0 if that is not known.
    private var reaches: [UInt16] = []

    init(for query: FuzzyQuery) { self.query = query }

    /// Reads the path of a folder.
    mutating func read(_ folder: FolderNumber, of table: DocumentTable) {
        checkVersion(of: table)
        if latest == folder { return }
        cased.removeAll(keepingCapacity: true)
        table.folders.appendPath(of: folder, to: &cased)
        folded.removeAll(keepingCapacity: true)
        for byte in cased {
            if byte >= 0x80 {
                let path = String(decoding: cased, as: UTF8.self)
                folded = FoldedName.bytes(of: path)
                cased = FoldedName.casedBytes(of: path)
                break
            }
            folded.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        latest = folder
    }

    /// How many letters of a term a folder may have, if a name in it has the rest.
    mutating func reach(
        of index: Int, in folder: FolderNumber, of table: DocumentTable, _ steps: inout Int
    ) -> Int {
        checkVersion(of: table)
        let place = folder.index * query.terms.count + index
        if place < reaches.count, reaches[place] > 0 { return Int(reaches[place] - 1) }
        read(folder, of: table)
        let term = query.terms[index]
        steps += 8 + folded.count / 8
        let reach =
            folded.isEmpty
            ? 0 : folded.span.reach(of: term.kind, query.bytes.span.extracting(term.bytes))
        if place < Self.mostKept {
            if place >= reaches.count {
                let count = min(Self.mostKept, table.folders.end * query.terms.count)
                let missing = max(count, place + 1) - reaches.count
                reaches.append(contentsOf: repeatElement(0, count: missing))
            }
            reaches[place] = UInt16(reach + 1)
        }
        return reach
    }

    /// Forgets what may be another folder's now.
    private mutating func checkVersion(of table: DocumentTable) {
        if version == table.folders.version { return }
        version = table.folders.version
        latest = nil
        reaches.removeAll(keepingCapacity: true)
    }
}

extension Document {
    /// The path up to the last `/`, which is included; empty for a document directly below its root.
    fileprivate var folder: String {
        String(path.text.utf8.dropLast(name.text.utf8.count)) ?? ""
    }
}
