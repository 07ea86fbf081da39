/// The fields of all rows, at their numbers.
struct DocumentColumns: ~Copyable {
    /// What a row is, in bits.
    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8

        static let liked = Flags(rawValue: 1)
        static let dropped = Flags(rawValue: 2)
        /// The name has a part in the arena of differences.
        static let difference = Flags(rawValue: 4)
        /// The time is in the table of far times.
        static let farTime = Flags(rawValue: 8)
        /// The row may be read.
        static let inUse = Flags(rawValue: 16)

        static let marks: Flags = [.liked, .dropped]
    }

    /// The end of the list of free rows.
    static let noRow = UInt32.max

    /// The number of rows.
    private(set) var count = 0
    /// The key's number, of 40 bits. Most of the tops and of the devices are zeros, whose pages take no memory.
    private var keyNumbers = PackedColumn<UInt32>()
    private var keyTops = PackedColumn<UInt8>()
    var folders = PackedColumn<UInt32>()
    /// The positions of capitals in the first 32 bytes, or the place of the name's difference.
    var nameForms = PackedColumn<UInt32>()
    /// The first eight bytes of the sort key.
    var sortWords = PackedColumn<UInt64>()
    var sizes = WideColumn()
    var times = PackedColumn<UInt64>()
    var inodes = WideColumn()
    private var devices = PackedColumn<UInt16>()
    var types = PackedColumn<MediaType>()
    var flags = PackedColumn<Flags>()
    /// By how much `DocumentTable.leastLetters` is less than the bytes of the folded name; zero for most names of ASCII.
    var lettersLess = PackedColumn<UInt8>()

    /// The bytes of a row in all columns, without what takes no memory while it is zero: the top of the key, the upper
    /// halves of size and inode, the device, and by how much a name has less letters than bytes.
    static let bytesPerRow = 4 + 4 + 4 + 8 + 4 + 8 + 4 + 2 + 1

    /// No column grows for so many rows.
    private var room = 0

    /// The rows between the growth of one column and that of the next.
    private static let rowsBetween = 2048

    /// Makes room for rows up to a number.
    /// - Returns: false, without effect on rows, if the system has no memory.
    ///
    /// Each column gets room some thousands of rows before the next one: the system may move the memory that a column
    /// has, and to move all of them at once would take milliseconds.
    mutating func reserve(_ rows: Int) -> Bool {
        if rows <= room { return true }
        guard
            keyNumbers.reserve(rows) && keyTops.reserve(rows + Self.rowsBetween)
                && folders.reserve(rows + 2 * Self.rowsBetween)
                && nameForms.reserve(rows + 3 * Self.rowsBetween)
                && sortWords.reserve(rows + 4 * Self.rowsBetween)
                && sizes.reserve(rows + 5 * Self.rowsBetween)
                && times.reserve(rows + 6 * Self.rowsBetween)
                && inodes.reserve(rows + 7 * Self.rowsBetween)
                && devices.reserve(rows + 8 * Self.rowsBetween)
                && types.reserve(rows + 9 * Self.rowsBetween)
                && flags.reserve(rows + 10 * Self.rowsBetween)
                && lettersLess.reserve(rows + 11 * Self.rowsBetween)
        else { return false }
        let capacities = [
            keyNumbers.capacity, keyTops.capacity, folders.capacity, nameForms.capacity,
            sortWords.capacity, sizes.capacity, times.capacity, inodes.capacity, devices.capacity,
            types.capacity, flags.capacity, lettersLess.capacity,
        ]
        room = capacities.enumerated().map { $1 - $0 * Self.rowsBetween }.min() ?? rows
        return true
    }

    /// As `PackedColumn.populate`, for what most rows have.
    mutating func populate(_ rows: Int) {
        keyNumbers.populate(rows)
        folders.populate(rows)
        nameForms.populate(rows)
        sortWords.populate(rows)
        sizes.populate(rows)
        times.populate(rows)
        inodes.populate(rows)
        types.populate(rows)
        flags.populate(rows)
    }

    /// Adds a row, for which there is room.
    mutating func append() { append(1) }

    /// Adds rows, for which there is room.
    mutating func append(_ rows: Int) {
        count += rows
        keyNumbers.resize(to: count)
        keyTops.resize(to: count)
        folders.resize(to: count)
        nameForms.resize(to: count)
        sortWords.resize(to: count)
        sizes.resize(to: count)
        times.resize(to: count)
        inodes.resize(to: count)
        devices.resize(to: count)
        types.resize(to: count)
        flags.resize(to: count)
        lettersLess.resize(to: count)
    }

    /// Writes what stored rows have in columns of the same form, from a row on.
    mutating func write(_ entries: ArraySlice<StoredRows.Entry>, at first: Int) {
        var row = first
        for entry in entries {
            setKey(entry.key, of: row)
            nameForms[row] = entry.capitals
            sortWords[row] = entry.sortWord
            sizes[row] = entry.size
            times[row] = entry.time
            inodes[row] = entry.inode
            row += 1
        }
    }

    func key(of row: Int) -> KeyNumber {
        KeyNumber(number: UInt64(keyTops[row]) << 32 | UInt64(keyNumbers[row]))
    }

    @inline(__always)
    func prefetchKey(of row: Int) {
        keyNumbers.prefetch(row)
        keyTops.prefetch(row)
    }

    mutating func setKey(_ key: KeyNumber, of row: Int) {
        keyNumbers[row] = UInt32(truncatingIfNeeded: key.number)
        keyTops.set(row, to: UInt8(key.number >> 32))
    }

    /// The place of the device.
    func device(of row: Int) -> UInt16 { devices[row] }

    mutating func setDevice(_ device: UInt16, of row: Int) { devices.set(row, to: device) }
}

extension FileTime {
    /// The least and the greatest number that stand for times of their own.
    private static let sortableNumbers: ClosedRange<UInt64> = 1...UInt64.max - 1

    /// A number that sorts like the time, in its 34 bits of seconds from 1697 to 2514 and 30 of nanoseconds; earlier
    /// and later times are 0 and the greatest number.
    var sortable: UInt64 {
        let (seconds, isOver) = seconds.addingReportingOverflow(1 << 33)
        if isOver || seconds >= 1 << 34 { return .max }
        if seconds < 0 { return 0 }
        return UInt64(seconds) << 30 | UInt64(nanoseconds)
    }

    /// Whether `init(sortable:)` restores it.
    var isSortable: Bool { Self.isSortable(sortable) }

    /// Whether the number stands for a time.
    static func isSortable(_ number: UInt64) -> Bool { sortableNumbers.contains(number) }

    init(sortable: UInt64) {
        self.init(
            seconds: Int64(sortable >> 30) - (1 << 33),
            nanoseconds: UInt32(sortable & ((1 << 30) - 1)))
    }
}
