// Bytes of many owners in one piece of memory.
//
// Each part begins with a header: its owner and the number of its bytes. So the arena can be walked from the start,
// and compacted: living parts slide down over dead ones, in their order, a few at a time. New parts are always added
// at the end. While a compaction goes on there is a gap between the parts that have been moved and the others.

internal import CDocumentKernels

/// Parts of bytes, found by the offset of their first byte.
struct ByteArena: ~Copyable {
    /// The owner of a part that has been freed.
    private static let nobody = UInt32.max
    private static let ownerBytes = 4

    /// The size of a part's header.
    let headerBytes: Int
    /// Whether a part's size has two bytes rather than four.
    private let hasShortParts: Bool
    /// The size up to which the arena may grow.
    let limit: Int
    private var memory = PackedColumn<UInt8>()
    /// The bytes in freed parts.
    private(set) var dead = 0
    /// The progress of a compaction; 0 and 0 without one. What is between is the gap.
    private var written = 0
    private var read = 0
    private(set) var isCompacting = false
    /// Whether room was refused that a compaction may provide.
    private(set) var isShort = false

    #if DEBUG
    /// For tests of cost: the bytes copied within the arena.
    private(set) var copied = 0
    #endif

    /// - Parameters:
    ///   - limit: the size up to which it may grow.
    ///   - hasShortParts: whether each part has less than 2¹⁶ bytes, so that a header takes six rather than eight.
    init(limit: Int, hasShortParts: Bool = false) {
        self.limit = limit
        self.hasShortParts = hasShortParts
        headerBytes = Self.ownerBytes + (hasShortParts ? 2 : 4)
    }

    /// The bytes up to the end of the last part, with headers, freed parts and the gap.
    var used: Int { memory.count }

    /// The bytes that a compaction would free, or is about to.
    var wasted: Int { dead + read - written }

    /// Whether more than a quarter is dead, or else room was refused; or a compaction goes on. So many bytes within parts
    /// are dead, too.
    func needsCompaction(abandoned: Int = 0) -> Bool {
        let dead = wasted + abandoned
        return isCompacting || isShort && dead > 0 || used > 4096 && dead * 4 > used
    }

    /// The size of mapped pages.
    var mappedBytes: Int { memory.mappedBytes }

    // MARK: Parts

    /// Whether a part of this size can be added.
    /// - Returns: false also if the system has no memory.
    mutating func hasRoom(for count: Int) -> Bool {
        if hasShortParts, count > UInt16.max { return false }
        return hasRoom(forParts: 1, bytes: count)
    }

    /// Whether so many parts with so many bytes together can be added.
    mutating func hasRoom(forParts parts: Int, bytes: Int) -> Bool {
        let end = used + bytes + parts * headerBytes
        if end <= limit && memory.reserve(end) { return true }
        isShort = true
        return false
    }

    /// Makes room for so many bytes at once.
    mutating func reserve(_ bytes: Int) -> Bool { memory.reserve(min(bytes, limit)) }

    /// As `PackedColumn.populate`.
    mutating func populate(_ bytes: Int) { memory.populate(bytes) }

    /// Adds a part, for which there must be room.
    /// - Returns: its offset.
    mutating func allocate(_ count: Int, owner: Int) -> Int {
        let offset = used + headerBytes
        memory.resize(to: offset + count)
        setOwner(of: offset, to: UInt32(owner))
        setCount(of: offset, to: count)
        return offset
    }

    /// Frees a part.
    mutating func free(_ offset: Int) {
        setOwner(of: offset, to: Self.nobody)
        dead += headerBytes + count(of: offset)
    }

    /// Gives a part another owner.
    mutating func setOwner(of offset: Int, to owner: Int) {
        setOwner(of: offset, to: UInt32(owner))
    }

    /// The size of a part.
    func count(of offset: Int) -> Int {
        // A size ends where the part's bytes begin.
        hasShortParts
            ? Int(load(UInt16.self, at: offset - 2)) : Int(load(UInt32.self, at: offset - 4))
    }

    private func owner(of offset: Int) -> UInt32 {
        // A header begins with the owner.
        load(UInt32.self, at: offset - headerBytes)
    }

    /// Adds bytes to the last part, if this is it and there is room.
    mutating func extend(_ offset: Int, by count: Int) -> Bool {
        let size = self.count(of: offset)
        guard offset + size == used, used + count <= limit, memory.reserve(used + count),
            !hasShortParts || size + count <= UInt16.max
        else {
            return false
        }
        memory.resize(to: used + count)
        setCount(of: offset, to: size + count)
        return true
    }

