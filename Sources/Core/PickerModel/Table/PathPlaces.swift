// Where the paths of rows are, without the paths.
//
// Paths in order are a walk through the folders: in a folder, files and folders by name, and at each folder what is in
// it. So a folder with n folders has n + 1 places for files, one before each and one behind the last, and the walk
// passes them one after the other. The places are numbered once; a row's place follows from its folder, and from a
// search among the folders in that. Rows at the same place are all in the same folder, and sort by name.
//
// Folders of different roots, or of different bytes that are not UTF-8, may have the same path. These are walked as
// one.
//
// For the first rows of an order, the walk ends where enough rows have been passed.

internal import CDocumentKernels

/// The places of rows in the order by path, found in slices.
///
/// The rows must remain readable. So their folders, and those above, remain as they are; others are not looked at.
final class PathPlaces {
    /// The place of rows that the walk has not come to.
    private static let beyond = UInt32.max
    /// The rows whose folders are looked up by one step, and the cost of comparing two names.
    private static let rowsPerStep = 4
    private static let comparisonSteps = 2

    /// A folder in the walk. Zeros are a folder without rows.
    private struct Folder: BitwiseCopyable {
        /// The number of rows directly in it.
        var rows: UInt32 = 0
        /// The folders of the one above are linked in any order. Numbers are one more than the folder's, 0 is none; the
        /// last of a list has `end`, so that 0 is a folder that is in no list.
        var next: UInt32 = 0
        var firstChild: UInt32 = 0
        /// The next folder with the same path, as a number of that kind.
        var twin: UInt32 = 0
        /// The first place in it, and the one behind its last; 0 if the walk has not come there.
        var first: UInt32 = 0
        var after: UInt32 = 0
        /// Its folders in the order of the walk, in `children`, each path once.
        var childStart: UInt32 = 0
        var childCount: UInt32 = 0

        static let end = UInt32.max
    }

    private enum Phase {
        case marking, collecting, sorting, listing, walking, done
    }

    /// A folder whose folders are being walked through.
    private struct Frame {
        let folder: Int
        var next: UInt32
        let end: UInt32
    }

    /// The words of folders: their names with a slash.
    private struct Names: RowWords {
        let folders: FolderTable

        func word(of row: UInt32, level: Int) -> UInt64? {
            folders.namePart(of: FolderNumber(Int(row))).word(from: 8 * level)
        }

        // The same texts.
        func isBefore(_ one: UInt32, _ other: UInt32) -> Bool { one < other }
    }

    private let table: DocumentTable
    /// Whether the walk goes from the end to the start.
    private let isReversed: Bool
    /// The number of rows after which the walk ends.
    private let limit: Int
    private var phase = Phase.marking
    private var remaining: RowBitset.Iterator
    private var lastFolder = -1
    private var folders = PackedColumn<Folder>()
    private var children: [UInt32] = []
    /// The roots, and their ranks by absolute path if there are several.
    private var roots: [Int] = []
    private var rootRanks: [Int: UInt64] = [:]

    private var stack: [Frame] = []
    private var place: UInt32 = 1
    /// The rows in folders that the walk has left.
    private var passed = 0
    /// The folder that is entered: it or a twin, the child of that which is collected next, and the children.
    private var entered = 0
    private var member = 0
    private var child: UInt32 = 0
    private var entries: [RowEntry] = []
    private var sorter: RowSorter?
    private var listed = 0
    /// The names that were compared, for tests of cost.
    private(set) var comparisons = 0

    /// The places of rows, in the walk in one direction. Those of the first `limit` rows are known in the end, and of
    /// all at the same places; the others may be beyond.
    init(of rows: RowBitset, in table: DocumentTable, isReversed: Bool, limit: Int = .max) {
        self.table = table
        self.isReversed = isReversed
        self.limit = limit
        remaining = rows.makeIterator()
        guard folders.reserve(table.folders.end) else {
            preconditionFailure("there is no memory for \(table.folders.end) folders")
        }
        folders.resize(to: table.folders.end)
    }

    // MARK: Rows

