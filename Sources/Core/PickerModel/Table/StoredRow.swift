// Rows as bytes, in which they are stored and read again.
//
// A stored row has all that a row of the table has: its name folded, too, so that reading it folds nothing. Its numbers
// are little-endian, and at fixed places:
//
//     0   key, 40 bits; `Form`, 8 bits; type, 16 bits
//     8   size
//     16  time, in the form that sorts; the seconds, if it has no such form
//     24  inode
//     32  first word of the sort key
//     40  identity of the file, 48 bits; length of the folded name, 16 bits
//     48  positions of capitals, 32 bits; length of the difference, 16 bits
//
// Behind these are the folded name, the difference, and, if the form says so, the nanoseconds (32 bits) and the device
// (64 bits). What is read is checked: other bytes are refused. Only that
// names of one folder differ is not checked again: the writer has taken them from a folder.

internal import CDocumentKernels

/// A row in bytes that somebody else keeps, while it is read.
@safe package struct StoredRow {
    /// The bytes before the name.
    static let fixedBytes = 54
    /// The greatest identity is below this power of two.
    package static let identityBits = 48

    struct Form: OptionSet {
        let rawValue: UInt8

        static let difference = Form(rawValue: 1)
        static let farTime = Form(rawValue: 2)
        static let otherDevice = Form(rawValue: 4)
        static let all: Form = [.difference, .farTime, .otherDevice]
    }

    /// Exactly those of the row.
    private let bytes: UnsafeRawBufferPointer
    private let form: Form
    let foldedCount: Int
    let differenceCount: Int

    /// The row at the start of `bytes`, which must exist as long as it; nil if there is none.
    /// - Complexity: O(n) in the length of the name.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedBytes else { return nil }
        unsafe self.bytes = bytes
        // All of these are below the fixed bytes, which are there.
        form = unsafe Form(rawValue: bytes[5])
        foldedCount = unsafe Int(Self.load(bytes, 46, as: UInt16.self))
        differenceCount = unsafe Int(Self.load(bytes, 52, as: UInt16.self))
        guard form.isSubset(of: .all), 1...DocumentTable.longestFolded ~= foldedCount,
            form.contains(.difference) || differenceCount == 0, byteCount <= bytes.count,
            key.isMinted, isValid
        else { return nil }
    }

    private static func load<Number: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int, as type: Number.Type
    ) -> Number {
        // The offset is checked by the buffer in debug builds, and by the caller.
        unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
    }

    private func word(_ offset: Int) -> UInt64 {
        unsafe Self.load(bytes, offset, as: UInt64.self)
    }

    private var extrasStart: Int { Self.fixedBytes + foldedCount + differenceCount }

    /// The bytes of the row.
    package var byteCount: Int {
        extrasStart + (form.contains(.farTime) ? 4 : 0) + (form.contains(.otherDevice) ? 8 : 0)
    }

    package var key: KeyNumber { KeyNumber(number: word(0) & (1 << 40 - 1)) }
    /// What `encode` was given.
    package var identity: UInt64 { word(40) & (1 << UInt64(Self.identityBits) - 1) }
    /// The number of the type, in the table of types that was in use.
    var typeNumber: UInt16 { UInt16(truncatingIfNeeded: word(0) >> 48) }
    var sortWord: UInt64 { word(32) }
    var capitals: UInt32 { unsafe Self.load(bytes, 48, as: UInt32.self) }
    var hasDifference: Bool { form.contains(.difference) }

    /// What the file system said; `device` is that of the folder.
    func facts(device: UInt64) -> DocumentFacts {
        var time = FileTime(sortable: word(16))
        if form.contains(.farTime) {
            let nanoseconds = unsafe Self.load(bytes, extrasStart, as: UInt32.self)
            time = FileTime(
                seconds: Int64(bitPattern: word(16)), nanoseconds: min(nanoseconds, 999_999_999))
        }
        var device = device
        if form.contains(.otherDevice) { device = word(byteCount - 8) }
        return DocumentFacts(size: word(8), modified: time, device: device, inode: word(24))
    }

    /// The folded name.
    @unsafe var folded: UnsafeBufferPointer<UInt8> { unsafe part(Self.fixedBytes, foldedCount) }
    /// Empty without one.
    @unsafe var difference: UnsafeBufferPointer<UInt8> {
        unsafe part(Self.fixedBytes + foldedCount, differenceCount)
    }

    private func part(_ start: Int, _ count: Int) -> UnsafeBufferPointer<UInt8> {
        // The initializer has compared the ends of both with the bytes.
        unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
            .assumingMemoryBound(to: UInt8.self)
    }

    /// Whether the name is one that a row can have.
    private var isValid: Bool {
        let folded = unsafe folded
        guard unsafe names_is_text(folded.baseAddress, foldedCount) != 0 else { return false }
        if hasDifference { return unsafe NameDifference.isValid(difference, of: folded.count) }
        if foldedCount > DocumentTable.longestName { return false }
        if unsafe names_is_name(folded.baseAddress, foldedCount) == 0 { return false }
        guard capitals != 0 else { return true }
        if foldedCount < 32, capitals >> UInt32(foldedCount) != 0 { return false }
        var rest = capitals
        while rest != 0 {
            // Below the length of the name.
            guard unsafe 0x61...0x7A ~= folded[rest.trailingZeroBitCount] else { return false }
            rest &= rest - 1
        }
        return true
    }
}

extension DocumentTable {
    /// The longest folded name: folding may make three bytes of one.
    static let longestFolded = SearchTexts.longest

