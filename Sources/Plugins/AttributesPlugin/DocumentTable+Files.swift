internal import AttributeStorage
internal import PickerModel

// The files of documents, as the cache knows them and as readers are told of them.
extension DocumentTable {
    /// The file of a row, as the cache knows it.
    func version(of row: DocumentRow) -> FileVersion {
        let facts = facts(of: row)
        return FileVersion(
            root: root(of: row).bytes, inode: facts.inode, size: facts.size,
            modified: facts.modified)
    }

    /// The file of a document as it was when it was asked about.
    func version(of file: GroupReading.Asked) -> FileVersion {
        FileVersion(
            root: row(of: file.key).map { root(of: $0).bytes } ?? [], inode: file.facts.inode,
            size: file.facts.size, modified: file.facts.modified)
    }

    /// The files of documents. Those of one folder, which mostly follow each other, have the same root.
    func versions(of files: [GroupReading.Asked]) -> [FileVersion] {
        var folder: FolderNumber?
        var root: [UInt8] = []
        return files.map { file in
            let row = row(of: file.key)
            if let row, self.folder(of: row) != folder {
                folder = self.folder(of: row)
                let other = self.root(of: row).bytes
                if other != root { root = other }
            }
            return FileVersion(
                root: row == nil ? [] : root, inode: file.facts.inode, size: file.facts.size,
                modified: file.facts.modified)
        }
    }

    /// The row of a document; nil if it is gone, or its file is another by now.
    func row(ofUnchanged file: GroupReading.Asked) -> DocumentRow? {
        row(of: file.key).flatMap { facts(of: $0) == file.facts ? $0 : nil }
    }

    /// What a reader is told of a document.
    func fileToRead(_ row: DocumentRow, _ key: KeyNumber) -> ReadingBatch.File {
        ReadingBatch.File(
            key: text(of: key),
            path: root(of: row).bytes + [UInt8(ascii: "/")] + path(of: row).bytes,
            type: type(of: row).text, size: facts(of: row).size)
    }
}
