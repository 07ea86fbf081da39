internal import CDocumentKernels

/// What putting a document into the table did.
package struct DocumentPlacement: Hashable, Sendable {
    package let row: DocumentRow
    /// The version before, now freed.
    package let replaced: DocumentRow?
    /// Another document that had the place, now freed.
    package let displaced: DocumentRow?
}

extension DocumentTable {
    /// Makes room at once, for so many rows with so many bytes of folded names.
    /// - Throws: `DocumentTableError` if the system has no memory.
    package func reserve(rows: Int, nameBytes: Int) throws(DocumentTableError) {
        guard rows <= limits.rows, columns.reserve(rows),
            texts.reserve(rows: rows, bytes: nameBytes),
            byKey.reserve(rows),
            byPlace.reserve(rows, rehash: { placeHash($0) })
        else { throw .outOfMemory }
        current.reserve(rows)
    }

    /// Makes room as `reserve`, and takes the memory for it at once: so many rows are going to be added.
    /// - Throws: `DocumentTableError` if the system has no memory.
    package func populate(rows: Int, nameBytes: Int) throws(DocumentTableError) {
        try reserve(rows: rows, nameBytes: nameBytes)
        columns.populate(rows)
        texts.populate(rows: rows, bytes: nameBytes)
        byKey.populate(rows)
        byPlace.populate()
    }

    /// The key with this text, for a document to be put into the table.
    /// - Throws: `DocumentTableError` if it is not the daemon's own and there are too many others.
    package func makeKey(_ text: String) throws(DocumentTableError) -> KeyNumber {
        if let known = key(text) { return known }
        let place = try otherKeys.add(text)
        return KeyNumber(number: KeyNumber.mintedLimit + UInt64(place))
    }

    /// Puts a document into a folder: a new one, or another version of the one with its key. Another document at the
    /// place is removed. If `isGiven`, it is an item of a source, which may say of what type it is.
    /// - Throws: `DocumentTableError`, without a change.
    /// - Complexity: O(n) in the length of the name.
    @discardableResult
    package func put(
        _ key: KeyNumber, in folder: FolderNumber, named name: borrowing Span<UInt8>,
        facts: DocumentFacts, isLiked: Bool = false, isDropped: Bool = false,
        isGiven: Bool = false, type: MediaType? = nil
    ) throws(DocumentTableError) -> DocumentPlacement {
        precondition(folders.isValid(folder), "the folder has been removed")
        guard let stored = StoredName(name, &scratch) else { throw .badName(bytes: name.count) }
        var flags: DocumentColumns.Flags = []
        if isLiked { flags.insert(.liked) }
        if isDropped { flags.insert(.dropped) }
        let replaced = row(of: key)?.index
        let displaced = row(in: folder, named: stored)
        let device = try devices.add(facts.device)
        let row: Int
        do {
            row = try makeRow(
                for: key, textCount: stored.foldedCount, differenceCount: stored.difference?.count)
        } catch {
            devices.discard(device)
            throw error
        }
        columns.setKey(key, of: row)
        if key >= keyEnd { keyEnd = KeyNumber(number: key.number + 1) }
        columns.folders[row] = folder.number
        columns.flags[row] = flags.union(.inUse)
        writeName(stored, type: type ?? MediaType(forName: name), of: row)
        write(facts, device: device, of: row)
        // It may have got a name of which others are asked for what is known.
        if let replaced, !attributes.isEmpty { attributes.copy(replaced, to: row) }
        attributes.forgetReading(of: row)
        if isGiven { attributes.give(row) }
        retainParts(of: row)
        take(row, replacing: replaced, displacing: displaced)
        return placement(row, replacing: replaced, displacing: displaced)
    }

    /// Makes another version of a document, with other facts.
    /// - Throws: `DocumentTableError`, without a change.
    /// - Complexity: O(n) in the length of the name, which is not folded again; the same for `mark` and `move`.
    package func change(
        _ row: DocumentRow, facts: DocumentFacts
    ) throws(DocumentTableError) -> DocumentRow {
        let device = try devices.add(facts.device)
        let copy: Int
        do {
            copy = try makeCopy(of: row)
        } catch {
            devices.discard(device)
            throw error
        }
        write(facts, device: device, of: copy)
        attributes.forgetReading(of: copy)
        retainParts(of: copy)
        take(copy, replacing: row.index, displacing: row.index)
        return DocumentRow(copy)
    }

