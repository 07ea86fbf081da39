// Documents of the table as values, and by their paths.

extension DocumentTable {
    /// The document of a row, as a value.
    /// - Complexity: O(n) in the length of the path. Allocates.
    package func document(of row: DocumentRow) -> Document {
        var bytes: [UInt8] = []
        folders.appendPath(of: folder(of: row), to: &bytes)
        let start = bytes.count
        appendName(of: readable(row), to: &bytes)
        let path = FileName(bytes: bytes)
        let document = Document(
            key: text(of: key(of: row)), root: root(of: row).text, path: path,
            name: start == 0 ? path : FileName(bytes: bytes[start...]), size: size(of: row),
            modified: modified(of: row), device: device(of: row), inode: inode(of: row),
            isLiked: isLiked(row), isDropped: isDropped(row),
            type: attributes.given.contains(row.index) ? type(of: row) : nil)
        return attributes.all.isEmpty
            ? document : document.with(attributes: attributes.values(of: row.index))
    }

    /// The document at a path below a root.
    /// - Complexity: O(n) in the length of the path.
    package func row(root: String, path: FileName) -> DocumentRow? {
        let bytes = path.bytes
        let end = Self.folderEnd(of: bytes)
        guard let folder = folder(root: root, path: bytes[..<end]) else { return nil }
        return row(in: folder, named: bytes.span.extracting(end...))
    }

    /// Puts a document into the table at its path; see `put(_:in:named:facts:isLiked:isDropped:)`.
    func put(
        _ key: KeyNumber, _ document: Document, isLiked: Bool, isDropped: Bool
    ) throws(DocumentTableError) -> DocumentPlacement {
        let bytes = document.path.bytes
        let end = Self.folderEnd(of: bytes)
        let folder = try makeFolder(root: document.root, path: bytes[..<end])
        return try put(
            key, in: folder, named: bytes.span.extracting(end...),
            facts: DocumentFacts(
                size: document.size, modified: document.modified, device: document.device,
                inode: document.inode), isLiked: isLiked, isDropped: isDropped)
    }

    /// Whether a row has the file and the place of a document, and these marks.
    func hasValue(
        of document: Document, isLiked: Bool, isDropped: Bool, _ row: DocumentRow
    ) -> Bool {
        guard inode(of: row) == document.inode, size(of: row) == document.size,
            modified(of: row) == document.modified, device(of: row) == document.device,
            self.isLiked(row) == isLiked, self.isDropped(row) == isDropped
        else { return false }
        var bytes: [UInt8] = []
        folders.appendPath(of: folder(of: row), to: &bytes)
        appendName(of: readable(row), to: &bytes)
        return bytes == document.path.bytes && root(of: row).bytes == Array(document.root.utf8)
    }

    /// Whether a row has this name.
    /// - Complexity: O(n) in the length of the name.
    func hasName(_ name: [UInt8], _ row: DocumentRow) -> Bool { hasName(name[...], row) }

    /// Whether a row has exactly this name.
    /// - Complexity: O(n) in its length.
    package func hasName(_ name: ArraySlice<UInt8>, _ row: DocumentRow) -> Bool {
        var bytes: [UInt8] = []
        swap(&bytes, &textScratch)
        defer { swap(&bytes, &textScratch) }
        bytes.removeAll(keepingCapacity: true)
        appendName(of: readable(row), to: &bytes)
        return bytes.elementsEqual(name)
    }

    /// Whether two rows have the same file, place, marks and attributes.
    func areEqual(_ left: DocumentRow, _ right: DocumentRow) -> Bool {
        facts(of: left) == facts(of: right) && isLiked(left) == isLiked(right)
            && isDropped(left) == isDropped(right) && type(of: left) == type(of: right)
            && arePlacesEqual(left, right)
            && attributes.areEqual(left.index, right.index)
    }

    func arePlacesEqual(_ left: DocumentRow, _ right: DocumentRow) -> Bool {
        folder(of: left) == folder(of: right)
            && areNamesEqual(readable(left), readable(right))
    }

    private func areNamesEqual(_ left: Int, _ right: Int) -> Bool {
        // Nothing changes meanwhile.
        guard unsafe texts.text(of: left).elementsEqual(texts.text(of: right)) else { return false }
        let hasDifference = columns.flags[left].contains(.difference)
        if hasDifference != columns.flags[right].contains(.difference) { return false }
        // Without a difference, names are their folded texts and the places of the capitals in them.
        return hasDifference
            ? unsafe difference(of: left).elementsEqual(difference(of: right))
            : columns.nameForms[left] == columns.nameForms[right]
    }