    /// An integer within a header.
    @inline(__always)
    private func load<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type, at offset: Int
    ) -> Value {
        precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= used)
        // Within the memory; loads of integers need no alignment.
        return unsafe UnsafeRawBufferPointer(memory.elements)
            .loadUnaligned(fromByteOffset: offset, as: type)
    }

    private mutating func setOwner(of offset: Int, to owner: UInt32) {
        precondition(offset >= headerBytes && offset <= used)
        // Within the memory, at the start of the header.
        unsafe UnsafeMutableRawBufferPointer(memory.mutableElements)
            .storeBytes(of: owner, toByteOffset: offset - headerBytes, as: UInt32.self)
    }

    private mutating func setCount(of offset: Int, to count: Int) {
        precondition(offset >= headerBytes && offset <= used)
        // Within the memory, at the end of the header.
        let bytes = unsafe UnsafeMutableRawBufferPointer(memory.mutableElements)
        if hasShortParts {
            unsafe bytes.storeBytes(of: UInt16(count), toByteOffset: offset - 2, as: UInt16.self)
        } else {
            unsafe bytes.storeBytes(of: UInt32(count), toByteOffset: offset - 4, as: UInt32.self)
        }
    }

    // MARK: Bytes

    /// All bytes; invalid after the next change.
    @unsafe var bytes: UnsafeBufferPointer<UInt8> { unsafe memory.elements }

    /// Some of the bytes; invalid after the next change.
    @unsafe func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= used)
        return unsafe UnsafeBufferPointer(rebasing: memory.elements[range])
    }

    /// The same to be written.
    @unsafe mutating func mutableBytes(_ range: Range<Int>) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= used)
        return unsafe UnsafeMutableBufferPointer(rebasing: memory.mutableElements[range])
    }

    /// Copies bytes from one place to another; both may overlap.
    mutating func copy(_ range: Range<Int>, to place: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= used)
        precondition(place >= 0 && place + range.count <= used)
        guard range.lowerBound != place, !range.isEmpty else { return }
        #if DEBUG
        copied += range.count
        #endif
        let bytes = unsafe UnsafeMutableRawBufferPointer(memory.mutableElements)
        guard let base = bytes.baseAddress else { return }
        // Both ranges are within the memory.
        unsafe (base + place).copyMemory(from: base + range.lowerBound, byteCount: range.count)
    }

    // MARK: Compaction

    /// Moves parts, in their order, for about `budget` bytes. `repack` moves the bytes of a part of an owner to a lower
    /// offset, by `copy`, and returns its size there, which is at most the one before.
    /// - Returns: whether the compaction is complete.
    /// - Complexity: O(`budget` + the size of one part).
    mutating func compact(
        budget: Int, repack: (inout ByteArena, _ owner: Int, _ from: Range<Int>, _ to: Int) -> Int
    ) -> Bool {
        var rest = budget
        // Without a part read, a compaction that goes on has only memory to return.
        while read < used, read > 0 || !isCompacting {
            isCompacting = true
            if rest <= 0 { return false }
            let offset = read + headerBytes
            let size = count(of: offset)
            let owner = owner(of: offset)
            read = offset + size
            rest -= headerBytes
            guard owner != Self.nobody else {
                dead -= headerBytes + size
                continue
            }
            let target = written + headerBytes
            let kept = repack(&self, Int(owner), offset..<offset + size, target)
            precondition(kept <= size)
            setOwner(of: target, to: owner)
            setCount(of: target, to: kept)
            written = target + kept
            rest -= size
        }
        if read > 0 {
            memory.resize(to: written)
            written = 0
            read = 0
            isShort = false
        }
        // Returning memory takes time, too: about as much as copying a tenth of it.
        guard memory.discardRest(atMost: max(budget, headerBytes) * 10) else { return false }
        isCompacting = false
        return true
    }

    /// In debug builds, traps if the parts do not fill the arena.
    /// - Parameter check: Called with each living part.
    func checkInvariants(_ check: (_ owner: Int, _ range: Range<Int>) -> Void) {
        #if DEBUG
        precondition(written <= read && read <= used, "the gap is misplaced")
        var place = 0
        var found = 0
        while place < used {
            if place == written, read > 0 { place = read }
            if place == used { break }
            let offset = place + headerBytes
            place = offset + count(of: offset)
            precondition(place <= used, "a part reaches beyond the end")
            if owner(of: offset) == Self.nobody {
                found += place - offset + headerBytes
            } else {
                check(Int(owner(of: offset)), offset..<place)
            }
        }
        precondition(found == dead, "\(found) bytes are dead, not \(dead)")
        #endif
    }
}