    /// Makes another version of a document, with these marks.
    package func mark(
        _ row: DocumentRow, isLiked: Bool, isDropped: Bool
    ) throws(DocumentTableError) -> DocumentRow {
        let copy = try makeCopy(of: row)
        columns.flags[copy].subtract(.marks)
        if isLiked { columns.flags[copy].insert(.liked) }
        if isDropped { columns.flags[copy].insert(.dropped) }
        retainParts(of: copy)
        take(copy, replacing: row.index, displacing: row.index)
        return DocumentRow(copy)
    }

    /// Makes another version of a document, with other values of attributes, as they are stored.
    package func give(
        _ values: [(attribute: Attribute, stored: UInt64?)], to row: DocumentRow
    ) throws(DocumentTableError) -> DocumentRow {
        let copy = try makeCopy(of: row)
        for (attribute, stored) in values { attributes.set(attribute, stored, of: copy) }
        retainParts(of: copy)
        take(copy, replacing: row.index, displacing: row.index)
        return DocumentRow(copy)
    }

    /// Makes another version of a document, in another folder under the same name. Another document at the place is
    /// removed. With another name, too, use `put`.
    package func move(
        _ row: DocumentRow, to folder: FolderNumber
    ) throws(DocumentTableError) -> DocumentPlacement {
        precondition(folders.isValid(folder), "the folder has been removed")
        let copy = try makeCopy(of: row)
        columns.folders[copy] = folder.number
        let displaced = rowAtPlace(of: copy)
        retainParts(of: copy)
        take(copy, replacing: row.index, displacing: displaced)
        return placement(copy, replacing: row.index, displacing: displaced)
    }

    func placement(
        _ row: Int, replacing old: Int?, displacing displaced: Int?
    ) -> DocumentPlacement {
        var other: DocumentRow?
        if let displaced, displaced != old { other = DocumentRow(displaced) }
        return DocumentPlacement(
            row: DocumentRow(row), replaced: old.map { DocumentRow($0) }, displaced: other)
    }

    /// Removes a document. The row remains readable until `releaseFreedRows`.
    /// - Complexity: O(n) in the length of the name.
    package func remove(_ row: DocumentRow) {
        precondition(isCurrent(row), "the row is no document")
        removeKey(of: row.index)
        removePlace(of: row.index)
        free(row.index)
    }

    /// Lets the numbers and the room of freed rows be used again, but for those freed since the oldest hold.
    /// Nothing else may refer to these rows any more.
    /// - Parameter limit: how many, of those freed first; rows given to `releaseLater` count, too.
    /// - Returns: whether there are no freed rows left.
    /// - Complexity: O(k) for k rows that are released, amortized, however many are held.
    @discardableResult
    package func releaseFreedRows(atMost limit: Int = .max) -> Bool {
        let end = min(releasableCount, releaseDeparted(atMost: limit))
        for index in 0..<end {
            let row = DocumentRow(freed[index])
            if isRetained(row) { retainedFreed.insert(row) } else { release(row.index) }
        }
        freed.removeFirst(end)
        releasedCount += end
        return freed.count == 0
    }

    /// The number of freed rows that no hold keeps.
    var releasableCount: Int {
        holds.values.min().map { $0 - releasedCount } ?? freed.count
    }

    /// Keeps a row readable until it has been released as often.
    /// - Complexity: O(1).
    package func retain(_ row: DocumentRow) {
        if row.index >= retainCounts.count {
            // The pages of rows that are never retained take no memory.
            precondition(retainCounts.reserve(rowEnd), "the system has no memory for rows")
            retainCounts.resize(to: rowEnd)
        }
        retainCounts[row.index] += 1
    }

    private func isRetained(_ row: DocumentRow) -> Bool {
        row.index < retainCounts.count && retainCounts[row.index] > 0
    }

    /// Ends the effect of one `retain`.
    package func release(_ row: DocumentRow) {
        precondition(isRetained(row), "the row is not retained")
        retainCounts[row.index] -= 1
        if retainCounts[row.index] > 0 || retainedFreed.isEmpty { return }
        guard retainedFreed.remove(row) != nil else { return }
        // There has been room for it before.
        freed.append(row.number)
    }

