// The folded names of all rows, which search scans.
//
// Rows are in blocks of 64, a word of a bitset each. The texts of a block are in one part of an arena, each followed
// by an end byte, which no text contains. A new text is added behind the others of its block. If its block has no
// room, the texts of freed rows are removed from it first, and if that is not enough it moves to the end of the arena:
// so adding a text copies at most those of one block. Rows that are added in sequence fill the arena without gaps. A
// row that gets another text, not longer than its former one, has it at the place of that.
//
// `starts` of a row without a text is the place of its former text, or 0, where no text begins. It is 0 once the block
// has moved, or has been empty.

internal import CDocumentKernels

/// A text for each row that has one, found by row.
@safe struct SearchTexts: ~Copyable {
    static let rowsPerBlock = Int(NAMES_BLOCK_ROWS)
    private static let end = UInt8(NAMES_END)
    /// The longest text.
    static let longest = Int(UInt16.max)
    /// The most free room that a block is given when it moves.
    private static let mostSlack = 16_384

    private var arena: ByteArena
    private var blocks = PackedColumn<names_block>()
    private var starts = PackedColumn<UInt32>()
    private var counts = PackedColumn<UInt16>()
    /// The bytes of all texts with their ends.
    private(set) var live = 0
    /// The number of texts.
    private(set) var count = 0
    /// The bytes in use by all blocks.
    private var usedByBlocks = 0
    /// Room for the rows of a block in the order of their texts; kept to avoid allocation.
    private var order = Array(repeating: 0, count: rowsPerBlock)

    init(limit: Int) {
        arena = ByteArena(limit: limit)
    }

    #if DEBUG
    /// For tests of cost: the bytes of texts that were copied.
    var copied: Int { arena.copied }
    #endif

    /// The size of the arena.
    var arenaBytes: Int { arena.used }
    /// The bytes of each row beside the arena, without room for more.
    static let columnBytesPerRow = 6

    private static func block(of row: Int) -> Int { row / rowsPerBlock }
    private static func bit(of row: Int) -> UInt64 { 1 << UInt64(row % rowsPerBlock) }

    /// Whether the row has a text, perhaps an empty one.
    func hasText(_ row: Int) -> Bool {
        Self.block(of: row) < blocks.count
            && blocks[Self.block(of: row)].occupied & Self.bit(of: row) != 0
    }

    /// The length of a row's text.
    func count(of row: Int) -> Int { Int(counts[row]) }

    /// The text of a row; invalid after the next change.
    @unsafe func text(of row: Int) -> UnsafeBufferPointer<UInt8> {
        let start = Int(starts[row])
        return unsafe arena.bytes(start..<start + Int(counts[row]))
    }

    /// Lets the processor fetch where the text of a row is, or the text, once it knows that.
    @inline(__always)
    func prefetch(_ row: Int, isNear: Bool) {
        if isNear {
            // The addresses are those of the row's text.
            let text = unsafe text(of: row)
            unsafe names_prefetch_text(text.baseAddress, text.count)
        } else {
            starts.prefetch(row)
            counts.prefetch(row)
        }
    }

    // MARK: Changes

    /// Makes room for so many rows with so many bytes at once.
    mutating func reserve(rows: Int, bytes: Int) -> Bool {
        let count = (rows + Self.rowsPerBlock - 1) / Self.rowsPerBlock
        let headers = count * arena.headerBytes
        return blocks.reserve(count) && starts.reserve(count * Self.rowsPerBlock)
            && counts.reserve(count * Self.rowsPerBlock) && arena.reserve(bytes + rows + headers)
    }

    /// As `PackedColumn.populate`.
    mutating func populate(rows: Int, bytes: Int) {
        starts.populate(rows)
        counts.populate(rows)
        arena.populate(bytes)
    }

