internal import CDocumentKernels

// The hashes of the indexes, from the columns. They are keyed with the table's secret.

extension DocumentTable {
    func hash(of key: KeyNumber) -> UInt64 {
        names_hash(hashKey.0, hashKey.1, key.number, nil, 0)
    }

    func keyHash(_ row: Int) -> UInt64 { hash(of: columns.key(of: row)) }

    /// The hash of a folder and a name. `bytes` are the folded text, with the capitals, or the exact name.
    func placeHash(
        _ folder: UInt32, capitals: UInt32, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        unsafe names_hash(
            hashKey.0, hashKey.1, UInt64(folder) << 32 | UInt64(capitals), bytes.baseAddress,
            bytes.count)
    }

    func placeHash(_ row: Int) -> UInt64 {
        let form = columns.nameForms[row]
        if columns.flags[row].contains(.exactName) {
            return unsafe placeHash(columns.folders[row], capitals: 0, exactName(at: Int(form)))
        }
        return unsafe placeHash(columns.folders[row], capitals: form, texts.text(of: row))
    }

    /// Lets the processor fetch what `placeHash` reads of a row that has a name: first where that is, and some rows
    /// later the name. In a large table each of these is far from the others.
    @inline(__always)
    func prefetchPlace(of row: Int, isNear: Bool) {
        guard isNear else {
            columns.folders.prefetch(row)
            columns.nameForms.prefetch(row)
            columns.flags.prefetch(row)
            return texts.prefetch(row, isNear: false)
        }
        if columns.flags[row].contains(.exactName) {
            // The address is that of the row's name.
            unsafe names_prefetch(exactName(at: Int(columns.nameForms[row])).baseAddress)
        } else {
            texts.prefetch(row, isNear: true)
        }
    }

    /// The same for `keyHash`.
    @inline(__always)
    func prefetchKey(of row: Int, isNear: Bool) {
        if !isNear { columns.prefetchKey(of: row) }
    }

    @unsafe private func exactName(at start: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe exactNames.bytes(start..<start + exactNames.count(of: start))
    }

    /// The current row in a folder with this name, whose folded text may be in the scratch.
    func row(in folder: FolderNumber, named name: StoredName) -> Int? {
        if let exact = name.exact {
            return unsafe exact.withUnsafeBufferPointer { bytes in
                unsafe find(folder.number, capitals: nil, bytes)
            }
        }
        return unsafe name.withFolded(scratch) { folded in
            unsafe find(folder.number, capitals: name.capitals, folded)
        }
    }

    /// The current row at the place that another row has.
    func rowAtPlace(of row: Int) -> Int? {
        let form = columns.nameForms[row]
        if columns.flags[row].contains(.exactName) {
            return unsafe find(columns.folders[row], capitals: nil, exactName(at: Int(form)))
        }
        return unsafe find(columns.folders[row], capitals: form, texts.text(of: row))
    }

    /// The current row with a name. `capitals` are nil if the bytes are those of an exact name, rather than a folded
    /// one.
    private func find(
        _ folder: UInt32, capitals: UInt32?, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let hash = unsafe placeHash(folder, capitals: capitals ?? 0, bytes)
        return byPlace.row(hash: hash) { row in
            guard columns.folders[row] == folder else { return false }
            let form = columns.nameForms[row]
            let isExact = columns.flags[row].contains(.exactName)
            guard let capitals else {
                return unsafe isExact && areEqual(exactName(at: Int(form)), bytes)
            }
            return unsafe !isExact && form == capitals && areEqual(texts.text(of: row), bytes)
        }
    }

    private func areEqual(
        _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard one.count == other.count else { return false }
        guard let left = one.baseAddress, let right = other.baseAddress else { return true }
        // Both have as many bytes.
        return unsafe names_are_equal(left, right, one.count) != 0
    }
}
