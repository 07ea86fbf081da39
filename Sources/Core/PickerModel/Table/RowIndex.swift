// An index from a hash to rows, by open addressing.
//
// An entry is a row alone, in four bytes: its hash and what is compared are computed from the row's columns. Probing
// is linear. When the table is full, a larger one takes its place and each further change moves a few entries, so
// that no change takes longer than others; until then both are searched.
//
// Hashes must be keyed with a secret: then nobody can choose names that collide.

/// Rows by hash; equal hashes are told apart by the caller.
struct RowIndex: ~Copyable {
    /// The number of rows.
    private(set) var count = 0
    private var current = RowSlots()
    /// The table before, whose slots from `nextOld` on are not moved yet; empty if there is none.
    private var old = RowSlots()
    private var nextOld = 0

    /// The number of slots of the old table that each change moves: enough to finish before the next growth.
    private static let movedAtOnce = 8
    private static let fewestSlots = 16

    init() {}

    /// The size of the table in bytes.
    var bytes: Int { (current.count + old.count) * MemoryLayout<UInt32>.stride }

    #if DEBUG
    /// For tests of cost: the number of slots looked at.
    var probes: Int { current.probes.count }
    #endif

    /// The most rows for a number of slots: 11 of 16. A search for what is not there then looks at six rows on average
    /// (Knuth, The Art of Computer Programming, volume 3, 6.4), each of them a miss of the cache.
    private static func most(for slots: Int) -> Int { slots / 16 * 11 }

    /// The fewest slots for so many rows.
    private static func slots(for rows: Int) -> Int { (rows + 10) / 11 * 16 }

    /// The row with this hash that `isWanted` accepts.
    /// - Complexity: O(1) calls expected.
    @inline(__always)
    func row(hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
        if let slot = current.slot(hash, where: isWanted) { return current.row(at: slot) }
        guard old.count > 0, let slot = old.slot(hash, where: isWanted) else { return nil }
        return old.row(at: slot)
    }

    /// Makes room for one more row.
    /// - Returns: false, without effect, if the system has no memory.
    mutating func prepare(rehash: (Int) -> UInt64) -> Bool { prepare(adding: 1, rehash: rehash) }

    /// Makes room for so many rows more.
    /// - Returns: false, without effect, if the system has no memory.
    mutating func prepare(adding rows: Int, rehash: (Int) -> UInt64) -> Bool {
        if count + rows <= Self.most(for: current.count) { return true }
        finishMoving(rehash)
        // Twice the size: each row is moved about once while the index grows, which takes longer than adding it.
        let wanted = max((current.count * 2 + 15) / 16 * 16, Self.slots(for: count + rows))
        return grow(to: max(Self.fewestSlots, wanted))
    }

    /// Makes room for so many rows at once.
    /// - Returns: false, without effect, if the system has no memory.
    /// - Complexity: O(n) for n rows in the index.
    mutating func reserve(_ rows: Int, rehash: (Int) -> UInt64) -> Bool {
        if rows <= Self.most(for: current.count) { return true }
        finishMoving(rehash)
        guard grow(to: Self.slots(for: rows)) else { return false }
        finishMoving(rehash)
        return true
    }

    /// Gives all slots memory at once.
    mutating func populate() { current.populate() }

    private mutating func grow(to slots: Int) -> Bool {
        guard var table = RowSlots(count: slots) else { return false }
        #if DEBUG
        table.probes = current.probes
        #endif
        swap(&current, &table)
        if count > 0 { old = table }
        nextOld = 0
        return true
    }

    private mutating func finishMoving(_ rehash: (Int) -> UInt64) {
        while old.count > 0 { moveSome(rehash) }
    }

    /// Moves a few rows from the old table.
    private mutating func moveSome(_ rehash: (Int) -> UInt64) {
        guard old.count > 0 else { return }
        let end = min(old.count, nextOld + Self.movedAtOnce)
        while nextOld < end {
            if let row = old.row(at: nextOld) {
                current.insert(row, hash: rehash(row))
                old.leave(nextOld)
            }
            nextOld += 1
        }
        if nextOld == old.count { old = RowSlots() }
    }

    /// Adds a row, which must not be in the index, and for which `prepare` has made room.
    ///
    /// `prefetch` is called for rows that one of the next changes is going to rehash, and again, with true, for those
    /// that the next one does.
    @inline(__always)
    mutating func insert(
        _ row: Int, hash: UInt64, rehash: (Int) -> UInt64,
        prefetch: (_ row: Int, _ isNear: Bool) -> Void = { _, _ in }
    ) {
        precondition(count < Self.most(for: current.count))
        current.insert(row, hash: hash)
        count += 1
        if old.count == 0 { return }
        let next = nextOld + Self.movedAtOnce
        old.forEachRow(in: next + Self.movedAtOnce, Self.movedAtOnce) { prefetch($0, false) }
        old.forEachRow(in: next, Self.movedAtOnce) { prefetch($0, true) }
        moveSome(rehash)
    }

    /// Lets the processor fetch where a row with this hash is going to be.
    @inline(__always)
    func prefetch(hash: UInt64) { current.prefetch(hash) }

    /// Calls `body` with the rows that are rehashed when a row with this hash is removed.
    @inline(__always)
    func forEachRow(behind row: Int, hash: UInt64, _ body: (Int) -> Void) {
        guard let slot = current.slot(hash, where: { $0 == row }) else { return }
        current.forEachRow(after: slot, body)
    }