    /// Ends the effect of a `retain` of each of very many rows, in the next calls of `releaseFreedRows`.
    func releaseLater(_ rows: [ShownRow]) {
        departed.append(rows)
        whenDeparted?()
    }

    /// - Returns: what is left of `limit`.
    private func releaseDeparted(atMost limit: Int) -> Int {
        var left = limit
        while left > 0, let count = departed.last?.count {
            let last = departed.count - 1
            let part = min(left, count)
            for row in departed[last].suffix(part) { release(row) }
            // Removed part by part as well: to free many rows at once takes milliseconds.
            departed[last].removeLast(part)
            left -= part
            if part == count { departed.removeLast() }
        }
        return left
    }

    /// Keeps all rows readable that are current now, while the returned object exists.
    package func hold() -> RowHold {
        lastHold += 1
        holds[lastHold] = releasedCount + freed.count
        return RowHold(lastHold, of: self)
    }

    /// Keeps all rows readable that have been current since the last turn ended, while the returned object exists.
    package func holdWithFreed() -> RowHold {
        lastHold += 1
        holds[lastHold] = releasedCount
        return RowHold(lastHold, of: self)
    }

    fileprivate func endHold(_ number: Int) { holds[number] = nil }

    // MARK: Parts

    private func makeCopy(of row: DocumentRow) throws(DocumentTableError) -> Int {
        precondition(isCurrent(row), "the row is no document")
        let old = row.index
        let difference =
            columns.flags[old].contains(.difference) ? Int(columns.nameForms[old]) : nil
        let key = columns.key(of: old)
        let copy = try makeRow(
            for: key, textCount: texts.count(of: old),
            differenceCount: difference.map { differences.count(of: $0) })
        columns.setKey(key, of: copy)
        columns.folders[copy] = columns.folders[old]
        columns.flags[copy] = columns.flags[old]
        columns.sortWords[copy] = columns.sortWords[old]
        columns.types[copy] = columns.types[old]
        columns.sizes[copy] = columns.sizes[old]
        columns.inodes[copy] = columns.inodes[old]
        columns.setDevice(columns.device(of: old), of: copy)
        columns.times[copy] = columns.times[old]
        columns.lettersLess.set(copy, to: columns.lettersLess[old])
        if let time = farTimes[old] { farTimes[copy] = time }
        texts.copyText(of: old, to: copy)
        noteName(of: copy)
        if !attributes.isEmpty { attributes.copy(old, to: copy) }
        if let difference {
            let count = differences.count(of: difference)
            let start = differences.allocate(count, owner: copy)
            differences.copy(difference..<difference + count, to: start)
            columns.nameForms[copy] = UInt32(start)
        } else {
            columns.nameForms[copy] = columns.nameForms[old]
        }
        return copy
    }

    /// A row with room for a text, while there is room for all else that `take` needs. It must be taken.
    func makeRow(
        for key: KeyNumber, textCount: Int, differenceCount: Int?
    ) throws(DocumentTableError) -> Int {
        let row = firstFree == DocumentColumns.noRow ? columns.count : Int(firstFree)
        guard row < limits.rows else { throw .tooManyRows(limit: limits.rows) }
        guard columns.reserve(row + 1), freed.reserve(rowsInUse + 2),
            attributes.grow(to: row + 1),
            byKey.prepare(for: key, rehash: { keyHash($0) }),
            byPlace.prepare(rehash: { placeHash($0) })
        else { throw .outOfMemory }
        if let differenceCount {
            guard differences.hasRoom(for: differenceCount) else {
                throw .tooManyBytes(limit: limits.arenaBytes)
            }
        }
        guard texts.add(row, count: textCount) else {
            throw .tooManyBytes(limit: limits.arenaBytes)
        }
        if row == columns.count {
            columns.append()
            current.grow(to: row + 1)
        } else {
            firstFree = columns.folders[row]
        }
        if !attributes.isEmpty { attributes.clear(row) }
        return row
    }

    private func writeName(_ name: StoredName, type: MediaType, of row: Int) {
        columns.types[row] = type
        unsafe name.withFolded(scratch) { folded in
            unsafe columns.sortWords[row] = SortKeyReader.word(of: folded.span, after: 0) ?? 0
            guard let difference = name.difference else {
                return unsafe writeName(
                    folded, difference: nil, capitals: name.capitals ?? 0, of: row)
            }
            unsafe difference.withUnsafeBufferPointer {
                unsafe writeName(folded, difference: $0, capitals: 0, of: row)
            }
        }
    }

