// The folders of documents.
//
// A folder is a number: its parent and its name. Paths are put together when they are asked for, so renaming or moving
// a folder is a change of one entry, whatever is in it. A root is a folder without a parent, whose name is its absolute
// path.
//
// A removed folder is no longer found, but its number remains valid while a row or a folder refers to it.

internal import CDocumentKernels

/// The number of a folder in the table of documents.
package struct FolderNumber: Hashable, Sendable {
    let number: UInt32

    init(_ number: Int) {
        self.number = UInt32(number)
    }

    var index: Int { Int(number) }

    /// For one who keeps something for each folder: below `DocumentTable.folderEnd`.
    package var position: Int { index }
}

/// The folders of a `DocumentTable`. Not thread-safe.
package final class FolderTable {
    private static let none = UInt32.max

    private let key: (UInt64, UInt64)
    private let limit: Int
    private var parents = PackedColumn<UInt32>()
    /// Where the name is in `names`; 0 for a free number.
    private var nameStarts = PackedColumn<UInt32>()
    /// The number of rows and of folders that refer to each.
    private var uses = PackedColumn<UInt32>()
    private var isListed = PackedColumn<Bool>()
    private var names: ByteArena
    private var index = RowIndex()
    /// Free numbers are linked by `parents`.
    private var firstFree = none

    /// Whether a folder is removed when the last row or folder that refers to it is.
    var removesUnused = false
    /// Incremented when a folder is moved, or its number becomes free: a known path may then be another's.
    private(set) var version = 0

    init(limit: Int, arenaLimit: Int, key: (UInt64, UInt64)) {
        self.limit = limit
        self.key = key
        names = ByteArena(limit: arenaLimit)
    }

    /// The number of folders, without removed ones.
    package var count: Int { index.count }
    /// All numbers are below it.
    var end: Int { parents.count }
    var bytes: Int { names.used + parents.count * 13 + index.bytes }

    // MARK: Lookup

    /// The folder above; nil for a root.
    package func parent(of folder: FolderNumber) -> FolderNumber? {
        let parent = parents[folder.index]
        return parent == Self.none ? nil : FolderNumber(Int(parent))
    }

    /// The name; the absolute path of a root.
    package func name(of folder: FolderNumber) -> FileName {
        unsafe FileName(bytes: nameBytes(folder.index))
    }

    /// The bytes of the name.
    package func nameBytes(of folder: FolderNumber) -> [UInt8] {
        unsafe Array(nameBytes(folder.index))
    }

    /// The folder with this name in another; a root if that is nil.
    /// - Complexity: O(n) in the length of the name.
    package func folder(in parent: FolderNumber?, named name: borrowing Span<UInt8>)
        -> FolderNumber?
    {
        unsafe name.withUnsafeBufferPointer { name in
            unsafe find(parent?.number ?? Self.none, name).map(FolderNumber.init)
        }
    }

    /// The root above a folder, or the folder itself.
    /// - Complexity: O(d) for a folder at depth d.
    package func root(of folder: FolderNumber) -> FolderNumber {
        var folder = folder
        while let parent = parent(of: folder) { folder = parent }
        return folder
    }

    /// The path of a folder below its root, with a slash at its end; empty for a root.
    /// - Complexity: O(n) in the length of the path.
    package func path(of folder: FolderNumber) -> [UInt8] {
        var bytes: [UInt8] = []
        appendPath(of: folder, to: &bytes)
        return bytes
    }

    /// Appends the path of a folder below its root, and a slash if it is not the root.
    /// - Complexity: O(n) in the length of the path.
    package func appendPath(of folder: FolderNumber, to bytes: inout [UInt8]) {
        var size = 0
        var each = folder
        while let parent = parent(of: each) {
            unsafe size += nameBytes(each.index).count + 1
            each = parent
        }
        // From the end, because the walk goes up.
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "/"), count: size))
        var end = start + size
        each = folder
        while let parent = parent(of: each) {
            let name = unsafe nameBytes(each.index)
            end -= 1
            unsafe bytes.replaceSubrange(end - name.count..<end, with: name)
            end -= name.count
            each = parent
        }
    }

    /// The bytes of a folder's name; invalid after the next change.
    @unsafe func nameBytes(_ number: Int) -> UnsafeBufferPointer<UInt8> {
        let start = Int(nameStarts[number])
        precondition(start > 0, "folder \(number) has been removed")
        return unsafe names.bytes(start..<start + names.count(of: start))
    }

    private func hash(_ number: Int) -> UInt64 {
        unsafe hash(parents[number], nameBytes(number))
    }

    private func hash(_ parent: UInt32, _ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        unsafe names_hash(key.0, key.1, UInt64(parent), name.baseAddress, name.count)
    }

    private func find(_ parent: UInt32, _ name: UnsafeBufferPointer<UInt8>) -> Int? {
        unsafe index.row(hash: hash(parent, name)) { number in
            unsafe parents[number] == parent && nameBytes(number).elementsEqual(name)
        }
    }

    // MARK: Changes

    /// Adds a folder, or returns the one that is there. A root has no parent, and its absolute path as name.
    package func add(
        _ name: borrowing Span<UInt8>, in parent: FolderNumber?
    ) throws(DocumentTableError) -> FolderNumber {
        if let known = folder(in: parent, named: name) { return known }
        let start = try store(name, isRoot: parent == nil)
        guard index.prepare(rehash: { hash($0) }), let number = makeNumber() else {
            names.free(start)
            throw end < limit ? .outOfMemory : .tooManyRows(limit: limit)
        }
        if let parent { retain(parent) }
        nameStarts[number] = UInt32(start)
        names.setOwner(of: start, to: number)
        parents[number] = parent?.number ?? Self.none
        uses[number] = 0
        isListed[number] = true
        index.insert(number, hash: hash(number)) { hash($0) }
        return FolderNumber(number)
    }

    private func store(
        _ name: borrowing Span<UInt8>, isRoot: Bool
    ) throws(DocumentTableError) -> Int {
        let isName = unsafe name.withUnsafeBufferPointer { bytes in
            unsafe !bytes.isEmpty && bytes.count <= DocumentTable.longestName
                && !bytes.contains(0) && (isRoot || !bytes.contains(UInt8(ascii: "/")))
        }
        guard isName else { throw .badName(bytes: name.count) }
        guard names.hasRoom(for: name.count) else { throw .tooManyBytes(limit: names.limit) }
        let start = names.allocate(name.count, owner: 0)
        // The new part has as many bytes as the name.
        unsafe name.withUnsafeBufferPointer { bytes in
            _ = unsafe names.mutableBytes(start..<start + bytes.count).update(fromContentsOf: bytes)
        }
        return start
    }

    private func makeNumber() -> Int? {
        if firstFree != Self.none {
            let number = Int(firstFree)
            firstFree = parents[number]
            return number
        }
        let number = parents.count
        guard number < limit, parents.reserve(number + 1), nameStarts.reserve(number + 1),
            uses.reserve(number + 1), isListed.reserve(number + 1)
        else { return nil }
        parents.resize(to: number + 1)
        nameStarts.resize(to: number + 1)
        uses.resize(to: number + 1)
        isListed.resize(to: number + 1)
        return number
    }

    /// Gives a folder that has not been removed another parent, name, or both. All that is in it follows.
    /// - Complexity: O(n) in the length of the name, and the depth of the new parent.
    package func move(
        _ folder: FolderNumber, to parent: FolderNumber?, named name: borrowing Span<UInt8>
    ) throws(DocumentTableError) {
        precondition(isListed[folder.index], "the folder has been removed")
        var above = parent
        while let each = above {
            if each == folder { throw .folderInsideItself }
            above = self.parent(of: each)
        }
        if let known = self.folder(in: parent, named: name) {
            if known == folder { return }
            throw .placeTaken
        }
        let start = try store(name, isRoot: parent == nil)
        let number = folder.index
        version += 1
        index.remove(number, hash: hash(number)) { hash($0) }
        if let parent { retain(parent) }
        if let old = self.parent(of: folder) { release(old) }
        names.free(Int(nameStarts[number]))
        nameStarts[number] = UInt32(start)
        names.setOwner(of: start, to: number)
        parents[number] = parent?.number ?? Self.none
        // There was room for it before.
        index.insert(number, hash: hash(number)) { hash($0) }
    }

    /// Removes a folder. Its number and name remain while rows or folders refer to it.
    package func remove(_ folder: FolderNumber) {
        let number = folder.index
        guard isListed[number] else { return }
        index.remove(number, hash: hash(number)) { hash($0) }
        isListed[number] = false
        freeIfUnused(number)
    }

    func retain(_ folder: FolderNumber) { retain(folder, 1) }

    /// Counts so many rows more that refer to it.
    func retain(_ folder: FolderNumber, _ rows: Int) { uses[folder.index] += UInt32(rows) }

    func release(_ folder: FolderNumber) {
        uses[folder.index] -= 1
        if removesUnused, uses[folder.index] == 0, isListed[folder.index] {
            remove(folder)
        } else {
            freeIfUnused(folder.index)
        }
    }

    /// The number of rows and folders that refer to it, and of those who retain it.
    func useCount(of folder: FolderNumber) -> Int { Int(uses[folder.index]) }

    /// Whether documents can be put into it.
    func isValid(_ folder: FolderNumber) -> Bool {
        folder.index < end && isListed[folder.index]
    }

    private func freeIfUnused(_ number: Int) {
        guard uses[number] == 0, !isListed[number] else { return }
        let parent = self.parent(of: FolderNumber(number))
        version += 1
        names.free(Int(nameStarts[number]))
        nameStarts[number] = 0
        parents[number] = firstFree
        firstFree = UInt32(number)
        if let parent { release(parent) }
    }

    // MARK: Compaction

    var needsCompaction: Bool { names.needsCompaction() }

    func compact(budget: Int) -> Bool {
        names.compact(budget: budget) { arena, number, range, target in
            arena.copy(range, to: target)
            nameStarts[number] = UInt32(target)
            return range.count
        }
    }

    /// In debug builds, traps if the folders do not fit together.
    /// - Parameter rows: For each number, how many rows refer to it.
    func checkInvariants(rows: [Int: Int]) {
        #if DEBUG
        var used = rows
        var named = 0
        for number in 0..<end where nameStarts[number] != 0 {
            named += 1
            let parent = parents[number]
            if parent == Self.none { continue }
            precondition(nameStarts[Int(parent)] != 0, "folder \(number) has lost its parent")
            used[Int(parent), default: 0] += 1
        }
        for number in 0..<end where nameStarts[number] != 0 {
            precondition(Int(uses[number]) == used[number] ?? 0, "uses of folder \(number)")
            precondition(uses[number] > 0 || isListed[number], "folder \(number) is left over")
            let found = unsafe find(parents[number], nameBytes(number))
            precondition((found == number) == isListed[number], "folder \(number) is not found")
        }
        names.checkInvariants { number, range in
            named -= 1
            precondition(Int(nameStarts[number]) == range.lowerBound, "folder \(number)")
        }
        precondition(named == 0, "a folder has no name of its own")
        index.checkInvariants { hash($0) }
        #endif
    }
}
