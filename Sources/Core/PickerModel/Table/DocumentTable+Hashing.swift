internal import CDocumentKernels

// The hashes of the indexes, from the columns. They are keyed with the table's secret.

extension DocumentTable {
    func hash(of key: KeyNumber) -> UInt64 {
        names_hash(hashKey.0, hashKey.1, key.number, nil, 0)
    }

    func keyHash(_ row: Int) -> UInt64 { hash(of: columns.key(of: row)) }

    /// The hash of a folder and a name, which is its folded text with its capitals or the hash of its difference.
    func placeHash(
        _ folder: UInt32, form: UInt32, _ folded: UnsafeBufferPointer<UInt8>
    ) -> UInt64 {
        unsafe nameHasher.hash(folded, form: form).inFolder(folder)
    }

    func hash(ofDifference bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        unsafe nameHasher.form(ofDifference: bytes)
    }

    /// Hashes names as the index of places does.
    var nameHasher: NameHasher { NameHasher(key: hashKey) }

    func placeHash(_ row: Int) -> UInt64 { placeHash(row, in: columns.folders[row]) }

    /// The hash of a row's place if it were in a folder.
    func placeHash(_ row: Int, in folder: UInt32) -> UInt64 {
        let form =
            columns.flags[row].contains(.difference)
            ? unsafe hash(ofDifference: difference(of: row)) : columns.nameForms[row]
        return unsafe placeHash(folder, form: form, texts.text(of: row))
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
        if columns.flags[row].contains(.difference) {
            // The address is that of the row's difference.
            unsafe names_prefetch(difference(of: row).baseAddress)
        }
        texts.prefetch(row, isNear: true)
    }

    /// The same for `keyHash`.
    @inline(__always)
    func prefetchKey(of row: Int, isNear: Bool) {
        if !isNear { columns.prefetchKey(of: row) }
    }

    /// The current row in a folder with this name, whose folded text may be in the scratch.
    func row(in folder: FolderNumber, named name: StoredName) -> Int? {
        unsafe name.withFolded(scratch) { folded in
            guard let difference = name.difference else {
                return unsafe find(folder.number, capitals: name.capitals ?? 0, folded)
            }
            return unsafe difference.withUnsafeBufferPointer {
                unsafe find(folder.number, difference: $0, folded)
            }
        }
    }

    /// The current row at the place that another row has.
    func rowAtPlace(of row: Int) -> Int? {
        let (folder, folded) = unsafe (columns.folders[row], texts.text(of: row))
        if columns.flags[row].contains(.difference) {
            return unsafe find(folder, difference: difference(of: row), folded)
        }
        return unsafe find(folder, capitals: columns.nameForms[row], folded)
    }

    /// The current row with a name that has no difference.
    private func find(
        _ folder: UInt32, capitals: UInt32, _ folded: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let hash = unsafe placeHash(folder, form: capitals, folded)
        return byPlace.row(hash: hash) { row in
            guard columns.folders[row] == folder, columns.nameForms[row] == capitals,
                !columns.flags[row].contains(.difference)
            else { return false }
            return unsafe areEqual(texts.text(of: row), folded)
        }
    }

    /// The current row with a name that has one.
    private func find(
        _ folder: UInt32, difference: UnsafeBufferPointer<UInt8>,
        _ folded: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let hash = unsafe placeHash(folder, form: hash(ofDifference: difference), folded)
        return byPlace.row(hash: hash) { row in
            guard columns.folders[row] == folder, columns.flags[row].contains(.difference) else {
                return false
            }
            return unsafe areEqual(texts.text(of: row), folded)
                ? unsafe areEqual(self.difference(of: row), difference) : false
        }
    }

    private func areEqual(
        _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard one.count == other.count else { return false }
        guard one.count > 0, let left = one.baseAddress, let right = other.baseAddress else {
            return true
        }
        // Both have as many bytes.
        return unsafe names_are_equal(left, right, one.count) != 0
    }
}

/// Hashes the names of a table, on any thread.
struct NameHasher: Sendable {
    fileprivate let key: (UInt64, UInt64)

    /// The hash of a name in whatever folder.
    struct NameHash: BitwiseCopyable {
        private let hash: UInt64

        fileprivate init(_ hash: UInt64) {
            self.hash = hash
        }

        /// The hash of the place that a name has in a folder: of all folders another one. Nobody who does not know the
        /// key knows which names and folders collide, because he does not know the hash of any name.
        ///
        /// The last steps mix all bits, as those of splitmix64 (Steele, Lea and Flood, 2014).
        @inline(__always)
        func inFolder(_ folder: UInt32) -> UInt64 {
            var hash = hash &+ UInt64(folder) &* 0x9e37_79b9_7f4a_7c15
            hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
            hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
            return hash ^ hash >> 31
        }
    }

    /// The hash of a folded text with its capitals, or with the form of its difference.
    @inline(__always)
    func hash(_ folded: UnsafeBufferPointer<UInt8>, form: UInt32) -> NameHash {
        NameHash(
            unsafe names_hash(key.0, key.1, UInt64(form), folded.baseAddress, folded.count))
    }

    /// What stands for a difference where another name has its capitals.
    func form(ofDifference bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(
            truncatingIfNeeded: unsafe names_hash(
                key.0, key.1, .max, bytes.baseAddress, bytes.count))
    }
}
