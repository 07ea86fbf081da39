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
    private(set) var outsideRoots: Set<String> = [] {
        didSet { outsideAreas = outsideRoots.map { DocumentArea(root: $0) } }
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
    private let table: DocumentTable
    /// Finds the rows outside among those of the change under way.
    private var finder: AreaFinder?

    init(of table: DocumentTable) {
        self.table = table
    }

    /// Whether all documents are those of the roots, and nobody asks for a part of them.
    var isPlain: Bool { outsideRoots.isEmpty && outside.isEmpty && subsets.isEmpty }

    /// The number of subsets that somebody has.
    package var subsetCount: Int { subsets.values.count { $0.subset != nil } }

    /// Whether nothing of some collections is still to be read, but for those of the roots together.
    func areRead(_ set: CollectionSet) -> Bool {
        set.names.allSatisfy { known[$0]?.isRead ?? true }
    }

    // MARK: Subsets

    /// The documents of a range, shared by all who ask; nil if it is one of the roots alone.
    /// - Complexity: O(n) for n documents, if nobody has it; of those outside, if the roots have none of its folders.
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
        let areas = areas(of: range)
        let includesDocuments = includesDocuments(range)
        var finder = AreaFinder(areas, in: table)
        var rows = RowBitset(bound: table.rowEnd)
        let areAllOutside =
            !includesDocuments && areas.allSatisfy { outsideRoots.contains($0.root) }
        for index in areAllOutside ? outside : table.current {
            let row = DocumentRow(index)
            switch range.part {
            case .all: break
            case .dropped: if !table.isDropped(row) { continue }
            case .listed: if table.isDropped(row) { continue }
            }
            if includesDocuments && !outside.contains(index)
                || finder.contains(table.folder(of: row))
            {
                rows.insert(index)
            }
        }
        return rows
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
        return outside.remove(row.index)
    }

    /// Notes a new row.
    /// - Returns: whether it is outside.
    func enter(_ row: DocumentRow) -> Bool {
        guard finder?.contains(table.folder(of: row)) == true else { return false }
        outside.insert(row.index)
        if table.isDropped(row) { outsideDropped.insert(row.index) }
        return true
    }

    /// What a change, which all rows have entered and left, does to each subset. Their bits have it then; who observes
    /// them is told by the caller.
    func follow(
        _ entries: [DocumentEdits.Entry]
    ) -> [(subset: DocumentSubset, edits: RowEdits)] {
        finder = nil
        if subsets.isEmpty { return [] }
        return subsets.values.compactMap(\.subset).compactMap { subset in
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
        var finder = AreaFinder(moved.map { DocumentArea(root: $0) }, in: table)
        var leaving: [DocumentRow] = []
        var arriving: [DocumentRow] = []
        outside.grow(to: table.rowEnd)
        outsideDropped.grow(to: table.rowEnd)
        // Mostly there are no documents yet, or no more.
        if !finder.isEmpty {
            for index in table.current {
                let row = DocumentRow(index)
                if !finder.contains(table.folder(of: row)) { continue }
                if leave(row) {
                    arriving.append(row)
                } else {
                    outside.insert(index)
                    if table.isDropped(row) { outsideDropped.insert(index) }
                    leaving.append(row)
                }
            }
        }
        return (leaving, arriving)
    }

    /// Finds the rows of all subsets anew, as after a change of the collections.
    /// - Returns: what differs. Their bits have it already.
    func refresh() -> [(subset: DocumentSubset, edits: RowEdits)] {
        subsets.values.compactMap(\.subset).compactMap { subset in
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

    /// In debug builds, traps if a bit is not what the folders say.
    func checkInvariants() {
        #if DEBUG
        var finder = AreaFinder(outsideAreas, in: table)
        for index in table.current {
            let row = DocumentRow(index)
            let isOutside = finder.contains(table.folder(of: row))
            precondition(outside.contains(index) == isOutside, "row \(index) is misplaced")
            precondition(
                outsideDropped.contains(index) == (isOutside && table.isDropped(row)),
                "row \(index) is marked otherwise")
        }
        for index in outside { precondition(table.current.contains(index), "row \(index) is gone") }
        for subset in subsets.values.compactMap(\.subset) {
            precondition(
                subset.bits.map(\.self) == rows(of: subset.range).map(\.self),
                "a subset is not what it should be")
            precondition(
                subset.rows.value == Set(subset.bits.map { DocumentRow($0) }), "bits differ")
        }
        #endif
    }
}
