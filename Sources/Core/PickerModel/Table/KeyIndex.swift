// The rows of all keys.
//
// The daemon numbers its keys on, so the keys of most documents are consecutive. A column has the row of each number;
// it needs no hash, and new documents are written one behind the other. Numbers that would leave most of it empty, and
// keys that are not the daemon's own, are in an index of hashes.
//
// The column grows up to twice the number of documents, and never shrinks: it takes at most eight bytes for each
// document of the time when there were most.

/// Rows by key, each of which has one row.
struct KeyIndex: ~Copyable {
    /// The column may always be as long.
    private static let leastLimit = 1024

    /// The number of rows.
    private(set) var count = 0
    /// A row and one, or 0, by the number of the key.
    private var byNumber = PackedColumn<UInt32>()
    private var others = RowIndex()
    /// So many are going to be added.
    private var expected = 0

    init() {}

    /// The size in bytes.
    var bytes: Int { byNumber.count * MemoryLayout<UInt32>.stride + others.bytes }

    #if DEBUG
    /// For tests of cost: the number of slots of the index of hashes that were looked at.
    var probes: Int { others.probes }
    /// The number of rows found by hash.
    var otherCount: Int { others.count }
    #endif

    /// The row of a key, if the column has it.
    @inline(__always)
    private func numberedRow(_ key: KeyNumber) -> Int? {
        guard key.number < UInt64(byNumber.count) else { return nil }
        let entry = byNumber[Int(key.number)]
        return entry == 0 ? nil : Int(entry - 1)
    }

    /// The row of a key, which `isWanted` tells from those with an equal hash.
    /// - Complexity: O(1) calls expected.
    @inline(__always)
    func row(of key: KeyNumber, hash: (KeyNumber) -> UInt64, where isWanted: (Int) -> Bool) -> Int?
    {
        if let row = numberedRow(key) { return row }
        return others.count == 0 ? nil : others.row(hash: hash(key), where: isWanted)
    }

    /// Makes room for a row with this key.
    /// - Returns: false, without effect, if the system has no memory.
    mutating func prepare(for key: KeyNumber, rehash: (Int) -> UInt64) -> Bool {
        if key.number < UInt64(byNumber.count) { return true }
        if key.number < UInt64(max(count, expected) * 2 + Self.leastLimit) {
            guard byNumber.reserve(Int(key.number) + 1) else { return false }
            // New entries are zeros.
            byNumber.resize(to: Int(key.number) + 1)
            return true
        }
        return others.prepare(rehash: rehash)
    }

    /// Makes room for so many rows whose keys are no greater than this one.
    /// - Returns: false, without effect on rows, if the system has no memory.
    mutating func prepare(for last: KeyNumber, adding rows: Int, rehash: (Int) -> UInt64) -> Bool {
        if last.number < UInt64(byNumber.count) { return true }
        return prepare(for: last, rehash: rehash)
            && (last.number < UInt64(byNumber.count)
                || others.prepare(adding: rows, rehash: rehash))
    }

    /// Makes room for the first keys, so many of them.
    mutating func reserve(_ keys: Int) -> Bool {
        guard byNumber.reserve(keys) else { return false }
        expected = keys
        return true
    }

    /// Gives the first keys memory at once.
    mutating func populate(_ keys: Int) { byNumber.populate(keys) }

    /// Lets the processor fetch where a row with this key is going to be.
    @inline(__always)
    func prefetch(_ key: KeyNumber, hash: (KeyNumber) -> UInt64) {
        if key.number >= UInt64(byNumber.count), others.count > 0 {
            others.prefetch(hash: hash(key))
        }
    }

    /// Adds a row, whose key has none, and for which `prepare` has made room. The closures are those of `RowIndex`.
    @inline(__always)
    mutating func insert(
        _ row: Int, _ key: KeyNumber, rehash: (Int) -> UInt64,
        prefetch: (_ row: Int, _ isNear: Bool) -> Void
    ) {
        if key.number < UInt64(byNumber.count) {
            byNumber[Int(key.number)] = UInt32(row + 1)
        } else {
            others.insert(row, hash: rehash(row), rehash: rehash, prefetch: prefetch)
        }
        count += 1
    }

    /// Replaces the row of a key by another one with the same key.
    mutating func replace(_ row: Int, by other: Int, _ key: KeyNumber, rehash: (Int) -> UInt64) {
        if let known = numberedRow(key) {
            precondition(known == row, "row \(row) is not that of its key")
            byNumber[Int(key.number)] = UInt32(other + 1)
        } else {
            others.replace(row, by: other, hash: rehash(row))
        }
    }

    /// Removes the row of a key.
    mutating func remove(_ row: Int, _ key: KeyNumber, rehash: (Int) -> UInt64) {
        if let known = numberedRow(key) {
            precondition(known == row, "row \(row) is not that of its key")
            byNumber[Int(key.number)] = 0
        } else {
            others.remove(row, hash: rehash(row), rehash: rehash)
        }
        count -= 1
    }

    /// In debug builds, traps if the number of rows is wrong, or if one is not found.
    func checkInvariants(key: (Int) -> KeyNumber, rehash: (Int) -> UInt64) {
        #if DEBUG
        others.checkInvariants(rehash: rehash)
        var found = others.count
        for number in 0..<byNumber.count {
            guard let row = numberedRow(KeyNumber(number: UInt64(number))) else { continue }
            found += 1
            precondition(key(row).number == UInt64(number), "row \(row) has another key")
        }
        precondition(found == count, "the index of keys has \(found) rows, not \(count)")
        #endif
    }
}
