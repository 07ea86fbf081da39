internal import Database
internal import PickerModel

// How what is known of many files is found.
//
// Files are looked for in the order of their inodes, in which the entries are stored. Those of a folder mostly have inodes
// in a row: then the entries of all of them are read at once, which takes a third of the time of asking for each.
extension ReadingTable {
    /// From so many files on, whose inodes are close, all entries between the first and the last are read.
    private static let leastRun = 8
    /// Inodes of a run differ by so much at most from one to the next.
    private static let widestGap: Int64 = 4

    /// A file of a question.
    private struct Sought {
        let root: Int64
        let inode: Int64
        let place: Int
    }

    /// What is known of files, in their order: their values of some attributes, unless those are being forgotten.
    /// - Complexity: O(n log n) for n files, and O(log n) for each in the number of entries.
    func readings(
        by extractor: Extractor, of files: [FileVersion],
        _ attributes: [(name: String, kind: Attribute.Kind)]
    ) throws(SQLiteError) -> FoundReadings {
        let reader = try number(of: extractor)
        let sought = try sorted(files)
        let wanted = WantedAttributes(attributes)
        var found = FoundReadings(files: files.count, attributes: attributes.count)
        var stale: [FileVersion] = []
        // Without a transaction each question would lock the file.
        try inTransaction("BEGIN") { () throws(SQLiteError) in
            var start = 0
            while start < sought.count {
                let end = Self.endOfRun(sought, from: start)
                let run = sought[start..<end]
                if run.count >= Self.leastRun {
                    try read(run, of: files, reader, wanted, &found, &stale)
                } else {
                    for each in run { try read(each, of: files, reader, wanted, &found, &stale) }
                }
                start = end
            }
        }
        // What is known is known, even if it can't be noted that somebody has asked for it.
        if !stale.isEmpty { try? noteUse(of: stale, reader) }
        return found
    }

    private func sorted(_ files: [FileVersion]) throws(SQLiteError) -> [Sought] {
        var sought: [Sought] = []
        sought.reserveCapacity(files.count)
        var last: (path: [UInt8], number: Int64)?
        for (place, file) in files.enumerated() {
            // Mostly it is the same array, which is compared at once.
            let isSame = last?.path == file.root
            let root = try isSame ? last?.number ?? 0 : number(ofRoot: file.root)
            last = (file.root, root)
            sought.append(Sought(root: root, inode: Int64(bitPattern: file.inode), place: place))
        }
        sought.sort { $0.root == $1.root ? $0.inode < $1.inode : $0.root < $1.root }
        return sought
    }

    private static func endOfRun(_ sought: [Sought], from start: Int) -> Int {
        var end = start + 1
        while end < sought.count, sought[end].root == sought[start].root {
            let (gap, isTooGreat) = sought[end].inode.subtractingReportingOverflow(
                sought[end - 1].inode)
            if isTooGreat || gap > widestGap { break }
            end += 1
        }
        return end
    }

    /// Looks for one file.
    private func read(
        _ sought: Sought, of files: [FileVersion], _ reader: Int64, _ wanted: WantedAttributes,
        _ found: inout FoundReadings, _ stale: inout [FileVersion]
    ) throws(SQLiteError) {
        try bind(find, reader, files[sought.place])
        defer { find.reset() }
        if try find.step() { take(find, sought.place, files, reader, wanted, &found, &stale) }
    }

    /// Reads all entries of a run of inodes, and takes those of its files.
    private func read(
        _ run: ArraySlice<Sought>, of files: [FileVersion], _ reader: Int64,
        _ wanted: WantedAttributes, _ found: inout FoundReadings, _ stale: inout [FileVersion]
    ) throws(SQLiteError) {
        guard let first = run.first, let last = run.last else { return }
        try findRange.bind(1, reader)
        try findRange.bind(2, first.root)
        try findRange.bind(3, first.inode)
        try findRange.bind(4, last.inode)
        defer { findRange.reset() }
        var next = run.startIndex
        while try findRange.step() {
            let inode = findRange.integer(2)
            while next < run.endIndex, run[next].inode < inode { next += 1 }
            // There may be several entries of an inode, and several files that had it.
            var each = next
            while each < run.endIndex, run[each].inode == inode {
                let place = run[each].place
                each += 1
                let file = files[place]
                guard findRange.integer(3) == Int64(bitPattern: file.size),
                    findRange.integer(4) == file.modified.seconds,
                    findRange.integer(5) == Int64(file.modified.nanoseconds)
                else { continue }
                take(findRange, place, files, reader, wanted, &found, &stale)
            }
        }
    }

    /// Takes the entry of a file, which a statement has found.
    private func take(
        _ statement: borrowing SQLiteStatement, _ place: Int, _ files: [FileVersion],
        _ reader: Int64, _ wanted: WantedAttributes, _ found: inout FoundReadings,
        _ stale: inout [FileVersion]
    ) {
        if statement.isNull(0) {
            found.fail(place)
        } else if leaving[reader] != nil {
            return
        } else {
            statement.withBytes(0) { found.take($0, of: place, wanted) }
        }
        // The clock may have been set back.
        if abs(today - statement.integer(1)) >= Self.daysBetweenNotes { stale.append(files[place]) }
    }
}