    // MARK: Folders

    /// The length of a path up to its last slash, which is included.
    private static func folderEnd(of path: [UInt8]) -> Int {
        (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    }

    /// The folder at a path below a root, which has a slash after each name; nil if no document is or was there.
    /// - Complexity: O(n) in the length of the path.
    package func folder(root: String, path: ArraySlice<UInt8>) -> FolderNumber? {
        if let known = latestFolder, known.has(root, path) { return known.number }
        guard var folder = folders.folder(in: nil, named: root.utf8Span.span) else { return nil }
        for name in path.split(separator: UInt8(ascii: "/")) {
            guard let next = folders.folder(in: folder, named: name.span) else { return nil }
            folder = next
        }
        return folder
    }

    /// The folder at a path below a root, which is made if it is new. It is valid until the next call; the path has a
    /// slash after each name.
    /// - Complexity: O(n) in the length of the path.
    package func makeFolder(
        root: String, path: ArraySlice<UInt8>
    ) throws(DocumentTableError) -> FolderNumber {
        if let known = latestFolder, known.has(root, path) { return known.number }
        var folder = try folders.add(root.utf8Span.span, in: nil)
        // Each is kept while the next is added.
        folders.retain(folder)
        do {
            for name in path.split(separator: UInt8(ascii: "/")) {
                let next = try folders.add(name.span, in: folder)
                folders.retain(next)
                folders.release(folder)
                folder = next
            }
        } catch {
            folders.release(folder)
            throw error
        }
        forgetLatestFolder()
        latestFolder = LatestFolder(root: root, path: Array(path), number: folder)
        return folder
    }

    /// Lets go of the folder that was used last.
    func forgetLatestFolder() {
        if let former = latestFolder.take() { folders.release(former.number) }
    }

    // MARK: Texts

    /// Calls `body` with the name in UTF-8, with U+FFFD for bytes that are not. The table must not be changed, and
    /// this not be called meanwhile.
    @inline(__always)
    func withNameText<Value>(
        of row: DocumentRow, _ body: (borrowing Span<UInt8>) -> Value
    ) -> Value {
        withText(of: row, hasFolder: false, body)
    }

    /// Calls `body` with the folded name in which letters that come from capitals are capitals; see
    /// `FoldedName.casedBytes(of:)`.
    @inline(__always)
    func withCasedName<Value>(
        of row: DocumentRow, _ body: (borrowing Span<UInt8>) -> Value
    ) -> Value {
        withNameText(of: row) { name in
            // Other names are in ASCII, and so are their own cased form.
            if !columns.flags[row.index].contains(.difference) { return body(name) }
            let cased = FoldedName.casedBytes(of: name.text)
            return body(cased.span)
        }
    }

    /// The path of a folder below its root, with a slash at its end; empty for the root.
    func pathText(of folder: FolderNumber) -> String {
        var bytes: [UInt8] = []
        folders.appendPath(of: folder, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The same for the path below the root.
    @inline(__always)
    func withPathText<Value>(
        of row: DocumentRow, _ body: (borrowing Span<UInt8>) -> Value
    ) -> Value {
        withText(of: row, hasFolder: true, body)
    }

    private func withText<Value>(
        of row: DocumentRow, hasFolder: Bool, _ body: (borrowing Span<UInt8>) -> Value
    ) -> Value {
        var bytes: [UInt8] = []
        swap(&bytes, &textScratch)
        defer { swap(&bytes, &textScratch) }
        bytes.removeAll(keepingCapacity: true)
        if hasFolder { folders.appendPath(of: folder(of: row), to: &bytes) }
        let index = readable(row)
        appendName(of: index, to: &bytes)
        // Other names are in ASCII; folders may be anything.
        if hasFolder || columns.flags[index].contains(.difference),
            bytes.contains(where: { $0 >= 0x80 })
        {
            return body(String(decoding: bytes, as: UTF8.self).utf8Span.span)
        }
        return body(bytes.span)
    }
}

/// The folder of the document that was put last: many that follow are in it, too. It is in use meanwhile.
struct LatestFolder {
    let root: String
    let path: [UInt8]
    let number: FolderNumber

    func has(_ root: String, _ path: ArraySlice<UInt8>) -> Bool {
        path.elementsEqual(self.path) && root.hasBytes(of: self.root)
    }
}

extension Span<UInt8> {
    /// The bytes as text; invalid ones are U+FFFD.
    fileprivate var text: String {
        // Read before the span ends.
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