    /// The least place that a row may have, counted in the direction of the walk; nil if the walk ended before.
    @inline(__always)
    func bound(of row: Int) -> UInt32? {
        let first = folders[Int(table.columns.folders[row])].first
        return first == 0 ? nil : first
    }

    /// The place of a row, counted in the direction of the walk.
    /// - Complexity: O(log f) comparisons of names if there are f folders in the row's folder.
    private func place(of row: Int) -> UInt32 {
        let folder = folders[Int(table.columns.folders[row])]
        if folder.first == 0 { return Self.beyond }
        if folder.childCount == 0 { return folder.first }
        let name = table.namePart(of: row)
        var low = folder.childStart
        var high = low + folder.childCount
        while low < high {
            let middle = low + (high - low) / 2
            let part = table.folders.namePart(of: FolderNumber(Int(children[Int(middle)])))
            if (part.compare(name) < 0) != isReversed { low = middle + 1 } else { high = middle }
        }
        if low == folder.childStart { return folder.first }
        let after = folders[Int(children[Int(low) - 1])].after
        return after == 0 ? Self.beyond : after
    }

    /// The words by which rows sort by path, ascending in either direction of the walk: place and name, then root.
    func word(of row: Int, _ level: Int) -> UInt64? {
        let name = table.namePart(of: row)
        if level == 0 {
            let place = place(of: row)
            let start = name.word(from: 0, bytes: 4) ?? 0
            return UInt64(isReversed ? ~place : place) << 32 | start >> 32
        }
        if let word = name.word(from: 8 * level - 4) { return word }
        // With zeros behind it, a name comes before those that begin with it.
        let levels = nameLevels(name)
        if level < levels { return 0 }
        guard !rootRanks.isEmpty, level == levels else { return nil }
        return rootRanks[table.folders.root(of: table.folder(of: DocumentRow(row))).index]
    }

    /// The number of words of a row.
    func wordCount(of row: Int) -> Int {
        nameLevels(table.namePart(of: row)) + (rootRanks.isEmpty ? 0 : 1)
    }

    /// The number of words that have a name and at least one zero behind it.
    private func nameLevels(_ name: PathPart) -> Int { 1 + (name.textCount + 4) / 8 }

    // MARK: The walk

    /// Continues until `steps` reaches `budget`, or a little more.
    /// - Returns: whether all places are known that will be.
    func advance(_ steps: inout Int, budget: Int) -> Bool {
        while steps < budget || phase == .done {
            switch phase {
            case .marking: mark(&steps, budget)
            case .collecting: collect(&steps, budget)
            case .sorting:
                guard sorter?.advance(&steps, budget: budget, Names(folders: table.folders)) ?? true
                else { return false }
                entries = sorter?.rows.map { RowEntry(word: 0, row: $0) } ?? []
                sorter = nil
                listed = 0
                phase = .listing
            case .listing: list(&steps, budget)
            case .walking: walk(&steps)
            case .done: return true
            }
        }
        return false
    }

    /// Counts the rows of folders, and links the folders that have rows or are above them.
    private func mark(_ steps: inout Int, _ budget: Int) {
        var left = (budget - steps).multipliedReportingOverflow(by: Self.rowsPerStep)
        if left.overflow { left.partialValue = .max }
        let most = left.partialValue
        defer { steps += (most - left.partialValue) / Self.rowsPerStep + 1 }
        // Most rows are in the folder of the row before.
        var run: UInt32 = 0
        while left.partialValue > 0 {
            guard let row = remaining.next() else {
                count(run)
                rankRoots(&steps)
                return
            }
            left.partialValue -= 1
            let folder = Int(table.columns.folders[table.readable(DocumentRow(row))])
            if folder != lastFolder {
                count(run)
                run = 0
                lastFolder = folder
                link(folder)
            }
            run += 1
        }
        count(run)
    }

    /// Counts more rows of the folder that rows were counted of last.
    private func count(_ rows: UInt32) {
        if rows > 0 { folders[lastFolder].rows += rows }
    }

    /// Links a folder and those above it, unless they are linked.
    private func link(_ folder: Int) {
        var each = folder
        while folders[each].next == 0 {
            folders[each].next = Folder.end
            guard let parent = table.folders.parent(of: FolderNumber(each))?.index else {
                roots.append(each)
                return
            }
            let first = folders[parent].firstChild
            if first != 0 { folders[each].next = first }
            folders[parent].firstChild = UInt32(each) + 1
            each = parent
        }
    }

