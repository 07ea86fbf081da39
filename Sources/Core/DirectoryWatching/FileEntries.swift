// The files of one folder, by name.
//
// A tree may have millions of files, so a file takes few bytes here: fourteen for key, hash and identity, and its place
// in an index of open addresses (linear probing; Knuth, The Art of Computer Programming, volume 3, 6.4). The index of
// the table of documents (`RowIndex`) maps whole pages, which is too much for each of many small folders.
//
// The bytes of a name are here until its document is in the table of documents, under this name; from then on they are
// read there (`FileNames`). The index needs no names: a file's slot is computed from its hash.
//
// Files of the last run get their hashes, and the index, when the first of them is looked for: until then nobody needs
// their names.
//
// A read of the folder marks the files that it finds, and those that a check or an event finds meanwhile; the others are
// missing (mark and sweep). The marks are by place, one bit each, so that they cost nothing where a name is looked up anyway.
//
// Invariants: each entry is in the index once, reachable from its hash without a gap, or the index is still to be made; at
// most seven eighths of the index are in use; names of removed files are at most half of the bytes; a name is here, or `FileNames` has it.

import PickerModel
import SystemInterface

/// A dictionary of names and files.
struct FileEntries {
    /// A key, the hash of a name, and an identity. Of halves of words, between which there is no padding.
    private struct Entry {
        /// The hash in 24 bits, and the lowest eight of the key.
        private let low: (UInt16, UInt16)
        /// The upper 32 bits of the key.
        private let high: (UInt16, UInt16)
        private let identityParts: (UInt16, UInt16, UInt16)

        init(_ entry: FileEntry, hash: UInt32) {
            precondition(entry.identity >> FileStatus.identityBits == 0)
            let bits = entry.key.packed << 24 | UInt64(hash)
            low = (Self.half(bits), Self.half(bits >> 16))
            high = (Self.half(bits >> 32), Self.half(bits >> 48))
            let identity = entry.identity
            identityParts = (
                Self.half(identity), Self.half(identity >> 16), Self.half(identity >> 32)
            )
        }

        private static func half(_ bits: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: bits) }

        private static func word(_ halves: (UInt16, UInt16)) -> UInt32 {
            UInt32(halves.0) | UInt32(halves.1) << 16
        }