    /// Writes the stored form of a name, for which `makeRow` has made room.
    func writeName(
        _ folded: UnsafeBufferPointer<UInt8>, difference: UnsafeBufferPointer<UInt8>?,
        capitals: UInt32, of row: Int
    ) {
        // The row's text has as many bytes as the folded name.
        unsafe texts.write(row) { text in _ = unsafe text.update(fromContentsOf: folded) }
        if let difference = unsafe difference {
            unsafe write(difference: difference, of: row)
        } else {
            columns.nameForms[row] = capitals
        }
        countLetters(of: row)
    }

    /// Writes the difference of a name, for which there is room.
    func write(difference: UnsafeBufferPointer<UInt8>, of row: Int) {
        let start = differences.allocate(difference.count, owner: row)
        // The part has as many bytes as the difference.
        _ = unsafe differences.mutableBytes(start..<start + difference.count)
            .update(fromContentsOf: difference)
        columns.nameForms[row] = UInt32(start)
        columns.flags[row].insert(.difference)
    }

    func write(_ facts: DocumentFacts, device: UInt16, of row: Int) {
        columns.sizes[row] = facts.size
        columns.inodes[row] = facts.inode
        columns.setDevice(device, of: row)
        columns.times[row] = facts.modified.sortable
        if facts.modified.isSortable {
            if columns.flags[row].contains(.farTime) { farTimes[row] = nil }
            columns.flags[row].remove(.farTime)
        } else {
            farTimes[row] = facts.modified
            columns.flags[row].insert(.farTime)
        }
    }

    func retainParts(of row: Int) {
        folders.retain(FolderNumber(Int(columns.folders[row])))
        devices.retain(columns.device(of: row))
        let key = columns.key(of: row)
        if !key.isMinted { otherKeys.retain(Int(key.number - KeyNumber.mintedLimit)) }
    }

    /// Makes a row current, in place of the one with its key and the one at its place, which are freed.
    func take(_ row: Int, replacing old: Int?, displacing displaced: Int?) {
        if let displaced, displaced != old { removeKey(of: displaced) }
        let key = columns.key(of: row)
        if let old {
            byKey.replace(old, by: row, key, rehash: { keyHash($0) })
        } else {
            byKey.insert(
                row, key, rehash: { keyHash($0) },
                prefetch: { prefetchKey(of: $0, isNear: $1) })
        }
        if let old, displaced != old {
            removePlace(of: old)
        }
        if let displaced {
            byPlace.replace(displaced, by: row, hash: placeHash(row))
        } else {
            byPlace.insert(
                row, hash: placeHash(row), rehash: { placeHash($0) },
                prefetch: { prefetchPlace(of: $0, isNear: $1) })
        }
        current.insert(row)
        if let displaced, displaced != old { free(displaced) }
        if let old { free(old) }
    }

    private func removeKey(of row: Int) {
        byKey.remove(row, columns.key(of: row)) { keyHash($0) }
    }

    private func removePlace(of row: Int) {
        byPlace.remove(
            row, hash: placeHash(row), rehash: { placeHash($0) },
            prefetch: { prefetchPlace(of: $0, isNear: $1) })
    }

    private func free(_ row: Int) {
        current.remove(row)
        freed.append(UInt32(row))
    }

    private func release(_ row: Int) {
        let flags = columns.flags[row]
        texts.remove(row)
        if flags.contains(.difference) { differences.free(Int(columns.nameForms[row])) }
        if flags.contains(.farTime) { farTimes[row] = nil }
        folders.release(FolderNumber(Int(columns.folders[row])))
        devices.release(columns.device(of: row))
        let key = columns.key(of: row)
        if !key.isMinted { otherKeys.release(Int(key.number - KeyNumber.mintedLimit)) }
        columns.flags[row] = []
        columns.folders[row] = firstFree
        firstFree = UInt32(row)
    }
}

/// Keeps rows readable that were current when it was made, or in the turn before.
package final class RowHold {
    private let number: Int
    private let table: DocumentTable

    fileprivate init(_ number: Int, of table: DocumentTable) {
        self.number = number
        self.table = table
    }

    deinit { table.endHold(number) }
}
