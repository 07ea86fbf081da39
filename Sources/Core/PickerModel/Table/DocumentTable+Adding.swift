// New documents whose names were prepared elsewhere.

extension DocumentTable {
    /// Whether no row is directly in a folder, and none was that is still readable.
    ///
    /// It may be false although there is none, for a folder with folders.
    /// - Complexity: O(1).
    func isWithoutRows(_ folder: FolderNumber) -> Bool {
        let own = latestFolder?.number == folder ? 1 : 0
        return folders.useCount(of: folder) == own
    }

    /// Lets the processor fetch what adding a document soon writes in the indexes: in a large table, places far from
    /// those of all others.
    func prefetch(
        _ key: KeyNumber, in folder: FolderNumber, _ names: PreparedNames, _ index: Int
    ) {
        byKey.prefetch(key) { self.hash(of: $0) }
        let name = names[index]
        // Within the calls the bytes are those of the name.
        let form =
            name.hasDifference
            ? unsafe names.withDifference(name) { unsafe hash(ofDifference: $0) } : name.capitals
        let placeHash = unsafe names.withFolded(name) {
            unsafe self.placeHash(folder.number, form: form, $0)
        }
        byPlace.prefetch(hash: placeHash)
    }

    /// Lets the processor fetch what removing documents, or moving them to a folder, is going to read of the index of
    /// places: in a large table, the slots of each document are far from those of all others, and so are the names of
    /// the documents behind them there. What one look needs comes while another waits.
    /// - Complexity: O(n) in the length of the names.
    func prefetchPlaces(of keys: some Collection<KeyNumber>, movingTo folder: FolderNumber?) {
        var leaving: [(row: Int, hash: UInt64)] = []
        leaving.reserveCapacity(keys.count)
        for key in keys {
            guard let row = row(of: key)?.index else { continue }
            let hash = placeHash(row)
            byPlace.prefetch(hash: hash)
            leaving.append((row, hash))
            if let folder { byPlace.prefetch(hash: placeHash(row, in: folder.number)) }
        }
        for isNear in [false, true] {
            for (row, hash) in leaving {
                byPlace.forEachRow(behind: row, hash: hash) {
                    prefetchPlace(of: $0, isNear: isNear)
                }
            }
        }
    }

    /// Adds a document under a key that no document has. Another document at the place is removed; if it is known that
    /// there is none, it is not looked for.
    /// - Throws: `DocumentTableError`, without a change.
    /// - Complexity: O(n) in the length of the name.
    func add(
        _ key: KeyNumber, in folder: FolderNumber, _ names: PreparedNames, _ index: Int,
        facts: DocumentFacts, isPlaceFree: Bool
    ) throws(DocumentTableError) -> DocumentPlacement {
        precondition(folders.isValid(folder), "the folder has been removed")
        precondition(row(of: key) == nil, "a document has the key")
        let name = names[index]
        precondition(name.isName, "it can't be a name")
        let device = try devices.add(facts.device)
        let row: Int
        do {
            row = try makeRow(
                for: key, textCount: name.foldedCount, differenceCount: name.differenceCount)
        } catch {
            devices.discard(device)
            throw error
        }
        columns.setKey(key, of: row)
        if key >= keyEnd { keyEnd = KeyNumber(number: key.number + 1) }
        columns.folders[row] = folder.number
        columns.flags[row] = .inUse
        columns.types[row] = name.type
        columns.sortWords[row] = name.sortWord
        unsafe names.withFolded(name) { folded in
            unsafe names.withDifference(name) { difference in
                unsafe writeName(
                    folded, difference: name.hasDifference ? difference : nil,
                    capitals: name.capitals, of: row)
            }
        }
        write(facts, device: device, of: row)
        retainParts(of: row)
        let displaced = isPlaceFree ? nil : rowAtPlace(of: row)
        #if DEBUG
        precondition(!isPlaceFree || rowAtPlace(of: row) == nil, "the place is not free")
        #endif
        take(row, replacing: nil, displacing: displaced)
        return placement(row, replacing: nil, displacing: displaced)
    }
}