    /// Appends a row as bytes, unless its key is not one of the daemon's own.
    /// - Parameters:
    ///   - row: one that may be read.
    ///   - identity: a number below 2^48 to be stored with it.
    ///   - device: that of most rows of the folder.
    ///   - bytes: where it is appended.
    /// - Returns: whether it was appended.
    /// - Complexity: O(n) in the length of the name.
    @discardableResult
    package func encode(
        _ row: DocumentRow, identity: UInt64, device: UInt64, to bytes: inout [UInt8]
    ) -> Bool {
        precondition(identity >> UInt64(StoredRow.identityBits) == 0)
        let index = readable(row)
        let key = columns.key(of: index)
        guard key.isMinted else { return false }
        var form: StoredRow.Form = []
        let own = self.device(of: row)
        if own != device { form.insert(.otherDevice) }
        let time = modified(of: row)
        if !time.isSortable { form.insert(.farTime) }
        let folded = unsafe texts.text(of: index)
        var difference = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        if columns.flags[index].contains(.difference) {
            form.insert(.difference)
            unsafe difference = self.difference(of: index)
        }
        func append(_ number: UInt64, _ count: Int = 8) {
            for place in 0..<count {
                bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place)))
            }
        }
        let type = UInt64(columns.types[index].number)
        append(key.number | UInt64(form.rawValue) << 40 | type << 48)
        append(columns.sizes[index])
        append(time.isSortable ? time.sortable : UInt64(bitPattern: time.seconds))
        append(columns.inodes[index])
        append(columns.sortWords[index])
        append(identity | UInt64(folded.count) << UInt64(StoredRow.identityBits))
        append(form.contains(.difference) ? 0 : UInt64(columns.nameForms[index]), 4)
        append(UInt64(difference.count), 2)
        // Nothing changes the table meanwhile.
        unsafe bytes.append(contentsOf: folded)
        unsafe bytes.append(contentsOf: difference)
        if form.contains(.farTime) { append(UInt64(time.nanoseconds), 4) }
        if form.contains(.otherDevice) { append(own) }
        return true
    }

    /// How many rows ahead places in the indexes are fetched: about as long as memory takes.
    private static let restoredAhead = 8

    /// Makes documents of stored rows of one folder, with different names: new ones, or other versions of those with their
    /// keys. Other documents at their places are removed.
    /// - Parameters:
    ///   - rows: those of some documents.
    ///   - folder: theirs.
    ///   - device: as for `encode`.
    ///   - hasTypes: whether the types are numbered as they were.
    ///   - made: called with each row that was made.
    /// - Throws: `DocumentTableError`, with the rows before.
    /// - Complexity: O(n) in the length of the names. A document's place is looked for only if there are others in the
    ///   folder.
    package func restore(
        _ rows: [StoredRow], in folder: FolderNumber, device: UInt64, hasTypes: Bool,
        _ made: (StoredRow, DocumentRow) -> Void
    ) throws(DocumentTableError) {
        precondition(folders.isValid(folder), "the folder has been removed")
        let isFree = isWithoutRows(folder)
        var hashes = [UInt64](repeating: 0, count: rows.count)
        for index in 0..<rows.count + Self.restoredAhead {
            if index < rows.count {
                hashes[index] = placeHash(of: rows[index], in: folder)
                byPlace.prefetch(hash: hashes[index])
            }
            let index = index - Self.restoredAhead
            if index < 0 { continue }
            if let former = row(of: rows[index].key) { remove(former) }
            let row = try add(rows[index], in: folder, device: device, hasTypes: hasTypes)
            if isFree {
                addFree(row, hash: hashes[index])
            } else {
                take(row, replacing: nil, displacing: rowAtPlace(of: row))
            }
            made(rows[index], DocumentRow(row))
        }
    }

    private func placeHash(of stored: StoredRow, in folder: FolderNumber) -> UInt64 {
        let form =
            stored.hasDifference ? unsafe hash(ofDifference: stored.difference) : stored.capitals
        return unsafe placeHash(folder.number, form: form, stored.folded)
    }

    /// Adds a row of a key that no document has, which must be taken.
    private func add(
        _ stored: StoredRow, in folder: FolderNumber, device: UInt64, hasTypes: Bool
    ) throws(DocumentTableError) -> Int {
        let key = stored.key
        let facts = stored.facts(device: device)
        let place = try devices.add(facts.device)
        let row: Int
        do {
            row = try makeRow(
                for: key, textCount: stored.foldedCount,
                differenceCount: stored.hasDifference ? stored.differenceCount : nil)
        } catch {
            devices.discard(place)
            throw error
        }
        columns.setKey(key, of: row)
        if key >= keyEnd { keyEnd = KeyNumber(number: key.number + 1) }
        columns.folders[row] = folder.number
        columns.flags[row] = .inUse
        columns.sortWords[row] = stored.sortWord
        unsafe writeName(
            stored.folded, difference: stored.hasDifference ? stored.difference : nil,
            capitals: stored.capitals, of: row)
        if hasTypes, let type = MediaType(number: stored.typeNumber) {
            columns.types[row] = type
        } else {
            columns.types[row] = MediaType(forName: name(of: DocumentRow(row)).bytes.span)
        }
        write(facts, device: place, of: row)
        retainParts(of: row)
        return row
    }

    /// Makes a row current whose key and place no document has.
    private func addFree(_ row: Int, hash: UInt64) {
        byKey.insert(
            row, columns.key(of: row), rehash: { keyHash($0) },
            prefetch: { prefetchKey(of: $0, isNear: $1) })
        byPlace.insert(
            row, hash: hash, rehash: { placeHash($0) },
            prefetch: { prefetchPlace(of: $0, isNear: $1) })
        current.insert(row)
    }
}