    /// Adds a text of so many bytes for a row that has none. The bytes are to be written next.
    /// - Returns: false, without effect on other texts, if there is no room.
    mutating func add(_ row: Int, count: Int) -> Bool {
        let index = Self.block(of: row)
        guard makeColumns(upTo: index) else { return false }
        if let start = formerPlace(of: row, for: count, in: index) {
            starts[row] = UInt32(start)
        } else {
            guard let start = place(for: count + 1, in: index) else { return false }
            starts[row] = UInt32(start)
            blocks[index].used += UInt32(count + 1)
            usedByBlocks += count + 1
        }
        let end = Int(starts[row]) + count
        unsafe arena.mutableBytes(end..<end + 1)[0] = Self.end
        counts[row] = UInt16(count)
        blocks[index].occupied |= Self.bit(of: row)
        live += count + 1
        self.count += 1
        return true
    }

    /// Makes room for texts of so many rows behind all that have texts, with so many bytes and ends.
    /// - Returns: false, without effect on texts, if there is none.
    mutating func prepare(for rows: Int, behind first: Int, bytes: Int) -> Bool {
        let last = Self.block(of: first + rows - 1)
        guard makeColumns(upTo: last) else { return false }
        // The texts of the first block may have to move.
        let kept = liveBytes(of: Self.block(of: first))
        return arena.hasRoom(
            forParts: last - Self.block(of: first) + 1, bytes: kept + bytes)
    }

    /// Adds texts of rows behind all others, for which `prepare` has made room.
    /// - Parameters:
    ///   - first: the first of the rows.
    ///   - bytes: the texts, with an end byte behind each.
    ///   - entries: say where each text ends, before that byte.
    ///   - start: what is to be subtracted from these ends.
    mutating func append(
        _ first: Int, _ bytes: UnsafeBufferPointer<UInt8>, entries: ArraySlice<StoredRows.Entry>,
        from start: Int
    ) {
        var (row, index, done) = (first, entries.startIndex, 0)
        while index < entries.endIndex {
            let block = Self.block(of: row)
            // Up to the end of the block.
            let count = min(
                (block + 1) * Self.rowsPerBlock - row, entries.endIndex - index)
            let end = Int(entries[index + count - 1].textEnd) + 1 - start
            guard let place = place(for: end - done, in: block) else {
                preconditionFailure("there was room for the texts")
            }
            // Exactly these texts.
            _ = unsafe arena.mutableBytes(place..<place + end - done)
                .update(fromContentsOf: bytes[done..<end])
            var text = place
            for number in 0..<count {
                let length = Int(entries[index + number].textEnd) - start - done - (text - place)
                starts[row + number] = UInt32(text)
                counts[row + number] = UInt16(length)
                text += length + 1
                blocks[block].occupied |= Self.bit(of: row + number)
            }
            blocks[block].used += UInt32(end - done)
            usedByBlocks += end - done
            live += end - done
            self.count += count
            row += count
            index += count
            done = end
        }
    }

    /// The place of the row's former text, if that is still free and long enough. In a full block, the row of a file
    /// that is saved again and again would else have all texts of the block moved, each time.
    private func formerPlace(of row: Int, for count: Int, in index: Int) -> Int? {
        let start = Int(starts[row])
        guard start != 0 else { return nil }
        let end = Int(blocks[index].start) + Int(blocks[index].used)
        guard start + count < end else { return nil }
        // Nothing was written there since, so the former text has its end; no other of its bytes is one.
        let former = unsafe arena.bytes(start..<start + count)
        return unsafe former.contains(Self.end) ? nil : start
    }

    private mutating func makeColumns(upTo index: Int) -> Bool {
        guard index >= blocks.count else { return true }
        let rows = (index + 1) * Self.rowsPerBlock
        guard blocks.reserve(index + 1), starts.reserve(rows), counts.reserve(rows) else {
            return false
        }
        blocks.resize(to: index + 1)
        starts.resize(to: rows)
        counts.resize(to: rows)
        return true
    }

    /// The offset of free room at the end of a block.
    private mutating func place(for needed: Int, in index: Int) -> Int? {
        let block = blocks[index]
        guard block.occupied != 0 else {
            guard arena.hasRoom(for: needed) else { return nil }
            blocks[index].start = UInt32(arena.allocate(needed, owner: index))
            return Int(blocks[index].start)
        }
        let start = Int(block.start)
        let used = Int(block.used)
        let room = arena.count(of: start)
        if used + needed <= room { return start + used }
        if arena.extend(start, by: used + needed - room) { return start + used }
        let kept = liveBytes(of: index)
        if kept + needed <= room {
            slide(index, to: start)
            return start + kept
        }
        return move(index, keeping: kept, for: needed)
    }

