// The edits of one transaction of a `DocumentStore`.
//
// Each edit changes the table at once; the store's observers see all of them as one change. The edits are recorded by
// key: for each touched document its row before the first edit and after the last.

/// The documents that one transaction adds, changes and removes, while it is made.
package struct DocumentEdits: ~Copyable {
    /// The rows of a touched document. Of a row that was made and replaced in the same transaction nothing is left.
    struct Entry {
        let key: KeyNumber
        let old: DocumentRow?
        var new: DocumentRow?
    }

    private unowned let store: DocumentStore
    private let table: DocumentTable
    /// In the order of the first touch.
    private(set) var entries: [Entry] = []
    /// The places of the first entries by key. The others are added when a key is looked for: of new documents none is.
    private var places: [KeyNumber: Int] = [:]
    private var placedCount = 0
    /// No entry has a later key. Most edits come in the order of the keys, and look for none.
    private var lastKey: KeyNumber?
    /// What the columns store of the values that are given; kept so that its memory is used again.
    private var stored: [(attribute: Attribute, stored: UInt64?)] = []

    init(of store: DocumentStore) {
        self.store = store
        table = store.table
    }

    /// The number of touched documents.
    package var count: Int { entries.count }

    /// The folder at a path below a root, which is made if it is new. It is valid until the next call; the path has a
    /// slash after each name.
    /// - Throws: `DocumentTableError`, without a change.
    /// - Complexity: O(n) in the length of the path.
    package func folder(
        root: String, path: [UInt8]
    ) throws(DocumentTableError) -> FolderNumber {
        try table.makeFolder(root: root, path: path[...])
    }

    /// Adds a document, or changes the one with that key. Without facts it keeps those that it has. Another document
    /// at the place is removed.
    ///
    /// A document for which there is no room is left as it was, and reported by `DocumentStore.whenRefused`.
    /// - Returns: false, without a change, if there are no facts and no document has the key, or had it before these
    ///   edits.
    /// - Complexity: O(n) in the length of the name.
    @discardableResult
    package mutating func put(
        _ key: KeyNumber, in folder: FolderNumber, named name: [UInt8], facts: DocumentFacts?
    ) -> Bool {
        let existing = table.row(of: key)
        // Another edit may have given its place away.
        let former = existing ?? place(of: key).flatMap { entries[$0].old }
        guard let facts = facts ?? former.map({ table.facts(of: $0) }) else { return false }
        do {
            guard let existing, table.hasName(name, existing) else {
                let isLiked = former.map { table.isLiked($0) } ?? false
                let isDropped = former.map { table.isDropped($0) } ?? false
                let placed = try table.put(
                    key, in: folder, named: name.span, facts: facts, isLiked: isLiked,
                    isDropped: isDropped)
                record(key, placed)
                return true
            }
            var row = existing
            if table.folder(of: row) != folder {
                let placed = try table.move(row, to: folder)
                record(key, placed)
                row = placed.row
            }
            if table.facts(of: row) != facts {
                let changed = try table.change(row, facts: facts)
                record(key, from: row, to: changed)
            }
        } catch {
            store.whenRefused?(error)
        }
        return true
    }

    /// Adds an item of a source, or changes the one with that key. Without a type it has that of its name.
    /// - Returns: false, without a change, if there is no room for it.
    mutating func put(
        _ key: KeyNumber, in folder: FolderNumber, named name: [UInt8], facts: DocumentFacts,
        given type: MediaType?
    ) -> Bool {
        do {
            let former = table.row(of: key)
            let placed = try table.put(
                key, in: folder, named: name.span, facts: facts,
                isLiked: former.map { table.isLiked($0) } ?? false,
                isDropped: former.map { table.isDropped($0) } ?? false, isGiven: true, type: type)
            record(key, placed)
            return true
        } catch {
            store.whenRefused?(error)
            return false
        }
    }

    /// Moves a document to another folder, under the name that it has. Another document at the place is removed.
    ///
    /// A document for which there is no room is left as it was, and reported by `DocumentStore.whenRefused`.
    /// - Returns: false, without a change, if no document has the key, or had it before these edits.
    /// - Complexity: O(n) in the length of the name.
    @discardableResult
    package mutating func move(_ key: KeyNumber, to folder: FolderNumber) -> Bool {
        guard let row = table.row(of: key) else {
            // Another edit may have given its place away.
            guard let former = place(of: key).flatMap({ entries[$0].old }) else { return false }
            return put(key, in: folder, named: table.name(of: former).bytes, facts: nil)
        }
        if table.folder(of: row) == folder {
            touch(key, row)
            return true
        }
        do {
            record(key, try table.move(row, to: folder))
        } catch {
            store.whenRefused?(error)
        }
        return true
    }

    /// The documents whose places in the index are fetched together.
    package static let fetchedTogether = 32

    /// Lets the processor fetch what removing documents, or moving them to a folder, is going to read: of about
    /// `fetchedTogether`, right before that.
    /// - Complexity: O(n) in the length of the names.
    package func fetch(_ keys: some Collection<KeyNumber>, movingTo folder: FolderNumber? = nil) {
        table.prefetchPlaces(of: keys, movingTo: folder)
    }

    /// How many documents ahead places in the indexes are fetched: about as long as memory takes.
    private static let prefetched = 4

    /// Adds new documents of one folder, with names that were prepared elsewhere. Other documents at their places are
    /// removed.
    ///
    /// The first one has the key `first`, the others the next numbers; no document has or had these. `indexes` are
    /// those of their names, which differ, and `facts` is called with each. A document for which there is no room is
    /// left out, and reported by `DocumentStore.whenRefused`.
    /// - Complexity: O(n) in the length of the names. A document's place is looked for only if there are others in the
    ///   folder, and no key is.
    package mutating func add(
        from first: KeyNumber, in folder: FolderNumber, named names: PreparedNames,
        _ indexes: ArraySlice<UInt32>, facts: (Int) -> DocumentFacts
    ) {
        let isFree = table.isWithoutRows(folder)
        var number = first.number
        for (place, index) in zip(indexes.indices, indexes) {
            if place + Self.prefetched < indexes.endIndex {
                table.prefetch(
                    KeyNumber(number: number + UInt64(Self.prefetched)), in: folder, names,
                    Int(indexes[place + Self.prefetched]))
            }
            let key = KeyNumber(number: number)
            number += 1
            let isUnknown = key >= table.keyEnd
            do {
                let placed = try table.add(
                    key, in: folder, names, Int(index), facts: facts(Int(index)),
                    isPlaceFree: isFree)
                if isUnknown, placed.displaced == nil {
                    append(Entry(key: key, old: nil, new: placed.row))
                } else {
                    record(key, placed)
                }
            } catch {
                store.whenRefused?(error)
            }
        }
    }

    /// Adds a document given as a value, or changes the one with its key.
    mutating func put(_ document: Document) {
        do {
            let key = try table.makeKey(document.key)
            if let existing = table.row(of: key),
                table.hasValue(
                    of: document, isLiked: document.isLiked, isDropped: false, existing)
            {
                return touch(key, existing)
            }
            let placed = try table.put(key, document, isLiked: document.isLiked, isDropped: false)
            record(key, placed)
        } catch {
            store.whenRefused?(error)
        }
    }

    /// Removes the document with a key, if there is one.
    /// - Returns: whether there was one.
    @discardableResult
    package mutating func remove(_ key: KeyNumber) -> Bool {
        guard let row = table.row(of: key) else { return false }
        record(key, from: row, to: nil)
        table.remove(row)
        return true
    }

    /// Gives a document values of attributes, or none; the others stay.
    /// - Returns: false, without a change, if there is no such document.
    /// - Complexity: O(n) in the length of the name if a value differs, else O(1).
    @discardableResult
    package mutating func give(
        _ values: [(attribute: Attribute, value: AttributeValue?)], to key: KeyNumber
    ) -> Bool {
        give(values.map(\.attribute), values.map(\.value)[...], to: key)
    }

    /// The same with the values in the order of the attributes; none of them if there are no values.
    @discardableResult
    package mutating func give(
        _ attributes: [Attribute], _ values: ArraySlice<AttributeValue?>, to key: KeyNumber
    ) -> Bool {
        precondition(values.isEmpty || values.count == attributes.count)
        guard let row = table.row(of: key) else { return false }
        stored.removeAll(keepingCapacity: true)
        var differs = false
        for (index, attribute) in attributes.enumerated() {
            guard table.attributes.column(of: attribute) != nil else { continue }
            let value = values.isEmpty ? nil : values[values.startIndex + index]
            let word = value.flatMap { table.attributes.stored($0, of: attribute) }
            if table.attributes.stored(attribute, of: row.index) != word { differs = true }
            stored.append((attribute, word))
        }
        guard differs else { return true }
        do {
            let new = try table.give(stored, to: row)
            record(key, from: row, to: new)
        } catch {
            store.whenRefused?(error)
        }
        return true
    }

    /// Gives a document its marks.
    mutating func mark(_ row: DocumentRow, _ marks: Marks) {
        let isLiked = marks.contains(.liked)
        let isDropped = marks.contains(.dropped)
        if table.isLiked(row) == isLiked, table.isDropped(row) == isDropped { return }
        do {
            let marked = try table.mark(row, isLiked: isLiked, isDropped: isDropped)
            record(table.key(of: row), from: row, to: marked)
        } catch {
            store.whenRefused?(error)
        }
    }

    /// Records a document that an edit has left as it was.
    private mutating func touch(_ key: KeyNumber, _ row: DocumentRow) {
        record(key, from: row, to: row)
    }

    private mutating func record(_ key: KeyNumber, _ placed: DocumentPlacement) {
        if let displaced = placed.displaced {
            record(table.key(of: displaced), from: displaced, to: nil)
        }
        record(key, from: placed.replaced, to: placed.row)
    }

    private mutating func record(
        _ key: KeyNumber, from old: DocumentRow?, to new: DocumentRow?
    ) {
        if let place = place(of: key) {
            entries[place].new = new
        } else {
            append(Entry(key: key, old: old, new: new))
        }
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        lastKey = max(lastKey ?? entry.key, entry.key)
    }

    private mutating func place(of key: KeyNumber) -> Int? {
        guard let lastKey, key <= lastKey else { return nil }
        while placedCount < entries.count {
            places[entries[placedCount].key] = placedCount
            placedCount += 1
        }
        return places[key]
    }
}
