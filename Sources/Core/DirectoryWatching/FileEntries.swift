// The files of one folder, by name.
//
// A tree may have millions of files, so a file takes few bytes here: its name in one array with those of the others,
// twenty bytes for key and identity, and its place in an index of open addresses (linear probing; Knuth, The Art of
// Computer Programming, volume 3, 6.4). The index of the table of documents (`RowIndex`) maps whole pages, which is too
// much for each of many small folders.
//
// Invariants: each entry is in the index once, reachable from its hash without a gap; at most seven eighths of
// the index are in use; names of removed files are at most half of the array.

import PickerModel

/// A dictionary of names and files.
struct FileEntries {
    private static let unused = UInt32.max

    /// The number of the key in the upper 48 bits, the length of the name in the lower 16.
    private var keyNumbers: [UInt64] = []
    private var identities: [UInt64] = []
    private var nameStarts: [UInt32] = []
    private var names: [UInt8] = []
    private var deadBytes = 0
    /// The numbers of entries.
    private var index: [UInt32] = []
    /// The number of removals so far, each of which moves an entry.
    private(set) var removals = 0

    var count: Int { keyNumbers.count }
    var isEmpty: Bool { keyNumbers.isEmpty }

    /// - Complexity: O(n) in the length of the name.
    subscript(name: [UInt8]) -> FileEntry? {
        get { find(name).map { entry(Int(index[$0])) } }
        set {
            guard let newValue else {
                removeValue(forKey: name)
                return
            }
            if let slot = find(name) {
                set(newValue, at: Int(index[slot]), name)
            } else {
                insert(newValue, name)
            }
        }
    }

    /// Removes a file, and returns it.
    @discardableResult
    mutating func removeValue(forKey name: [UInt8]) -> FileEntry? {
        guard let slot = find(name) else { return nil }
        let place = Int(index[slot])
        let removed = entry(place)
        removals += 1
        closeGap(at: slot)
        let last = keyNumbers.count - 1
        deadBytes += nameCount(place)
        if place < last {
            index[self.slot(of: last)] = UInt32(place)
            keyNumbers[place] = keyNumbers[last]
            identities[place] = identities[last]
            nameStarts[place] = nameStarts[last]
        }
        keyNumbers.removeLast()
        identities.removeLast()
        nameStarts.removeLast()
        if deadBytes > names.count / 2 { compact() }
        checkInvariants()
        return removed
    }

    /// The files for which a condition holds.
    func filter(_ isIncluded: (Element) -> Bool) -> FileEntries {
        var result = FileEntries()
        for (name, entry) in self where isIncluded((name, entry)) { result[name] = entry }
        return result
    }

    // MARK: Entries

    private func nameCount(_ place: Int) -> Int { Int(keyNumbers[place] & 0xFFFF) }

    private func nameRange(_ place: Int) -> Range<Int> {
        let start = Int(nameStarts[place])
        return start..<(start + nameCount(place))
    }

    fileprivate func name(_ place: Int) -> [UInt8] { Array(names[nameRange(place)]) }

    fileprivate func entry(_ place: Int) -> FileEntry {
        FileEntry(key: KeyNumber(packed: keyNumbers[place] >> 16), identity: identities[place])
    }

    /// The entry at a place below `count`; removals change the places of others.
    subscript(place place: Int) -> (name: [UInt8], entry: FileEntry) { (name(place), entry(place)) }

    private mutating func set(_ entry: FileEntry, at place: Int, _ name: [UInt8]) {
        keyNumbers[place] = entry.key.packed << 16 | UInt64(name.count)
        identities[place] = entry.identity
    }

    private mutating func insert(_ entry: FileEntry, _ name: [UInt8]) {
        precondition(name.count <= UInt16.max && names.count + name.count <= UInt32.max)
        let place = keyNumbers.count
        keyNumbers.append(0)
        identities.append(0)
        nameStarts.append(UInt32(names.count))
        names.append(contentsOf: name)
        set(entry, at: place, name)
        if keyNumbers.count * 8 > index.count * 7 { growIndex() } else { addToIndex(place) }
        checkInvariants()
    }