    /// Replaces a row by another one with the same hash.
    mutating func replace(_ row: Int, by other: Int, hash: UInt64) {
        if let slot = current.slot(hash, where: { $0 == row }) {
            current.replace(slot, by: other)
        } else if let slot = old.slot(hash, where: { $0 == row }) {
            old.replace(slot, by: other)
        } else {
            preconditionFailure("row \(row) is not in the index")
        }
    }

    /// Removes a row, which must be in the index. `prefetch` is called as by `insert`, for rows that are rehashed at
    /// once.
    @inline(__always)
    mutating func remove(
        _ row: Int, hash: UInt64, rehash: (Int) -> UInt64,
        prefetch: (_ row: Int, _ isNear: Bool) -> Void = { _, _ in }
    ) {
        if let slot = current.slot(hash, where: { $0 == row }) {
            current.forEachRow(after: slot) { prefetch($0, false) }
            current.forEachRow(after: slot) { prefetch($0, true) }
            current.close(slot, rehash)
        } else if let slot = old.slot(hash, where: { $0 == row }) {
            old.leave(slot)
        } else {
            preconditionFailure("row \(row) is not in the index")
        }
        count -= 1
        moveSome(rehash)
    }

    /// In debug builds, traps if the number of rows is wrong, or if one is not found by its hash.
    func checkInvariants(rehash: (Int) -> UInt64) {
        #if DEBUG
        precondition(count <= Self.most(for: current.count), "the index is too full")
        let found = current.check(rehash) + old.check(rehash)
        precondition(found == count, "the index has \(found) rows, not \(count)")
        for slot in 0..<min(nextOld, old.count) {
            precondition(old.row(at: slot) == nil, "slot \(slot) has not been moved")
        }
        #endif
    }
}

/// The slots of a table. At least one is empty.
private struct RowSlots: ~Copyable {
    /// A row and one; `empty`; or `left` where probing goes on.
    private var slots = PackedColumn<UInt32>()

    private static let empty: UInt32 = 0
    private static let left = UInt32.max

    #if DEBUG
    final class Probes {
        var count = 0
    }

    var probes = Probes()
    #endif

    /// No slots.
    init() {}

    /// Empty slots; nil if the system has no memory.
    init?(count: Int) {
        guard slots.reserve(count) else { return nil }
        // New pages are zeros.
        slots.resize(to: count)
    }

    var count: Int { slots.count }

    mutating func populate() { slots.populate(slots.count) }

    @inline(__always)
    private func home(_ hash: UInt64) -> Int {
        // The upper half of a product with half of the hash is below the count, without a division.
        Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(truncatingIfNeeded: count)) >> 32)
    }

    @inline(__always)
    func prefetch(_ hash: UInt64) { slots.prefetch(home(hash)) }

    @inline(__always)
    private func next(_ slot: Int) -> Int { slot + 1 == count ? 0 : slot + 1 }

    @inline(__always)
    private func note() {
        #if DEBUG
        probes.count += 1
        #endif
    }

    /// The row at a slot, if there is one.
    @inline(__always)
    func row(at slot: Int) -> Int? {
        let entry = slots[slot]
        return entry == Self.empty || entry == Self.left ? nil : Int(entry - 1)
    }

    /// Calls `body` with the rows of so many slots, as far as there are.
    @inline(__always)
    func forEachRow(in start: Int, _ length: Int, _ body: (Int) -> Void) {
        var slot = start
        while slot < min(start + length, count) {
            if let row = row(at: slot) { body(row) }
            slot += 1
        }
    }

    /// Calls `body` with the rows of the slots behind one, up to an empty one.
    @inline(__always)
    func forEachRow(after slot: Int, _ body: (Int) -> Void) {
        var slot = next(slot)
        while let row = row(at: slot) {
            body(row)
            slot = next(slot)
        }
    }

    @inline(__always)
    func slot(_ hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
        if count == 0 { return nil }
        var slot = home(hash)
        while slots[slot] != Self.empty {
            note()
            if let row = row(at: slot), isWanted(row) { return slot }
            slot = next(slot)
        }
        return nil
    }

    mutating func insert(_ row: Int, hash: UInt64) {
        var slot = home(hash)
        slots.touch(slot)
        while slots[slot] != Self.empty {
            note()
            slot = next(slot)
        }
        slots[slot] = UInt32(row + 1)
    }

    mutating func replace(_ slot: Int, by row: Int) { slots[slot] = UInt32(row + 1) }

    /// Empties a slot behind which probing goes on.
    mutating func leave(_ slot: Int) { slots[slot] = Self.left }

    /// Empties a slot, and moves rows behind it to where probing finds them. Only without slots that were left.
    mutating func close(_ slot: Int, _ rehash: (Int) -> UInt64) {
        var hole = slot
        var slot = next(slot)
        while let row = row(at: slot) {
            note()
            let wanted = home(rehash(row))
            // Whether the hole is on the way from the wanted slot to this one, cyclically.
            let isBetween =
                wanted <= slot ? wanted <= hole && hole < slot : wanted <= hole || hole < slot
            if isBetween {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = next(slot)
        }
        slots[hole] = Self.empty
    }

    #if DEBUG
    /// The number of rows; traps if one is not found.
    func check(_ rehash: (Int) -> UInt64) -> Int {
        var found = 0
        for slot in 0..<count {
            guard let row = row(at: slot) else { continue }
            found += 1
            let seen = self.slot(rehash(row), where: { $0 == row })
            precondition(seen == slot, "row \(row) is at slot \(slot), but is found elsewhere")
        }
        return found
    }
    #endif
}