        var key: DocumentKey {
            KeyNumber(packed: UInt64(Self.word(high)) << 8 | UInt64(low.1 >> 8))
        }
        var hash: UInt32 { Self.word(low) & FileEntries.hashMask }
        var identity: UInt64 {
            UInt64(Self.word((identityParts.0, identityParts.1))) | UInt64(identityParts.2) << 32
        }
    }

    fileprivate static let hashMask: UInt32 = 1 << 24 - 1

    private var entries: [Entry] = []
    /// The numbers of entries.
    private var index = FilePlaces()
    /// Whether the index is still to be made, and the hashes of all files are.
    private var isUnindexed = false
    private var own = OwnNames()
    /// Has the names that are not here; nil if all are.
    private let names: FileNames?
    /// The number of removals so far, each of which moves an entry.
    private(set) var removals = 0
    /// The places of files that the read of the folder has not found yet, and of none that were added since it began.
    private var missing = PlaceSet()

    /// No files. Without `names` all names are kept here.
    init(names: FileNames? = nil) {
        self.names = names
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    /// The number of files whose names are kept here.
    var ownNameCount: Int { own.count }

    /// The bytes of all arrays, without what allocation adds.
    var bytes: Int {
        entries.capacity * MemoryLayout<Entry>.stride + index.byteCount + own.capacityInBytes
    }

    /// - Complexity: O(n) in the length of the name.
    subscript(name: [UInt8]) -> FileEntry? {
        mutating get { find(name).map { entry($0) } }
        set {
            guard let newValue else {
                removeValue(forKey: name)
                return
            }
            if let place = find(name) {
                missing.remove(place)
                set(newValue, name, at: place)
            } else {
                insert(newValue, name)
            }
        }
    }

    /// Sets a file that is known by this name. The read of the folder has not found it by that.
    mutating func setKnown(_ entry: FileEntry, as name: [UInt8]) {
        if let place = find(name) { set(entry, name, at: place) }
    }

    private mutating func set(_ entry: FileEntry, _ name: [UInt8], at place: Int) {
        // The document of another key may have another name.
        if entry.key != entries[place].key, !own.has(place) {
            own.set(name[...], of: place, among: count)
        }
        entries[place] = Entry(entry, hash: entries[place].hash)
    }

    /// Adds a file unless there is one of that name, which is not missing any more. `makeKey` is called once if it is
    /// added.
    /// - Returns: its place, and its key if it was added.
    /// - Complexity: O(n) in the length of the name, which is hashed once.
    mutating func add(
        _ name: ArraySlice<UInt8>, identity: UInt64, _ makeKey: () -> DocumentKey
    ) -> (place: Int, newKey: DocumentKey?) {
        makeIndex()
        if (count + 1) * 8 > index.count * 7 { growIndex() }
        let hash = Self.hash(of: name)
        var slot = home(hash)
        while let place = index[slot] {
            if entries[place].hash == hash, isName(name, at: place) {
                missing.remove(place)
                return (place, nil)
            }
            slot = next(slot)
        }
        let key = makeKey()
        index[slot] = count
        entries.append(Entry(FileEntry(key: key, identity: identity), hash: hash))
        own.set(name, of: count - 1, among: count)
        checkInvariants()
        return (count - 1, key)
    }

    /// Removes a file, and returns it.
    @discardableResult
    mutating func removeValue(forKey name: [UInt8]) -> FileEntry? {
        find(name).map { remove(at: $0) }
    }

    /// Removes the file at a place. The last one has that place then.
    mutating func remove(at place: Int) -> FileEntry {
        makeIndex()
        let removed = entry(place)
        removals += 1
        closeGap(at: slot(of: place))
        let last = entries.count - 1
        own.remove(place)
        if place < last {
            index[slot(of: last)] = place
            entries[place] = entries[last]
            own.move(last, to: place)
        }
        missing.move(last, to: place)
        entries.removeLast()
        own.truncate(to: last)
        checkInvariants()
        return removed
    }

    /// The files for which a condition holds. All names of the result are kept there.
    func filter(_ isIncluded: (Element) -> Bool) -> FileEntries {
        var result = FileEntries(names: names)
        for (name, entry) in self where isIncluded((name, entry)) { result[name] = entry }
        return result
    }

    // MARK: Sweeps

    /// Begins a read of the folder: all its files are missing.
    /// - Complexity: O(n / 64) for n files.
    mutating func beginSweep() { missing = PlaceSet(count: count) }

    /// Ends it; what is missing is not known any more.
    mutating func endSweep() { missing = PlaceSet() }

    /// The file of that name, which is not missing from now on.
    /// - Complexity: O(n) in the length of the name.
    mutating func found(_ name: [UInt8]) -> FileEntry? {
        guard let place = find(name) else { return nil }
        missing.remove(place)
        return entry(place)
    }

    /// Says that the file at a place is not missing.
    mutating func found(at place: Int) { missing.remove(place) }

    /// The first place, from this one on, whose file is missing.
    /// - Complexity: O(n / 64) for n places between.
    func nextMissing(from place: Int) -> Int? { missing.next(from: place) }

    // MARK: Names

    /// Gives up the name of a file, if its document has it. `hint` is a place where the file may be, and then that of
    /// the next one.
    mutating func giveUpName(_ name: [UInt8], of key: DocumentKey, near hint: inout Int) {
        guard let names, own.count > 0 else { return }
        if hint >= count || entries[hint].key != key {
            guard let found = find(name), entries[found].key == key else { return }
            hint = found
        }
        let place = hint
        hint += 1
        guard own.has(place), names.isName(own.name(of: place), of: key) else { return }
        own.remove(place)
        checkInvariants()
    }

    /// Keeps all names here, as documents may leave the table.
    /// - Complexity: O(n) for n files.
    mutating func keepNames() {
        for place in entries.indices where !own.has(place) {
            own.set(name(at: place)[...], of: place, among: count)
        }
    }

    // MARK: What is restored

    /// Makes room for files whose names are not kept here.
    mutating func reserveRestored(_ files: Int) {
        precondition(isEmpty || isUnindexed, "the index has been made")
        isUnindexed = true
        entries.reserveCapacity(count + files)
    }

    /// Adds a file whose document has a name already that no other file has. `reserveRestored` has been called.
    /// - Complexity: O(1) amortized.
    mutating func restore(_ entry: FileEntry) {
        precondition(isUnindexed)
        entries.append(Entry(entry, hash: 0))
    }

    /// Makes the index, unless that was done.
    /// - Complexity: O(n) in the length of all names, once.
    mutating func makeIndex() {
        if isUnindexed { makeFirstIndex() }
    }

    private mutating func makeFirstIndex() {
        isUnindexed = false
        for place in entries.indices {
            let hash = Self.hash(of: name(at: place)[...])
            entries[place] = Entry(entry(place), hash: hash)
        }
        growIndex(toHold: count)
        checkInvariants()
    }

    /// Keeps of all files no more than names and keys.
    mutating func forgetIdentities() {
        for place in entries.indices {
            entries[place] = Entry(
                FileEntry(key: entries[place].key, identity: 0), hash: entries[place].hash)
        }
    }

    // MARK: Entries

    /// The name at a place below `count`; removals change the places of others.
    func name(at place: Int) -> [UInt8] {
        if own.has(place) { return Array(own.name(of: place)) }
        return names?.name(of: entries[place].key) ?? []
    }

    /// Whether the name of the file at a place is not here, but with its document.
    func isNamedElsewhere(_ place: Int) -> Bool { !own.has(place) }

    /// The file at a place.
    func entry(_ place: Int) -> FileEntry {
        FileEntry(key: entries[place].key, identity: entries[place].identity)
    }

    private mutating func insert(_ entry: FileEntry, _ name: [UInt8]) {
        makeIndex()
        let place = count
        entries.append(Entry(entry, hash: Self.hash(of: name[...])))
        own.set(name[...], of: place, among: count)
        if count * 8 > index.count * 7 { growIndex() } else { addToIndex(place) }
        checkInvariants()
    }

    // MARK: Index

    private static func hash(of name: ArraySlice<UInt8>) -> UInt32 {
        var hasher = Hasher()
        // Read during the call only.
        unsafe name.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return UInt32(truncatingIfNeeded: hasher.finalize()) & hashMask
    }

    /// The slot where the search for a hash begins.
    private func home(_ hash: UInt32) -> Int { Int(hash) & (index.count - 1) }

    private func next(_ slot: Int) -> Int { (slot + 1) & (index.count - 1) }

    /// The place of a name.
    private mutating func find(_ name: [UInt8]) -> Int? {
        makeIndex()
        if index.count == 0 { return nil }
        let hash = Self.hash(of: name[...])
        var slot = home(hash)
        while let place = index[slot] {
            if entries[place].hash == hash, isName(name[...], at: place) { return place }
            slot = next(slot)
        }
        return nil
    }

    private func isName(_ name: ArraySlice<UInt8>, at place: Int) -> Bool {
        if own.has(place) { return own.name(of: place).elementsEqual(name) }
        return names?.isName(name, of: entries[place].key) ?? false
    }

    /// The slot of an entry.
    private func slot(of place: Int) -> Int {
        var slot = home(entries[place].hash)
        while index[slot] != place { slot = next(slot) }
        return slot
    }

    private mutating func addToIndex(_ place: Int) {
        var slot = home(entries[place].hash)
        while index[slot] != nil { slot = next(slot) }
        index[slot] = place
    }

    private mutating func growIndex(toHold count: Int = 0) {
        var size = Swift.max(4, index.count * 2)
        while count * 8 > size * 7 { size *= 2 }
        index = FilePlaces(count: size)
        for place in entries.indices { addToIndex(place) }
    }

    /// Makes room at once for files that are about to be added, so that no more than that is taken.
    mutating func reserve(files: Int, nameBytes: Int) {
        makeIndex()
        let all = count + files
        entries.reserveCapacity(all)
        own.reserve(all, adding: files, nameBytes: nameBytes)
        if all * 8 > index.count * 7 { growIndex(toHold: all) }
    }

    /// Empties a slot, and moves those after it that would not be found any more.
    private mutating func closeGap(at slot: Int) {
        var gap = slot
        var slot = next(slot)
        while let place = index[slot] {
            let home = home(entries[place].hash)
            // Whether the gap is on the way from its home.
            if (slot - home) & (index.count - 1) >= (slot - gap) & (index.count - 1) {
                index[gap] = place
                gap = slot
            }
            slot = next(slot)
        }
        index[gap] = nil
    }

    // MARK: Invariants

    /// In debug builds, traps if the entries and the index disagree.
    private mutating func checkInvariants() {
        #if DEBUG
        // Only small folders are checked, as most tests have.
        guard count <= 16, !isUnindexed else { return }
        precondition(count * 8 <= index.count * 7, "the index is too full")
        precondition(
            (0..<index.count).count { index[$0] != nil } == count, "the index has other entries")
        own.checkInvariants(among: count)
        for place in entries.indices {
            precondition(find(name(at: place)) == place, "entry \(place)")
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
            return (entries.name(at: place), entries.entry(place))
        }
    }

    func makeIterator() -> Iterator { Iterator(entries: self) }

    /// The names.
    var keys: [[UInt8]] { (0..<count).map { name(at: $0) } }

    var values: [FileEntry] { (0..<count).map { entry($0) } }
}

