// Documents of stored rows.
//
// Many rows of one folder are put behind all others, column by column. Few take the place of rows that are free, one by
// one.

internal import CDocumentKernels

extension DocumentTable {
    /// No stored rows, to which rows can be added on any thread.
    package var noStoredRows: StoredRows { StoredRows(nameHasher) }

    /// As many rows are written by columns.
    private static let many = 32

    /// How many rows ahead places in the indexes are fetched: about as long as memory takes.
    private static let restoredAhead = 16

    /// Makes documents of stored rows of one folder, with different names: new ones, or other versions of those with their
    /// keys. Other documents at their places are removed.
    /// - Parameters:
    ///   - rows: stored rows.
    ///   - range: which of them.
    ///   - folder: their folder.
    ///   - device: as for `encode`.
    ///   - hasTypes: whether the types are numbered as they were.
    ///   - made: called with the number of each stored row, and the row that was made.
    /// - Throws: `DocumentTableError`, with some of the rows.
    /// - Complexity: O(n) in the length of the names. A document's place is looked for only if there are others in the
    ///   folder.
    package func restore(
        _ rows: borrowing StoredRows, _ range: Range<Int>, in folder: FolderNumber, device: UInt64,
        hasTypes: Bool, _ made: (Int, DocumentRow) -> Void
    ) throws(DocumentTableError) {
        precondition(folders.isValid(folder), "the folder has been removed")
        let isFree = isWithoutRows(folder)
        if range.count < Self.many || rows.hasRare(range) {
            for index in range {
                let row = try add(rows, index, in: folder, device: device, hasTypes: hasTypes)
                makeCurrent(
                    row, rows.entries[index].key,
                    hash: rows.entries[index].hash.inFolder(folder.number),
                    isPlaceFree: isFree)
                made(index, DocumentRow(row))
            }
            return
        }
        let first = try append(rows, range, in: folder, device: device, hasTypes: hasTypes)
        for index in range.lowerBound..<range.upperBound + Self.restoredAhead {
            if index < range.upperBound {
                byPlace.prefetch(hash: rows.entries[index].hash.inFolder(folder.number))
            }
            let index = index - Self.restoredAhead
            if index < range.lowerBound { continue }
            let row = first + index - range.lowerBound
            makeCurrent(
                row, rows.entries[index].key,
                hash: rows.entries[index].hash.inFolder(folder.number),
                isPlaceFree: isFree)
            made(index, DocumentRow(row))
        }
    }

    /// Makes a row current that was added, in place of the one with its key and the one at its place.
    @inline(__always)
    private func makeCurrent(_ row: Int, _ key: KeyNumber, hash: UInt64, isPlaceFree: Bool) {
        if let former = self.row(of: key) { remove(former) }
        if key >= keyEnd { keyEnd = KeyNumber(number: key.number + 1) }
        if !isPlaceFree, let other = rowAtPlace(of: row) { remove(DocumentRow(other)) }
        byKey.insert(
            row, key, rehash: { keyHash($0) }, prefetch: { prefetchKey(of: $0, isNear: $1) })
        byPlace.insert(
            row, hash: hash, rehash: { placeHash($0) },
            prefetch: { prefetchPlace(of: $0, isNear: $1) })
        current.insert(row)
    }

    /// Adds one row that is not current.
    private func add(
        _ rows: borrowing StoredRows, _ index: Int, in folder: FolderNumber, device: UInt64,
        hasTypes: Bool
    ) throws(DocumentTableError) -> Int {
        let facts = rows.facts(of: index, device: device)
        let text = rows.text(of: index)
        let difference = rows.difference(of: index)
        let hasDifference = rows.entries[index].hasDifference
        let place = try devices.add(facts.device)
        let row: Int
        do {
            row = try makeRow(
                for: rows.entries[index].key, textCount: text.count,
                differenceCount: hasDifference ? difference.count : nil)
        } catch {
            devices.discard(place)
            throw error
        }
        columns.setKey(rows.entries[index].key, of: row)
        columns.folders[row] = folder.number
        columns.flags[row] = .inUse
        columns.sortWords[row] = rows.entries[index].sortWord
        // Nothing changes the stored rows meanwhile.
        unsafe rows.texts.withUnsafeBufferPointer { texts in
            unsafe rows.differences.withUnsafeBufferPointer { differences in
                unsafe writeName(
                    UnsafeBufferPointer(rebasing: texts[text]),
                    difference: hasDifference
                        ? UnsafeBufferPointer(rebasing: differences[difference]) : nil,
                    capitals: rows.entries[index].capitals, of: row)
            }
        }
        columns.types[row] = type(of: row, rows.entries[index].typeNumber, hasTypes)
        write(facts, device: place, of: row)
        retainParts(of: row)
        return row
    }

