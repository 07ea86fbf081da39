// Which documents are in which collection.
//
// All documents are in one table, and have one revision. A collection is some folders with what is below: all roots of
// the settings together ("documents"), one of them, or a folder that a client has opened. What lies in folders that
// are no roots is outside: no list has it that names no collection.
//
// A row never leaves a folder, so what collections it is in is known when it is inserted, by its folder and those
// above. That of "documents" is the usual case and costs nothing here: only the rows outside are kept, as bits, and
// while there are none, nothing is looked at. For other ranges there is a `DocumentSubset` as long as anyone has it.

package import Observables

/// The collections of a `DocumentStore`. Not thread-safe.
package final class DocumentCollections {
    /// What is known of one collection.
    package struct Collection: Equatable, Sendable {
        /// The folders whose documents it has.
        package let areas: [DocumentArea]
        /// Whether all that is on disk is known.
        package let isWhole: Bool
        /// Why it has no documents, if it had too many.
        package let limit: Int?

        /// Whether nothing is still to be read: all is known, or it was given up.
        var isRead: Bool { isWhole || limit != nil }

        package init(_ areas: [DocumentArea], isWhole: Bool, limit: Int? = nil) {
            self.areas = areas
            self.isWhole = isWhole
            self.limit = limit
        }
    }

    private struct Weak {
        weak var subset: DocumentSubset?
    }

    /// All but that of all roots, by name.
    package private(set) var known: [String: Collection] = [:]
    /// Changes when another collection has been read, or one is to be read again.
    package let completeness = Variable(0)
    /// The roots whose documents are outside.
    private(set) var outsideRoots: Set<String> = []
    /// The same, with their documents.
    private(set) var rootsOutside: [OutsideRoot] = [] {
        didSet { outsideAreas = rootsOutside.map(\.area) }
    }
    private var outsideAreas: [DocumentArea] = []
    /// The documents outside.
    private(set) var outside = RowBitset()
    /// The dropped ones among them.
    private(set) var outsideDropped = RowBitset()
    private var subsets: [DocumentRange: Weak] = [:]
    /// Called when somebody asks for documents of other collections than all roots, unless others have the same. It must
    /// not change any.
    var whenSubsetBegins: ((CollectionSet) -> Void)?
    /// The documents of the roots.
    var bitsOfRoots: (DocumentRange.Part) -> RowBitset = { _ in RowBitset() }
    let table: DocumentTable
    /// Finds the rows outside among those of the change under way.
    private var finder: AreaFinder?

    init(of table: DocumentTable) {
        self.table = table
    }

    /// Whether all documents are those of the roots, and nobody asks for a part of them.
    var isPlain: Bool { outsideRoots.isEmpty && outside.isEmpty && subsets.isEmpty }

    /// The subsets that somebody has.
    var allSubsets: [DocumentSubset] { subsets.values.compactMap(\.subset) }

    /// Their number.
    package var subsetCount: Int { allSubsets.count }

    /// Whether nothing of some collections is still to be read, but for those of the roots together.
    func areRead(_ set: CollectionSet) -> Bool {
        set.names.allSatisfy { known[$0]?.isRead ?? true }
    }

    // MARK: Subsets

    /// The documents of a range, shared by all who ask; nil if it is one of the roots alone.
    /// - Complexity: O(n / 64) for n documents, if nobody has it; O(n) if some of its folders are a part of a root, or
    ///   roots that are not outside, and O(k) for k documents outside if all of them are parts of roots outside.
    func subset(of range: DocumentRange) -> DocumentSubset? {
        if case .documents = range.collections { return nil }
        if let known = subsets[range]?.subset { return known }
        subsets = subsets.filter { $0.value.subset != nil }
        whenSubsetBegins?(range.collections)
        let subset = DocumentSubset(range, rows(of: range))
        subsets[range] = Weak(subset: subset)
        return subset
    }

    private func areas(of range: DocumentRange) -> [DocumentArea] {
        range.collections.names.flatMap { known[$0]?.areas ?? [] }
    }

    private func includesDocuments(_ range: DocumentRange) -> Bool {
        range.collections.names.contains(CollectionSet.documentsName)
    }

    /// The rows of a range, found anew.
    private func rows(of range: DocumentRange) -> RowBitset {
        var rows = includesDocuments(range) ? bitsOfRoots(range.part) : RowBitset()
        rows.grow(to: table.rowEnd)
        var rest: [DocumentArea] = []
        var ofRoots = RowBitset()
        for area in areas(of: range) {
            if area.path.isEmpty, let root = rootsOutside.first(where: { $0.area == area }) {
                ofRoots.formUnion(root.rows)
            } else {
                rest.append(area)
            }
        }
        restrict(&ofRoots, to: range.part)
        rows.formUnion(ofRoots)
        var finder = AreaFinder(rest, in: table)
        if finder.isEmpty { return rows }
        let candidates = candidates(for: rest, range.part)
        for block in 0..<candidates.wordCount {
            var (left, found) = (candidates[word: block], UInt64(0))
            while left != 0 {
                let row = DocumentRow(block * 64 + left.trailingZeroBitCount)
                if finder.contains(table.folder(of: row)) { found |= left & ~(left - 1) }
                left &= left - 1
            }
            if found != 0 { rows.setWord(block, rows[word: block] | found) }
        }
        return rows
    }

    /// Documents among which those of some areas are.
    private func candidates(for areas: [DocumentArea], _ part: DocumentRange.Part) -> RowBitset {
        var rows = outside
        restrict(&rows, to: part)
        if areas.contains(where: { !outsideRoots.contains($0.root) }) {
            rows.formUnion(bitsOfRoots(part))
        }
        return rows
    }

    /// Keeps those documents outside that have the marks.
    private func restrict(_ rows: inout RowBitset, to part: DocumentRange.Part) {
        switch part {
        case .all: break
        case .dropped: rows.formIntersection(outsideDropped)
        case .listed: rows.subtract(outsideDropped)
        }
    }

    // MARK: Changes of documents

    /// Begins a change of the documents, which the table has already.
    /// - Returns: false if it concerns nothing here.
    func beginChange() -> Bool {
        if subsets.contains(where: { $0.value.subset == nil }) {
            subsets = subsets.filter { $0.value.subset != nil }
        }
        if isPlain { return false }
        outside.grow(to: table.rowEnd)
        outsideDropped.grow(to: table.rowEnd)
        finder = AreaFinder(outsideAreas, in: table)
        return true
    }

    /// Notes that a row is current no more.
    /// - Returns: whether it was outside.
    func leave(_ row: DocumentRow) -> Bool {
        outsideDropped.remove(row.index)
        guard outside.remove(row.index) else { return false }
        _ = rootsOutside.first { $0.remove(row.index) }
        return true
    }

    /// Notes a new row.
    /// - Returns: whether it is outside.
    func enter(_ row: DocumentRow) -> Bool {
        guard let place = finder?.place(of: table.folder(of: row)) else { return false }
        put(row, outside: rootsOutside[place])
        return true
    }

    private func put(_ row: DocumentRow, outside root: OutsideRoot) {
        outside.insert(row.index)
        root.insert(row.index)
        if table.isDropped(row) { outsideDropped.insert(row.index) }
    }

    /// What a change, which all rows have entered and left, does to each subset. Their bits have it then; who observes
    /// them is told by the caller.
    func follow(
        _ entries: [DocumentEdits.Entry]
    ) -> [(subset: DocumentSubset, edits: RowEdits)] {
        finder = nil
        if subsets.isEmpty { return [] }
        return allSubsets.compactMap { subset in
            var finder = AreaFinder(areas(of: subset.range), in: table)
            let includesDocuments = includesDocuments(subset.range)
            var edits = RowEdits()
            for entry in entries where entry.old != entry.new {
                if let old = entry.old, subset.bits.contains(old.index) {
                    edits.removed.append(old)
                }
                guard let new = entry.new, subset.covers(isDropped: table.isDropped(new))
                else { continue }
                if includesDocuments && !outside.contains(new.index)
                    || finder.contains(table.folder(of: new))
                {
                    edits.inserted.append(new)
                }
            }
            if edits.isEmpty { return nil }
            subset.take(edits, rowEnd: table.rowEnd)
            return (subset, edits)
        }
    }

    // MARK: Changes of collections

    /// Replaces what is known of collections, and the roots that are outside: those in `leased`, and those that were
    /// and have documents, but none that is in `roots`.
    /// - Returns: the rows that are outside now and were not, and those that are not and were.
    func set(
        _ collections: [String: Collection], roots: Set<String>, leased: Set<String>
    ) -> (leaving: [DocumentRow], arriving: [DocumentRow]) {
        let wereRead = known.mapValues(\.isRead)
        known = collections
        if collections.mapValues(\.isRead) != wereRead { completeness.value += 1 }
        let remaining = outsideRoots.subtracting(roots).filter {
            table.folder(root: $0, path: []) != nil
        }
        let next = leased.subtracting(roots).union(remaining)
        if next == outsideRoots { return ([], []) }
        let moved = next.symmetricDifference(outsideRoots)
        outsideRoots = next
        let former = rootsOutside.filter { !next.contains($0.area.root) }
        let added = moved.intersection(next).map { OutsideRoot($0) }
        rootsOutside = rootsOutside.filter { next.contains($0.area.root) } + added
        let places = former + added
        var finder = AreaFinder(places.map(\.area), in: table)
        var leaving: [DocumentRow] = []
        var arriving: [DocumentRow] = []
        outside.grow(to: table.rowEnd)
        outsideDropped.grow(to: table.rowEnd)
        // Mostly there are no documents yet, or no more.
        if !finder.isEmpty {
            for index in table.current {
                let row = DocumentRow(index)
                guard let place = finder.place(of: table.folder(of: row)) else { continue }
                if place < former.count {
                    _ = leave(row)
                    arriving.append(row)
                } else {
                    put(row, outside: places[place])
                    leaving.append(row)
                }
            }
        }
        return (leaving, arriving)
    }

    /// Finds the rows of all subsets anew, as after a change of the collections.
    /// - Returns: what differs. Their bits have it already.
    func refresh() -> [(subset: DocumentSubset, edits: RowEdits)] {
        allSubsets.compactMap { subset in
            let now = rows(of: subset.range)
            var (removed, inserted) = (subset.bits, now)
            removed.subtract(now)
            inserted.subtract(subset.bits)
            let edits = RowEdits(
                removed: removed.map { DocumentRow($0) }, inserted: inserted.map { DocumentRow($0) }
            )
            if edits.isEmpty { return nil }
            subset.take(edits, rowEnd: table.rowEnd)
            return (subset, edits)
        }
    }
}
