// The documents as rows of columns.
//
// A row is one version of one document: a change makes a new row under the same key. The row before is no longer found,
// but remains readable until `releaseFreedRows`, which the owner calls when nothing refers to freed rows any more, at
// the end of a turn. Then its number and room are used again. So within a turn whoever has a row can read it, and equal
// rows are equal documents. Work that spans turns has a `RowHold`, since when no row is released.
//
// What a row has is in columns, at its number. Its name is stored folded, as search scans it (`SearchTexts`), with the
// positions of its capitals; names that this can't restore have a difference (`NameDifference`) in an arena as well. Sort keys are read
// from the folded names; a column has the first eight bytes of each. Paths are put together from the folders
// (`FolderTable`).
//
// Each document is found by its key and by its place (folder and name), both unique among the current rows.
//
// Nothing here copies more than a row, apart from `compact`, and a text's block (`SearchTexts`): columns and indexes
// grow without a pause.

internal import CDocumentKernels

/// A version of a document.
package struct DocumentRow: Hashable, Sendable {
    package let number: UInt32

    package init(_ number: UInt32) {
        self.number = number
    }

    init(_ index: Int) {
        number = UInt32(index)
    }

    package var index: Int { Int(number) }
}

/// What the file system says of a document's file.
package struct DocumentFacts: Hashable, Sendable {
    /// In bytes.
    package var size: UInt64
    package var modified: FileTime
    package var device: UInt64
    package var inode: UInt64

    package init(size: UInt64, modified: FileTime, device: UInt64 = 0, inode: UInt64 = 0) {
        self.size = size
        self.modified = modified
        self.device = device
        self.inode = inode
    }
}

