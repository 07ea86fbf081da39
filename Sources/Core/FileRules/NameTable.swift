// A hash table from names, or ends of names, to numbers.
//
// The hash of a name is computed from its last byte to its first (FNV-1a), so that one pass over a name gives the
// hash of each of its ends as well. Most names that are not in a table are told by their last two bytes. Collisions are
// resolved by linear probing. The hash is not seeded: names chosen to collide make a search walk over all of them,
// which costs what as many patterns with wildcards cost.

struct NameTable: Sendable {
    private struct Entry {
        let hash: UInt64
        let start: Int
        let count: Int
        var value: Int32
    }

    static let emptyHash: UInt64 = 0xCBF2_9CE4_8422_2325

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// Places in `entries`, -1 where a slot is free. Their number is a power of two; at most half are used.
    private var slots: [Int32] = [-1, -1]
    /// The first bytes of the names. A name that begins with another byte is not in the table.
    private(set) var firstBytes = ByteSet()
    /// For each last byte of a name the bytes before it, modulo 64: a bit for each. Empty if there is no name.
    private var bytesBeforeLast: [UInt64] = []

    var isEmpty: Bool { entries.isEmpty }

    /// The hash of a text, from that of the text without its first byte.
    @inline(__always)
    static func hash(_ rest: UInt64, after byte: UInt8) -> UInt64 {
        (rest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }

    private static func hash(_ name: Span<UInt8>) -> UInt64 {
        var hash = emptyHash
        var place = name.count
        while place > 0 {
            place -= 1
            hash = Self.hash(hash, after: name[place])
        }
        return hash
    }

    /// Whether `name` or an end of it may be in the table: false for most of those that are not.
    func mayHaveEnd(of name: Span<UInt8>) -> Bool {
        let last = name.count - 1
        guard last >= 0, !bytesBeforeLast.isEmpty else { return false }
        let bits = bytesBeforeLast[Int(name[last])]
        return last == 0 ? bits != 0 : bits >> UInt64(name[last - 1] & 63) & 1 == 1
    }

    /// The value of `name`; nil if it has none.
    func value(_ name: Span<UInt8>) -> Int32? {
        mayHaveEnd(of: name) ? value(name, from: 0, hash: Self.hash(name)) : nil
    }

    /// The value of `name` without its first `start` bytes, whose hash is `hash`; nil if it has none.
    func value(_ name: Span<UInt8>, from start: Int, hash: UInt64) -> Int32? {
        let entry = slots[slot(of: name, from: start, hash)]
        return entry < 0 ? nil : entries[Int(entry)].value
    }

    /// Gives `name`, which is not empty, a value, and returns the one that it had.
    @discardableResult
    mutating func set(_ name: [UInt8], to value: Int32) -> Int32? {
        let hash = Self.hash(name.span)
        let slot = slot(of: name.span, from: 0, hash)
        if slots[slot] >= 0 {
            let entry = Int(slots[slot])
            let old = entries[entry].value
            entries[entry].value = value
            return old
        }
        slots[slot] = Int32(entries.count)
        entries.append(Entry(hash: hash, start: bytes.count, count: name.count, value: value))
        bytes += name
        firstBytes.insert(name[0])
        if bytesBeforeLast.isEmpty { bytesBeforeLast = Array(repeating: 0, count: 256) }
        let last = Int(name[name.count - 1])
        bytesBeforeLast[last] |= name.count == 1 ? .max : 1 << UInt64(name[name.count - 2] & 63)
        if entries.count * 2 > slots.count { grow() }
        return nil
    }

    /// The slot that has this text, or the free one where it belongs.
    private func slot(of name: Span<UInt8>, from start: Int, _ hash: UInt64) -> Int {
        let mask = slots.count - 1
        var slot = Self.firstSlot(hash, mask)
        while slots[slot] >= 0 {
            let entry = entries[Int(slots[slot])]
            if entry.hash == hash, hasBytes(of: name, from: start, entry) { break }
            slot = (slot + 1) & mask
        }
        return slot
    }

    private static func firstSlot(_ hash: UInt64, _ mask: Int) -> Int {
        Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
    }

    private func hasBytes(of name: Span<UInt8>, from start: Int, _ entry: Entry) -> Bool {
        guard entry.count == name.count - start else { return false }
        var offset = 0
        while offset < entry.count {
            if bytes[entry.start + offset] != name[start + offset] { return false }
            offset += 1
        }
        return true
    }

    private mutating func grow() {
        slots = Array(repeating: -1, count: slots.count * 2)
        let mask = slots.count - 1
        for (index, entry) in entries.enumerated() {
            var slot = Self.firstSlot(entry.hash, mask)
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }
}