    /// The roots have the same path, and so are walked as one. There are few.
    private func rankRoots(_ steps: inout Int) {
        guard let first = roots.first else {
            phase = .done
            return
        }
        if roots.count > 1 {
            let parts = table.folders
            roots.sort {
                parts.rootPart(of: FolderNumber($0)).compare(parts.rootPart(of: FolderNumber($1)))
                    < 0
            }
            var rank: UInt64 = 0
            var last = first
            for root in roots {
                let part = parts.rootPart(of: FolderNumber(root))
                if parts.rootPart(of: FolderNumber(last)).compare(part) != 0 { rank += 1 }
                rootRanks[root] = rank
                last = root
            }
            for (root, next) in zip(roots, roots.dropFirst()) {
                folders[root].twin = UInt32(next) + 1
            }
            steps += roots.count * 8
        }
        enter(roots[0])
    }

    /// Calls `body` with a folder and its twins.
    @inline(__always)
    private func forEachTwin(of folder: Int, _ body: (Int) -> Void) {
        var each = folder
        while true {
            body(each)
            let twin = folders[each].twin
            if twin == 0 { return }
            each = Int(twin) - 1
        }
    }

    private func enter(_ folder: Int) {
        forEachTwin(of: folder) { folders[$0].first = place }
        place += 1
        entered = folder
        member = folder
        child = folders[folder].firstChild
        entries = []
        phase = .collecting
    }

    /// Reads the names of the folders in the entered one and its twins.
    private func collect(_ steps: inout Int, _ budget: Int) {
        let names = Names(folders: table.folders)
        while true {
            while child != 0, child != Folder.end {
                if steps >= budget { return }
                let number = child - 1
                entries.append(RowEntry(word: names.word(of: number, level: 0) ?? 0, row: number))
                child = folders[Int(number)].next
                steps += 1
            }
            let twin = folders[member].twin
            if twin == 0 { break }
            member = Int(twin) - 1
            child = folders[member].firstChild
            steps += 1
        }
        if entries.count > 1 {
            sorter = RowSorter(entries)
            entries = []
            phase = .sorting
        } else {
            listed = 0
            phase = .listing
        }
    }

    /// Lists the sorted folders in the direction of the walk, each path once.
    private func list(_ steps: inout Int, _ budget: Int) {
        if listed == 0 {
            let start = UInt32(children.count)
            forEachTwin(of: entered) { folders[$0].childStart = start }
        }
        while listed < entries.count {
            if steps >= budget { return }
            let index = isReversed ? entries.count - 1 - listed : listed
            let number = entries[index].row
            listed += 1
            steps += Self.comparisonSteps
            if listed > 1, let last = children.last, haveSameName(Int(last), Int(number)) {
                folders[Int(number)].twin = folders[Int(last)].twin
                folders[Int(last)].twin = number + 1
            } else {
                children.append(number)
            }
        }
        entries = []
        let start = folders[entered].childStart
        let end = UInt32(children.count)
        forEachTwin(of: entered) { folders[$0].childCount = end - start }
        stack.append(Frame(folder: entered, next: start, end: end))
        phase = .walking
    }

    private func haveSameName(_ one: Int, _ other: Int) -> Bool {
        comparisons += 1
        let parts = table.folders
        return parts.namePart(of: FolderNumber(one))
            .compare(parts.namePart(of: FolderNumber(other))) == 0
    }

    /// Enters the next folder of the last that was entered, or leaves that.
    private func walk(_ steps: inout Int) {
        steps += 1
        guard let last = stack.indices.last else {
            phase = .done
            return
        }
        let frame = stack[last]
        if frame.next < frame.end {
            stack[last].next += 1
            return enter(Int(children[Int(frame.next)]))
        }
        stack.removeLast()
        // What follows is in the folder above, at a place of its own.
        forEachTwin(of: frame.folder) {
            folders[$0].after = place
            passed += Int(folders[$0].rows)
        }
        place += 1
        if passed >= limit { phase = .done }
    }
}
