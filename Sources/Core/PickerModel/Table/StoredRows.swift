internal import CDocumentKernels

/// Rows that were stored, read and checked, and not in a table yet.
///
/// They are read on any thread, and put into the table that has made the empty ones.
package struct StoredRows: Sendable {
    /// What most rows have, besides their names.
    struct Entry {
        let key: KeyNumber
        /// What `encode` was given.
        let identity: UInt64
        let size: UInt64
        /// A number that sorts.
        let time: UInt64
        let inode: UInt64
        let sortWord: UInt64
        let hash: NameHasher.NameHash
        /// Of a name without a difference.
        let capitals: UInt32
        /// Where the folded name ends in `texts`, before its end byte, and the difference in `differences`.
        let textEnd: UInt32
        let differenceEnd: UInt32
        let typeNumber: UInt16
        let hasDifference: Bool
    }

    /// What few rows have.
    private struct Rare {
        let farTime: FileTime?
        let device: UInt64?
    }

    private let hasher: NameHasher
    private(set) var entries: [Entry] = []
    /// The folded names, with an end byte behind each.
    private(set) var texts: [UInt8] = []
    /// The differences. A name without one has an empty one.
    private(set) var differences: [UInt8] = []
    private var rare: [Int: Rare] = [:]
    /// The rows that have some, in order.
    private var rareRows: [Int] = []

    init(_ hasher: NameHasher) {
        self.hasher = hasher
    }

    /// The number of rows.
    package var count: Int { entries.count }

    /// Makes room for so many rows.
    package mutating func reserve(_ count: Int, nameBytes: Int) {
        entries.reserveCapacity(count)
        texts.reserveCapacity(nameBytes)
    }

    /// The key of a row.
    package func key(of row: Int) -> KeyNumber { entries[row].key }

    /// What `encode` was given for a row.
    package func identity(of row: Int) -> UInt64 { entries[row].identity }

    /// Adds the row at the start of some bytes. When all are added, `areTexts` says whether their names can be names.
    /// - Returns: the number of its bytes; nil, without effect, if there is none, or if the names would have 4 GB.
    /// - Complexity: O(n) in the length of the name, amortized.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let row = unsafe StoredRow(bytes),
            texts.count + row.foldedCount + row.differenceCount < Int(UInt32.max)
        else { return nil }
        if row.hasRare {
            rareRows.append(count)
            rare[count] = Rare(farTime: row.farTime, device: row.otherDevice)
        }
        // The bytes are there during the call.
        unsafe texts.append(contentsOf: row.folded)
        let textEnd = UInt32(texts.count)
        texts.append(UInt8(NAMES_END))
        var form = row.capitals
        if row.hasDifference {
            unsafe differences.append(contentsOf: row.difference)
            form = unsafe hasher.form(ofDifference: row.difference)
        }
        entries.append(
            Entry(
                key: row.key, identity: row.identity, size: row.size, time: row.sortableTime,
                inode: row.inode, sortWord: row.sortWord,
                hash: unsafe hasher.hash(row.folded, form: form), capitals: row.capitals,
                textEnd: textEnd, differenceEnd: UInt32(differences.count),
                typeNumber: row.typeNumber, hasDifference: row.hasDifference))
        return row.byteCount
    }

    /// Whether all folded names are texts: none has a byte that ends one, or a zero.
    /// - Complexity: O(n) in the length of all names.
    package var areTexts: Bool {
        // The count is that of the array.
        unsafe texts.withUnsafeBufferPointer {
            unsafe names_are_texts($0.baseAddress, $0.count, count) != 0
        }
    }

    /// Where the folded name of a row is in `texts`.
    func text(of row: Int) -> Range<Int> {
        (row == 0 ? 0 : Int(entries[row - 1].textEnd) + 1)..<Int(entries[row].textEnd)
    }

    /// Where the difference of a row is in `differences`.
    func difference(of row: Int) -> Range<Int> {
        (row == 0 ? 0 : Int(entries[row - 1].differenceEnd))..<Int(entries[row].differenceEnd)
    }

    /// What the file system said; `device` is that of the folder.
    func facts(of row: Int, device: UInt64) -> DocumentFacts {
        let entry = entries[row]
        let rare = rare[row]
        return DocumentFacts(
            size: entry.size, modified: rare?.farTime ?? FileTime(sortable: entry.time),
            device: rare?.device ?? device, inode: entry.inode)
    }

    /// Whether one of some rows has what few have.
    /// - Complexity: O(log n) for n of these.
    func hasRare(_ range: Range<Int>) -> Bool {
        var (low, high) = (0, rareRows.count)
        while low < high {
            let middle = (low + high) / 2
            if rareRows[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return low < rareRows.count && rareRows[low] < range.upperBound
    }
}