    /// Removes the names of removed files.
    private mutating func compact() {
        var kept: [UInt8] = []
        kept.reserveCapacity(names.count - deadBytes)
        for place in keyNumbers.indices {
            let range = nameRange(place)
            nameStarts[place] = UInt32(kept.count)
            kept.append(contentsOf: names[range])
        }
        names = kept
        deadBytes = 0
    }

    // MARK: Index

    /// The slot where the search for a name begins.
    private func hashed(_ name: ArraySlice<UInt8>) -> Int {
        var hasher = Hasher()
        // Read during the call only.
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize() & (index.count - 1)
    }

    private func next(_ slot: Int) -> Int { (slot + 1) & (index.count - 1) }

    /// The slot of a name.
    private func find(_ name: [UInt8]) -> Int? {
        if index.isEmpty { return nil }
        var slot = hashed(name[...])
        while index[slot] != Self.unused {
            let place = Int(index[slot])
            if hasName(place, name) { return slot }
            slot = next(slot)
        }
        return nil
    }

    private func hasName(_ place: Int, _ name: [UInt8]) -> Bool {
        guard nameCount(place) == name.count else { return false }
        let start = Int(nameStarts[place])
        let (all, name) = (names.span, name.span)
        for index in name.indices where all[start + index] != name[index] { return false }
        return true
    }

    /// The slot of an entry.
    private func slot(of place: Int) -> Int {
        var slot = hashed(names[nameRange(place)])
        while Int(index[slot]) != place { slot = next(slot) }
        return slot
    }

    private mutating func addToIndex(_ place: Int) {
        var slot = hashed(names[nameRange(place)])
        while index[slot] != Self.unused { slot = next(slot) }
        index[slot] = UInt32(place)
    }

    private mutating func growIndex(toHold count: Int = 0) {
        var size = Swift.max(4, index.count * 2)
        while count * 8 > size * 7 { size *= 2 }
        index = Array(repeating: Self.unused, count: size)
        for place in keyNumbers.indices { addToIndex(place) }
    }

    /// Makes room at once for files that are about to be added, so that no more than that is taken.
    mutating func reserve(files: Int, nameBytes: Int) {
        let all = count + files
        keyNumbers.reserveCapacity(all)
        identities.reserveCapacity(all)
        nameStarts.reserveCapacity(all)
        names.reserveCapacity(names.count + nameBytes)
        if all * 8 > index.count * 7 { growIndex(toHold: all) }
    }

    /// Empties a slot, and moves those after it that would not be found any more.
    private mutating func closeGap(at slot: Int) {
        var gap = slot
        var slot = next(slot)
        while index[slot] != Self.unused {
            let home = hashed(names[nameRange(Int(index[slot]))])
            // Whether the gap is on the way from its home.
            if (slot - home) & (index.count - 1) >= (slot - gap) & (index.count - 1) {
                index[gap] = index[slot]
                gap = slot
            }
            slot = next(slot)
        }
        index[gap] = Self.unused
    }

    // MARK: Invariants

    /// In debug builds, traps if the entries and the index disagree.
    private func checkInvariants() {
        #if DEBUG
        // Only small folders are checked, as most tests have.
        guard count <= 16 else { return }
        precondition(identities.count == count && nameStarts.count == count)
        precondition(count * 8 <= index.count * 7, "the index is too full")
        precondition(index.count { $0 != Self.unused } == count, "the index has other entries")
        precondition(keyNumbers.indices.reduce(0) { $0 + nameCount($1) } + deadBytes == names.count)
        for place in keyNumbers.indices {
            precondition(find(name(place)).map { Int(index[$0]) } == place, "entry \(place)")
        }
        #endif
    }
}

extension FileEntries: Sequence {
    typealias Element = (key: [UInt8], value: FileEntry)

    struct Iterator: IteratorProtocol {
        fileprivate let entries: FileEntries
        fileprivate var place = 0

        mutating func next() -> Element? {
            guard place < entries.count else { return nil }
            defer { place += 1 }
            return (entries.name(place), entries.entry(place))
        }
    }

    func makeIterator() -> Iterator { Iterator(entries: self) }

    /// The names.
    var keys: [[UInt8]] { (0..<count).map { name($0) } }

    var values: [FileEntry] { (0..<count).map { entry($0) } }
}
