// The globs that need no trying: found by the bytes that the name, or its end, must have.
//
// A hash table with open addressing, keyed by the bytes with capitals folded. A key has a chain of entries, best
// first: those with the case given, and at most one for any case, which is the last. Both the way to a key and
// its chain are bounded, so a list made to be slow is not: what has no place is refused.

/// The hash of the end of a name, grown by one folded byte at a time towards its start.
struct EndHash {
    private var value: UInt64 = 0x243F_6A88_85A3_08D3

    mutating func add(_ byte: UInt8) {
        value = (value << 7 | value >> 57) ^ UInt64(byte)
    }

    var tag: UInt32 { UInt32(truncatingIfNeeded: (value &* 0x9E37_79B9_7F4A_7C15) >> 32) }
}

/// Globs by the bytes that they demand.
struct GlobIndex: Sendable {
    /// What a glob says of a name.
    struct Match {
        /// The lower, the better.
        let rank: UInt32
        let type: UInt16
    }

    private struct Slot {
        var tag: UInt32 = 0
        /// The first entry of the key plus 1; 0 if the slot is free.
        var entry: UInt32 = 0
    }

    private struct Entry {
        let start: UInt32
        let count: UInt16
        let type: UInt16
        let rank: UInt32
        /// The next entry of the key plus 1; 0 for the last.
        var next: UInt32 = 0
        let isCaseSensitive: Bool
    }

    static let longestWay = 64
    static let longestChain = 8

    private var slots: [Slot]
    private let shift: UInt32
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    /// The length of the longest key.
    private(set) var longest = 0

    /// For so many keys. At least half of the slots stay free.
    init(capacity: Int) {
        var bits: UInt32 = 4
        while 1 << bits < capacity * 2 { bits += 1 }
        slots = Array(repeating: Slot(), count: 1 << bits)
        shift = 32 - bits
    }

    /// Adds a glob that is worse than all before, by its bytes: folded, unless it is case-sensitive. One that can
    /// never be the best match is dropped.
    /// - Returns: false, without effect, if it has no place.
    mutating func insert(
        _ key: [UInt8], isCaseSensitive: Bool, type: UInt16, rank: UInt32
    ) -> Bool {
        let folded = key.map(\.folded)
        var hash = EndHash()
        for byte in folded.reversed() { hash.add(byte) }
        var place = Int(hash.tag >> shift)
        var way = 0
        while slots[place].entry != 0 {
            if slots[place].tag == hash.tag {
                let first = Int(slots[place].entry) - 1
                let stored = stored(entries[first])
                if stored.count == folded.count,
                    zip(stored, folded).allSatisfy({ $0.folded == $1 })
                {
                    return append(
                        key, isCaseSensitive: isCaseSensitive, type: type, rank: rank,
                        toChainOf: first)
                }
            }
            way += 1
            guard way < Self.longestWay else { return false }
            place = (place + 1) & (slots.count - 1)
        }
        slots[place] = Slot(tag: hash.tag, entry: UInt32(entries.count) + 1)
        add(key, isCaseSensitive: isCaseSensitive, type: type, rank: rank)
        longest = max(longest, key.count)
        return true
    }

    private mutating func append(
        _ key: [UInt8], isCaseSensitive: Bool, type: UInt16, rank: UInt32, toChainOf first: Int
    ) -> Bool {
        var last = first
        var count = 1
        while true {
            let entry = entries[last]
            if !entry.isCaseSensitive || isCaseSensitive && stored(entry).elementsEqual(key) {
                return true
            }
            if entry.next == 0 { break }
            last = Int(entry.next) - 1
            count += 1
        }
        guard count < Self.longestChain else { return false }
        entries[last].next = UInt32(entries.count) + 1
        add(key, isCaseSensitive: isCaseSensitive, type: type, rank: rank)
        return true
    }

    private mutating func add(_ key: [UInt8], isCaseSensitive: Bool, type: UInt16, rank: UInt32) {
        entries.append(
            Entry(
                start: UInt32(bytes.count), count: UInt16(key.count), type: type, rank: rank,
                isCaseSensitive: isCaseSensitive))
        bytes += key
    }

    private func stored(_ entry: Entry) -> ArraySlice<UInt8> {
        bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)]
    }

    /// The best match of the name's end from `start` on, of which `hash` is the hash. Allocates nothing.
    func match(_ hash: EndHash, _ name: borrowing Span<UInt8>, from start: Int) -> Match? {
        var place = Int(hash.tag >> shift)
        while slots[place].entry != 0 {
            if slots[place].tag == hash.tag {
                var next = slots[place].entry
                while next != 0 {
                    let entry = entries[Int(next) - 1]
                    if matches(entry, name, from: start) {
                        return Match(rank: entry.rank, type: entry.type)
                    }
                    next = entry.next
                }
            }
            place = (place + 1) & (slots.count - 1)
        }
        return nil
    }

    private func matches(
        _ entry: Entry, _ name: borrowing Span<UInt8>, from start: Int
    ) -> Bool {
        let count = Int(entry.count)
        guard name.count - start == count else { return false }
        for offset in 0..<count {
            let byte = name[start + offset]
            guard
                bytes[Int(entry.start) + offset] == (entry.isCaseSensitive ? byte : byte.folded)
            else { return false }
        }
        return true
    }
}