/// The slots of an index, each of which may have a place: of one byte or two, if there are few.
private struct FilePlaces {
    private var bytes: [UInt8] = []
    /// The bytes of a slot.
    private var width = 1

    init() {}

    /// Empty slots.
    init(count: Int) {
        width = count <= 1 << 8 ? 1 : count <= 1 << 16 ? 2 : 4
        bytes = Array(repeating: .max, count: count * width)
    }

    var count: Int { bytes.count / width }
    var byteCount: Int { bytes.capacity }

    /// Places are below seven eighths of the count, so the greatest number is none.
    private var none: Int { 1 << (8 * width) - 1 }

    subscript(slot: Int) -> Int? {
        get {
            if width == 1 { return bytes[slot] == .max ? nil : Int(bytes[slot]) }
            var place = 0
            for index in 0..<width { place |= Int(bytes[slot * width + index]) << (8 * index) }
            return place == none ? nil : place
        }
        set {
            let place = newValue ?? none
            for index in 0..<width {
                bytes[slot * width + index] = UInt8(truncatingIfNeeded: place >> (8 * index))
            }
        }
    }
}

/// Some of the places below a count, one bit each.
private struct PlaceSet {
    private var words: [UInt64] = []

    /// No places.
    init() {}

    /// All places below a count.
    init(count: Int) {
        words = Array(repeating: .max, count: (count + 63) / 64)
        if count % 64 != 0 { words[words.count - 1] = 1 << UInt64(count % 64) - 1 }
    }

    func contains(_ place: Int) -> Bool {
        place / 64 < words.count && words[place / 64] & 1 << UInt64(place % 64) != 0
    }

    mutating func remove(_ place: Int) {
        if contains(place) { words[place / 64] &= ~(1 << UInt64(place % 64)) }
    }

    /// Removes a place, and puts another one in or out as this one was. They may be the same.
    mutating func move(_ last: Int, to place: Int) {
        if words.isEmpty { return }
        let isIn = contains(last)
        remove(last)
        if last == place { return }
        remove(place)
        if isIn { words[place / 64] |= 1 << UInt64(place % 64) }
    }

    func next(from place: Int) -> Int? {
        var index = place / 64
        guard index < words.count else { return nil }
        var word = words[index] & .max << UInt64(place % 64)
        while word == 0 {
            index += 1
            if index == words.count { return nil }
            word = words[index]
        }
        return index * 64 + word.trailingZeroBitCount
    }
}