/// All documents, found by row, key and place. Not thread-safe.
package final class DocumentTable {
    /// The longest name in bytes.
    package static let longestName = 4096

    /// The most rows and bytes that a table may have.
    package struct Limits: Sendable {
        /// Including rows that are not released yet; also the most folders.
        package var rows = 1 << 31
        /// Of each of the three arenas of names.
        package var arenaBytes = 1 << 32

        package init() {}
    }

    let limits: Limits
    /// The secret key of all hashes.
    let hashKey: (UInt64, UInt64)
    package let folders: FolderTable

    /// The current rows.
    package internal(set) var current = RowBitset()
    var columns = DocumentColumns()
    var texts: SearchTexts
    /// The number of processors that search together; the threads of the others start with the first such search.
    package var searchers = 1 {
        didSet { parallelSearch = nil }
    }
    /// As many blocks or more are worth it: a fifth of a millisecond for one processor.
    package var leastBlocksTogether = 1024
    private var parallelSearch: ParallelSearch?

    /// What searches with all of them.
    var others: ParallelSearch? {
        if parallelSearch == nil, searchers > 1 {
            parallelSearch = ParallelSearch(workers: searchers)
        }
        return parallelSearch
    }

    /// The shortest names, while searches by score use them.
    var shortNames: ShortNames?
    var shortNameLimits = ShortNames.Limits()

    /// What is known of the documents besides their files.
    package let attributes = AttributeColumns()
    /// The differences of names that their folded texts and capitals do not restore.
    var differences: ByteArena
    var otherKeys = OtherKeys()
    var devices = DeviceNumbers()
    /// Times that a row has no room for, by row.
    var farTimes: [Int: FileTime] = [:]
    var byKey = KeyIndex()
    /// All keys that a row ever had are less: most new documents have newer ones, and are not looked for.
    var keyEnd = KeyNumber(number: 0)
    var byPlace = RowIndex()
    /// The rows freed and not released yet.
    var freed = FreedRows()
    /// The number of rows released so far, and the number of rows freed before each hold.
    var releasedCount = 0
    var holds: [Int: Int] = [:]
    var lastHold = 0
    /// How often each row is retained, up to the last that ever was, and which of these rows are free but for that.
    var retainCounts = PackedColumn<UInt32>()
    var retainedFreed: Set<DocumentRow> = []
    /// The keys of shown rows of which nothing else is known.
    var unknownKeys = UnknownKeys()
    /// Rows that nobody shows any more, and that are released from the end.
    var departed: [[ShownRow]] = []
    /// Called when there are such rows.
    package var whenDeparted: (() -> Void)?
    /// The first of the free rows, which are linked by the column of folders.
    var firstFree = DocumentColumns.noRow
    /// A folded name, while it is looked for or inserted.
    var scratch: [UInt8]
    /// A name or path, while it is read.
    var textScratch: [UInt8] = []
    /// Room for two names: one that was restored last is compared with the one before.
    private var restoredNames = PackedColumn<UInt8>()
    private var isSecondRestored = false
    /// For `look(at:)`.
    private var capitalLetters = CapitalLetters()
    /// The folder that was used last, by its path.
    var latestFolder: LatestFolder?

    /// An empty table. The key of its hashes is random unless it is given.
    package init(limits: Limits = Limits(), hashKey: (UInt64, UInt64)? = nil) {
        precondition(limits.rows <= 1 << 31 && limits.arenaBytes <= 1 << 32)
        self.limits = limits
        let key = hashKey ?? (.random(in: 0 ... .max), .random(in: 0 ... .max))
        self.hashKey = key
        folders = FolderTable(limit: limits.rows, arenaLimit: limits.arenaBytes, key: key)
        texts = SearchTexts(limit: limits.arenaBytes)
        differences = ByteArena(limit: limits.arenaBytes, hasShortParts: true)
        scratch = Array(repeating: 0, count: Self.longestName)
        precondition(restoredNames.reserve(2 * Self.longestName), "the system has no memory")
        restoredNames.resize(to: 2 * Self.longestName)
    }

    /// The number of documents.
    package var count: Int { current.count }
    /// The number of rows in use: documents, and rows that are not released yet.
    package var rowsInUse: Int { current.count + freed.count + retainedFreed.count }
    /// All folders have positions below it.
    package var folderEnd: Int { folders.end }
    /// All rows have numbers below it.
    package var rowEnd: Int { columns.count }

    // MARK: Lookup

    /// - Complexity: O(1).
    package func row(of key: KeyNumber) -> DocumentRow? {
        if key >= keyEnd { return nil }
        return byKey.row(of: key, hash: { hash(of: $0) }) { columns.key(of: $0) == key }
            .map { DocumentRow($0) }
    }

    /// The document in a folder with this name.
    /// - Complexity: O(n) in the length of the name.
    package func row(in folder: FolderNumber, named name: borrowing Span<UInt8>) -> DocumentRow? {
        guard let name = StoredName(name, &scratch) else { return nil }
        return row(in: folder, named: name).map { DocumentRow($0) }
    }

    /// The key with this text, if it is the daemon's own or a document's.
    package func key(_ text: String) -> KeyNumber? {
        if let number = KeyNumber.mintedNumber(of: text) { return KeyNumber(minted: number) }
        return otherKeys.place(of: text)
            .map { KeyNumber(number: KeyNumber.mintedLimit + UInt64($0)) }
    }

    /// Whether the row is a document of the table, rather than an earlier version of one.
    package func isCurrent(_ row: DocumentRow) -> Bool { current.contains(row.index) }

    // MARK: Fields

    /// Unchanged in all versions of a document.
    package func key(of row: DocumentRow) -> KeyNumber { columns.key(of: readable(row)) }

    /// - Complexity: O(1).
    package func text(of key: KeyNumber) -> String {
        key.isMinted
            ? KeyNumber.text(ofMinted: key.number)
            : otherKeys.text(at: Int(key.number - KeyNumber.mintedLimit))
    }

    package func folder(of row: DocumentRow) -> FolderNumber {
        FolderNumber(Int(columns.folders[readable(row)]))
    }

    /// In bytes.
    package func size(of row: DocumentRow) -> UInt64 { columns.sizes[readable(row)] }

    package func modified(of row: DocumentRow) -> FileTime {
        let index = readable(row)
        if columns.flags[index].contains(.farTime), let time = farTimes[index] { return time }
        return FileTime(sortable: columns.times[index])
    }

    package func device(of row: DocumentRow) -> UInt64 {
        devices[columns.device(of: readable(row))]
    }

    package func inode(of row: DocumentRow) -> UInt64 { columns.inodes[readable(row)] }

    /// All that the file system says of it.
    package func facts(of row: DocumentRow) -> DocumentFacts {
        DocumentFacts(
            size: size(of: row), modified: modified(of: row), device: device(of: row),
            inode: inode(of: row))
    }

    /// Derived from the name's suffix.
    package func type(of row: DocumentRow) -> MediaType { columns.types[readable(row)] }

    /// Whether the user likes it.
    package func isLiked(_ row: DocumentRow) -> Bool {
        columns.flags[readable(row)].contains(.liked)
    }

    /// Its value of an attribute; nil if it is not known, or nobody wants the attribute.
    package func value(of attribute: Attribute, _ row: DocumentRow) -> AttributeValue? {
        attributes.value(attribute, of: readable(row))
    }

    /// Whether the user dropped it from the lists.
    package func isDropped(_ row: DocumentRow) -> Bool {
        columns.flags[readable(row)].contains(.dropped)
    }

    /// - Complexity: O(n) in the length of the name.
    package func name(of row: DocumentRow) -> FileName {
        var bytes: [UInt8] = []
        appendName(of: readable(row), to: &bytes)
        return FileName(bytes: bytes)
    }

    /// The path below the root of its folder, as that is now.
    /// - Complexity: O(n) in the length of the path.
    package func path(of row: DocumentRow) -> FileName {
        var bytes: [UInt8] = []
        folders.appendPath(of: folder(of: row), to: &bytes)
        appendName(of: readable(row), to: &bytes)
        return FileName(bytes: bytes)
    }

    /// The absolute path of the root that it is below.
    package func root(of row: DocumentRow) -> FileName {
        folders.name(of: folders.root(of: folder(of: row)))
    }

    /// Calls `body` with the folded name. The table must not be changed meanwhile.
    package func withSearchBytes<Value>(
        of row: DocumentRow, _ body: (borrowing Span<UInt8>) -> Value
    ) -> Value {
        let index = readable(row)
        // Nothing moves texts during the call.
        let text = unsafe texts.text(of: index)
        return unsafe body(text.span)
    }

    /// The length of the folded name.
    func searchCount(of row: DocumentRow) -> Int { texts.count(of: row.index) }

    /// What fuzzy search reads of the name of a row besides the folded text.
    func look(at row: DocumentRow) -> CapitalLetters.Look {
        let index = readable(row)
        guard columns.flags[index].contains(.difference) else {
            let form = columns.nameForms[index]
            var look = CapitalLetters.Look(count: texts.count(of: index))
            // The capitals that have no other capital before them.
            var firsts = form & ~(form << 1) & ~1
            // Nothing moves texts meanwhile.
            let text = unsafe texts.text(of: index)
            while firsts != 0 {
                let before = unsafe text[firsts.trailingZeroBitCount - 1]
                if 0x61...0x7A ~= before { look.mayTurn = true }
                firsts &= firsts - 1
            }
            return look
        }
        // Nor restores another name.
        let name = unsafe restoredName(of: index)
        if let look = unsafe capitalLetters.look(at: name.span) { return look }
        // With U+FFFD for what is not UTF-8.
        let text = unsafe String(decoding: name, as: UTF8.self)
        return CapitalLetters.Look(
            mayTurn: true, count: text.unicodeScalars.count,
            spelled: capitalLetters.spelled(in: text))
    }

    /// Adds the bytes of the name.
    package func appendName(of row: DocumentRow, to bytes: inout [UInt8]) {
        appendName(of: readable(row), to: &bytes)
    }

    func appendName(of index: Int, to bytes: inout [UInt8]) {
        if columns.flags[index].contains(.difference) {
            return unsafe bytes.append(contentsOf: restoredName(of: index))
        }
        let first = bytes.count
        unsafe bytes.append(contentsOf: texts.text(of: index))
        var capitals = columns.nameForms[index]
        while capitals != 0 {
            bytes[first + capitals.trailingZeroBitCount] -= 0x20
            capitals &= capitals - 1
        }
    }

    /// The bytes of a name that has a difference; invalid after the next change, and after two others were restored.
    @unsafe func restoredName(of index: Int) -> UnsafeBufferPointer<UInt8> {
        isSecondRestored.toggle()
        let start = isSecondRestored ? Self.longestName : 0
        // Room for the longest name; nothing writes there before two other calls.
        let room = unsafe UnsafeMutableBufferPointer(
            rebasing: restoredNames.mutableElements[start..<start + Self.longestName])
        let count = unsafe NameDifference.restore(
            texts.text(of: index), difference(of: index), to: room)
        return unsafe UnsafeBufferPointer(rebasing: room[..<count])
    }

    /// The difference of a name that has one; invalid after the next change.
    @unsafe func difference(of index: Int) -> UnsafeBufferPointer<UInt8> {
        let start = Int(columns.nameForms[index])
        return unsafe differences.bytes(start..<start + differences.count(of: start))
    }

    /// The number of a row that may be read.
    @inline(__always)
    func readable(_ row: DocumentRow) -> Int {
        precondition(columns.flags[row.index].contains(.inUse), "the row has been released")
        return row.index
    }
}