    /// Moves a block to the end of the arena, with room for its free rows, too.
    private mutating func move(_ index: Int, keeping kept: Int, for needed: Int) -> Int? {
        let free = Self.rowsPerBlock - 1 - blocks[index].occupied.nonzeroBitCount
        let slack = min(free * (live / max(1, count) + 1), Self.mostSlack)
        var size = kept + needed + slack
        if !arena.hasRoom(for: size) {
            size = kept + needed
            guard arena.hasRoom(for: size) else { return nil }
        }
        let old = Int(blocks[index].start)
        let target = arena.allocate(size, owner: index)
        slide(index, to: target)
        arena.free(old)
        return target + kept
    }

    private func liveBytes(of index: Int) -> Int {
        var bytes = 0
        forEachRow(of: index) { bytes += Int(counts[$0]) + 1 }
        return bytes
    }

    private func forEachRow(of index: Int, _ body: (Int) -> Void) {
        var rest = blocks[index].occupied
        while rest != 0 {
            body(index * Self.rowsPerBlock + rest.trailingZeroBitCount)
            rest &= rest - 1
        }
    }

    /// Copies the texts of a block, in the order of their places, to a place that is not within or behind a text
    /// of it that remains; then that is where the block is.
    private mutating func slide(_ index: Int, to target: Int) {
        withArena { texts, arena in texts.slide(index, in: &arena, to: target) }
    }

    /// Calls `body` with the arena taken out, so that both can be changed.
    private mutating func withArena<Value>(
        _ body: (inout SearchTexts, inout ByteArena) -> Value
    ) -> Value {
        var taken = ByteArena(limit: arena.limit)
        swap(&arena, &taken)
        let value = body(&self, &taken)
        swap(&arena, &taken)
        return value
    }

    private mutating func slide(_ index: Int, in arena: inout ByteArena, to target: Int) {
        var count = 0
        var rest = blocks[index].occupied
        while rest != 0 {
            let row = index * Self.rowsPerBlock + rest.trailingZeroBitCount
            rest &= rest - 1
            // Mostly in order already.
            var position = count
            while position > 0, starts[order[position - 1]] > starts[row] {
                order[position] = order[position - 1]
                position -= 1
            }
            order[position] = row
            count += 1
        }
        forgetFormerPlaces(in: index)
        var place = target
        for index in 0..<count {
            let row = order[index]
            let start = Int(starts[row])
            let size = Int(counts[row]) + 1
            arena.copy(start..<start + size, to: place)
            starts[row] = UInt32(place)
            place += size
        }
        usedByBlocks -= Int(blocks[index].used) - (place - target)
        blocks[index].start = UInt32(target)
        blocks[index].used = UInt32(place - target)
    }

    /// Writes the text of a row.
    mutating func write(_ row: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        let start = Int(starts[row])
        // Exactly the bytes of this text.
        unsafe fill(arena.mutableBytes(start..<start + Int(counts[row])))
    }

    /// Copies the text of another row, of the same length.
    mutating func copyText(of other: Int, to row: Int) {
        precondition(counts[other] == counts[row])
        let start = Int(starts[other])
        arena.copy(start..<start + Int(counts[other]), to: Int(starts[row]))
    }

    /// Removes the text of a row.
    mutating func remove(_ row: Int) {
        let index = Self.block(of: row)
        live -= Int(counts[row]) + 1
        count -= 1
        counts[row] = 0
        blocks[index].occupied &= ~Self.bit(of: row)
        guard blocks[index].occupied == 0 else { return }
        forgetFormerPlaces(in: index)
        arena.free(Int(blocks[index].start))
        usedByBlocks -= Int(blocks[index].used)
        blocks[index] = names_block()
    }