    private func type(of row: Int, _ number: UInt16, _ hasTypes: Bool) -> MediaType {
        if hasTypes, let type = MediaType(number: number) { return type }
        return MediaType(forName: name(of: DocumentRow(row)).bytes.span)
    }

    /// Adds rows of one device that are not current behind all others.
    /// - Returns: the first.
    /// - Throws: `DocumentTableError`, without effect on rows.
    private func append(
        _ rows: borrowing StoredRows, _ range: Range<Int>, in folder: FolderNumber, device: UInt64,
        hasTypes: Bool
    ) throws(DocumentTableError) -> Int {
        let first = columns.count
        let place = try prepare(for: rows, range, device: device)
        guard attributes.grow(to: first + range.count) else { throw .outOfMemory }
        columns.append(range.count)
        current.grow(to: columns.count)
        columns.write(rows.entries[range], at: first)
        let texts =
            rows.text(of: range.lowerBound).lowerBound..<rows.text(
                of: range.upperBound - 1
            ).upperBound + 1
        // Nothing changes the stored rows meanwhile.
        unsafe rows.texts.withUnsafeBufferPointer { bytes in
            unsafe self.texts.append(
                first, UnsafeBufferPointer(rebasing: bytes[texts]),
                entries: rows.entries[range], from: texts.lowerBound)
        }
        columns.folders.fill(first..<columns.count, with: folder.number)
        columns.flags.fill(first..<columns.count, with: .inUse)
        folders.retain(folder, range.count)
        devices.retain(place, range.count)
        if place != 0 {
            for row in first..<columns.count { columns.setDevice(place, of: row) }
        }
        let types = hasTypes ? MediaType.count : 0
        for index in range {
            let row = first + index - range.lowerBound
            if rows.entries[index].hasDifference {
                let difference = rows.difference(of: index)
                unsafe rows.differences.withUnsafeBufferPointer {
                    unsafe write(
                        difference: UnsafeBufferPointer(rebasing: $0[difference]), of: row)
                }
            }
            countLetters(of: row)
            let type = rows.entries[index].typeNumber
            columns.types[row] =
                type < types
                ? MediaType(knownNumber: type) : self.type(of: row, type, hasTypes)
        }
        return first
    }

    /// Makes room for rows behind all others.
    /// - Returns: the place of the device, without a use.
    /// - Throws: `DocumentTableError`, without effect on rows.
    private func prepare(
        for rows: borrowing StoredRows, _ range: Range<Int>, device: UInt64
    ) throws(DocumentTableError) -> UInt16 {
        let end = columns.count + range.count
        guard end <= limits.rows else { throw .tooManyRows(limit: limits.rows) }
        var last = KeyNumber(number: 0)
        for index in range { last = max(last, rows.entries[index].key) }
        guard columns.reserve(end), freed.reserve(rowsInUse + range.count + 1),
            byKey.prepare(for: last, adding: range.count, rehash: { keyHash($0) }),
            byPlace.prepare(adding: range.count, rehash: { placeHash($0) })
        else { throw .outOfMemory }
        let differenceBytes =
            rows.difference(of: range.upperBound - 1).upperBound
            - rows.difference(of: range.lowerBound).lowerBound
        let textBytes =
            rows.text(of: range.upperBound - 1).upperBound + 1
            - rows.text(of: range.lowerBound).lowerBound
        guard
            differences.hasRoom(
                forParts: differenceBytes == 0 ? 0 : range.count, bytes: differenceBytes),
            texts.prepare(for: range.count, behind: columns.count, bytes: textBytes)
        else { throw .tooManyBytes(limit: limits.arenaBytes) }
        // The last thing that may fail, since nothing discards it.
        return try devices.add(device)
    }
}
