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
// (64 bits). What is read is checked: other bytes are refused. Only that names of one folder differ is not checked
// again: the writer has taken them from a folder. That names are texts is checked for many at once (`StoredRows`).

internal import CDocumentKernels

/// A row in bytes that somebody else keeps, while it is read.
@safe struct StoredRow {
    /// The bytes before the name.
    static let fixedBytes = 54
    /// The greatest identity is below this power of two.
    static let identityBits = 48

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
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.fixedBytes else { return nil }
        unsafe self.bytes = bytes
        // All of these are below the fixed bytes, which are there.
        form = unsafe Form(rawValue: bytes[5])
        foldedCount = unsafe Int(Self.load(bytes, 46, as: UInt16.self))
        differenceCount = unsafe Int(Self.load(bytes, 52, as: UInt16.self))
        // Nothing is left of a name of marks alone once it is folded.
        guard form.isSubset(of: .all), foldedCount <= DocumentTable.longestFolded,
            form.contains(.difference) || differenceCount == 0, byteCount <= bytes.count,
            key.isMinted, farTime.map({ !$0.isSortable }) ?? FileTime.isSortable(sortableTime),
            isValid
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
    var byteCount: Int {
        extrasStart + (form.contains(.farTime) ? 4 : 0) + (form.contains(.otherDevice) ? 8 : 0)
    }

    var key: KeyNumber { KeyNumber(number: word(0) & (1 << 40 - 1)) }
    /// What `encode` was given.
    var identity: UInt64 { word(40) & (1 << UInt64(Self.identityBits) - 1) }
    /// The number of the type, in the table of types that was in use.
    var typeNumber: UInt16 { UInt16(truncatingIfNeeded: word(0) >> 48) }
    var sortWord: UInt64 { word(32) }
    var capitals: UInt32 { unsafe Self.load(bytes, 48, as: UInt32.self) }
    var hasDifference: Bool { form.contains(.difference) }

    var size: UInt64 { word(8) }
    var inode: UInt64 { word(24) }
    /// The time as a number that sorts; without a meaning if there is a far time.
    var sortableTime: UInt64 { word(16) }

    var hasRare: Bool { !form.isDisjoint(with: [.farTime, .otherDevice]) }

    /// The time, if no number stands for it.
    var farTime: FileTime? {
        guard form.contains(.farTime) else { return nil }
        let nanoseconds = unsafe Self.load(bytes, extrasStart, as: UInt32.self)
        return FileTime(
            seconds: Int64(bitPattern: word(16)), nanoseconds: min(nanoseconds, 999_999_999))
    }

    /// The device, if it is not that of the folder.
    var otherDevice: UInt64? { form.contains(.otherDevice) ? word(byteCount - 8) : nil }

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

    /// Whether the name is one that a row can have, if it is a text.
    @inline(__always)
    private var isValid: Bool {
        let folded = unsafe folded
        if hasDifference { return unsafe NameDifference.isValid(difference, of: folded.count) }
        guard 1...DocumentTable.longestName ~= foldedCount else { return false }
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
}