    /// A row without a text has no former place in the block any more.
    private mutating func forgetFormerPlaces(in index: Int) {
        var rest = ~blocks[index].occupied
        while rest != 0 {
            starts[index * Self.rowsPerBlock + rest.trailingZeroBitCount] = 0
            rest &= rest - 1
        }
    }

    // MARK: Compaction

    /// Whether more than a quarter of the arena is dead.
    var needsCompaction: Bool {
        arena.needsCompaction(abandoned: usedByBlocks - live)
    }

    /// Moves blocks together, for about `budget` bytes.
    /// - Returns: whether the compaction is complete.
    mutating func compact(budget: Int) -> Bool {
        withArena { texts, arena in
            arena.compact(budget: budget) { arena, index, _, target in
                texts.slide(index, in: &arena, to: target)
                return Int(texts.blocks[index].used)
            }
        }
    }

    // MARK: Search

    /// Finds the rows of some blocks whose texts contain a needle. `among` has a word for each block, with the rows to
    /// be tested, at least up to the last of the blocks; `result` has the same, and is written. With `others`, only the
    /// first of many blocks may be searched.
    /// - Returns: the end of the blocks that were searched, and the approximate number of steps.
    func search(
        _ needle: borrowing Span<UInt8>, blocks range: Range<Int>, among: UnsafePointer<UInt64>,
        result: UnsafeMutablePointer<UInt64>, instructions: Int32, by others: ParallelSearch?
    ) -> (end: Int, steps: Int) {
        precondition(range.lowerBound >= 0 && range.upperBound <= blocks.count)
        let texts = unsafe names_texts(
            bytes: arena.bytes.baseAddress, size: arena.used, blocks: blocks.elements.baseAddress,
            starts: starts.elements.baseAddress, counts: counts.elements.baseAddress)
        // All places are within the arena, and nothing changes during the call.
        return unsafe withUnsafePointer(to: texts) { texts in
            unsafe needle.withUnsafeBufferPointer { needle in
                guard let first = needle.baseAddress else { return (range.upperBound, 0) }
                if let others {
                    return unsafe others.search(
                        texts.pointee, range, instructions: instructions, needle: first,
                        count: needle.count, among: among, result: result)
                }
                let steps = unsafe names_search(
                    instructions, texts, UInt32(range.lowerBound), UInt32(range.upperBound), among,
                    first, needle.count, result)
                return (range.upperBound, Int(steps))
            }
        }
    }

    /// The same for one block, whose word is written.
    func search(
        _ needle: borrowing Span<UInt8>, block: Int, word: inout UInt64, instructions: Int32
    ) -> Int {
        precondition(block >= 0 && block < blocks.count)
        let row = block * Self.rowsPerBlock
        // The columns have 64 rows for each block, of which this is the first that the call reads.
        guard let blocks = unsafe blocks.elements.baseAddress,
            let starts = unsafe starts.elements.baseAddress,
            let counts = unsafe counts.elements.baseAddress
        else { return 0 }
        let texts = unsafe names_texts(
            bytes: arena.bytes.baseAddress, size: arena.used, blocks: blocks + block,
            starts: starts + row, counts: counts + row)
        return unsafe withUnsafePointer(to: texts) { texts in
            unsafe needle.withUnsafeBufferPointer { needle in
                guard let first = needle.baseAddress else { return 0 }
                return unsafe withUnsafeMutablePointer(to: &word) { word in
                    unsafe Int(
                        names_search(instructions, texts, 0, 1, word, first, needle.count, word))
                }
            }
        }
    }

    /// Finds the rows of a block, among some of them, whose texts have the bytes of a needle in their order, with
    /// anything between. The needle is not empty, and has no end byte. `steps` is incremented by one for 64 bytes.
    func spread(
        _ needle: borrowing Span<UInt8>, block: Int, among rows: UInt64, instructions: Int32,
        steps: inout Int
    ) -> UInt64 {
        precondition(block >= 0 && block < blocks.count)
        let texts = unsafe names_texts(
            bytes: arena.bytes.baseAddress, size: arena.used, blocks: blocks.elements.baseAddress,
            starts: starts.elements.baseAddress, counts: counts.elements.baseAddress)
        // All places are within the arena, and nothing changes during the call.
        return unsafe withUnsafePointer(to: texts) { texts in
            unsafe needle.withUnsafeBufferPointer { needle in
                guard let first = needle.baseAddress else { return rows }
                var taken: UInt64 = 0
                let found = unsafe names_spread(
                    instructions, texts, UInt32(block), rows, first, needle.count, &taken)
                steps += Int(taken)
                return found
            }
        }
    }

    // MARK: Lengths

    /// A bit for each row of a block whose text has a length within a range, once it is made less by what `less` says;
    /// where that is 255, the length is 0. None for rows that `less` has not.
    func lengths(
        ofBlock block: Int, less: borrowing PackedColumn<UInt8>, _ range: ClosedRange<UInt16>
    ) -> UInt64 {
        let first = block * Self.rowsPerBlock
        precondition(block >= 0 && block < blocks.count && first < less.count)
        // Both have so many rows from the first on: there is a length for each row of a block.
        return unsafe names_lengths_within(
            counts.elements.baseAddress.unsafelyUnwrapped + first,
            less.elements.baseAddress.unsafelyUnwrapped + first,
            min(Self.rowsPerBlock, less.count - first), range.lowerBound, range.upperBound)
    }

    // MARK: Order

    /// Sets the words of up to 64 entries to eight bytes of their rows' sort keys.
    /// - Returns: a bit for each entry without a word: it must be read by `SortKeyReader`, or its key ends before.
    func keyWords(_ entries: inout [RowEntry], _ range: Range<Int>, after skipped: Int) -> UInt64 {
        precondition(range.count <= 64)
        precondition(range.lowerBound >= 0 && range.upperBound <= entries.count)
        for index in range { precondition(hasText(Int(entries[index].row))) }
        let texts = unsafe names_texts(
            bytes: arena.bytes.baseAddress, size: arena.used, blocks: blocks.elements.baseAddress,
            starts: starts.elements.baseAddress, counts: counts.elements.baseAddress)
        // All rows have texts, within the arena.
        return unsafe withUnsafePointer(to: texts) { texts in
            unsafe entries.withUnsafeMutableBufferPointer { entries in
                guard let first = entries.baseAddress else { return 0 }
                return unsafe names_key_words(
                    texts, first + range.lowerBound, range.count, skipped)
            }
        }
    }

    /// In debug builds, traps if the texts are not where their blocks are.
    func checkInvariants() {
        #if DEBUG
        var texts = 0
        var bytes = 0
        var used = 0
        var parts = 0
        for index in 0..<blocks.count {
            let block = blocks[index]
            used += Int(block.used)
            guard block.occupied != 0 else {
                precondition(block.start == 0 && block.used == 0, "block \(index) is not empty")
                continue
            }
            parts += 1
            let range = Int(block.start)..<Int(block.start) + Int(block.used)
            precondition(block.used <= arena.count(of: range.lowerBound), "block \(index)")
            var taken: [Range<Int>] = []
            forEachRow(of: index) { row in
                let text = Int(starts[row])..<Int(starts[row]) + Int(counts[row]) + 1
                precondition(range.contains(text.lowerBound) && range.upperBound >= text.upperBound)
                let isEnded = unsafe arena.bytes(text.upperBound - 1..<text.upperBound)[0]
                precondition(isEnded == Self.end, "the text of row \(row) has no end")
                taken.append(text)
                texts += 1
                bytes += text.count
            }
            taken.sort { $0.lowerBound < $1.lowerBound }
            for (one, next) in zip(taken, taken.dropFirst()) {
                precondition(one.upperBound <= next.lowerBound, "texts overlap")
            }
        }
        precondition(texts == count && bytes == live && used == usedByBlocks)
        arena.checkInvariants { index, range in
            parts -= 1
            precondition(blocks[index].start == UInt32(range.lowerBound), "block \(index)")
        }
        precondition(parts == 0, "a block has no part of its own")
        #endif
    }
}
