// One regular file below a root, as lists and clients see it.
//
// A document is a value: an immutable storage object behind one pointer, so that sets, sorted orders and
// changes hold it in eight bytes. The derived forms of the name, for search and sort, are computed once per
// value. A changed file is a new value with the same key (`with…`).

/// One regular file below a root.
package struct Document: Sendable {
    private final class Storage: Sendable {
        let key: String
        let root: String
        let path: FileName
        let name: FileName
        let folded: FoldedName
        let size: UInt64
        let modified: FileTime
        let device: UInt64
        let inode: UInt64
        let type: MediaType
        let isLiked: Bool
        let isDropped: Bool

        init(
            key: String, root: String, path: FileName, name: FileName, folded: FoldedName,
            type: MediaType, size: UInt64, modified: FileTime, device: UInt64, inode: UInt64,
            isLiked: Bool, isDropped: Bool
        ) {
            self.key = key
            self.root = root
            self.path = path
            self.name = name
            self.folded = folded
            self.type = type
            self.size = size
            self.modified = modified
            self.device = device
            self.inode = inode
            self.isLiked = isLiked
            self.isDropped = isDropped
        }
    }

    private let storage: Storage

    /// A document. `path` is relative to `root`, which is absolute.
    /// - Complexity: O(n) in the length of the name, which is folded here.
    package init(
        key: String, root: String, path: FileName, size: UInt64, modified: FileTime,
        device: UInt64 = 0, inode: UInt64 = 0
    ) {
        let name = path.lastComponent
        storage = Storage(
            key: key, root: root, path: path, name: name, folded: FoldedName(name.text),
            type: MediaType(forName: name.text), size: size, modified: modified, device: device,
            inode: inode, isLiked: false, isDropped: false)
    }

    private init(storage: Storage) {
        self.storage = storage
    }

    /// Distinguishes this value from all others that exist while it is retained.
    var identity: ObjectIdentifier { ObjectIdentifier(storage) }

    /// Unchanged when the file is renamed, moved within the roots, or saved over.
    package var key: String { storage.key }
    /// The absolute path of the watched folder.
    package var root: String { storage.root }
    /// Relative to `root`.
    package var path: FileName { storage.path }
    /// The last part of `path`.
    package var name: FileName { storage.name }
    /// In bytes.
    package var size: UInt64 { storage.size }
    package var modified: FileTime { storage.modified }
    /// Derived from the name's suffix.
    package var type: MediaType { storage.type }
    /// Whether the user likes it.
    package var isLiked: Bool { storage.isLiked }
    /// Whether the user dropped it from the lists.
    package var isDropped: Bool { storage.isDropped }
    /// Together with `inode`, identifies the file, whatever its name.
    package var device: UInt64 { storage.device }
    package var inode: UInt64 { storage.inode }
    /// The exact bytes of the name, if it is not UTF-8.
    package var nameBytes: [UInt8]? { storage.name.rawBytes }
    /// The exact bytes of the path, if it is not UTF-8.
    package var pathBytes: [UInt8]? { storage.path.rawBytes }
    /// The name as used by search and sort.
    package var foldedName: FoldedName { storage.folded }

    /// A document with only a key or path, for lookups.
    static func probe(key: String = "", root: String = "", path: FileName = FileName(""))
        -> Document
    {
        Document(
            storage: Storage(
                key: key, root: root, path: path, name: path, folded: .empty, type: .unknown,
                size: 0, modified: FileTime(seconds: 0), device: 0, inode: 0, isLiked: false,
                isDropped: false))
    }

    /// A placeholder for a document of which only the key is known. It equals no real document.
    package static func unknown(key: String) -> Document { probe(key: key) }

    /// The same document with other contents.
    /// - Complexity: O(1).
    package func with(size: UInt64, modified: FileTime) -> Document {
        copy(size: size, modified: modified)
    }

    /// The same document as another file, as after a save by write and rename.
    /// - Complexity: O(1).
    package func with(
        size: UInt64, modified: FileTime, device: UInt64, inode: UInt64
    ) -> Document {
        copy(size: size, modified: modified, device: device, inode: inode)
    }

    /// The same file under another key.
    /// - Complexity: O(1).
    package func with(key: String) -> Document {
        copy(key: key)
    }

    /// The same document at another path; its name is folded again only if it differs.
    package func with(root: String, path: FileName) -> Document {
        let name = path.lastComponent
        let isSame = name == storage.name
        return Document(
            storage: Storage(
                key: key, root: root, path: path, name: name,
                folded: isSame ? storage.folded : FoldedName(name.text),
                type: isSame ? type : MediaType(forName: name.text), size: size,
                modified: modified, device: device, inode: inode, isLiked: isLiked,
                isDropped: isDropped))
    }

    /// The same document, liked or not.
    /// - Complexity: O(1).
    package func with(isLiked: Bool) -> Document {
        copy(isLiked: isLiked)
    }

    /// The same document, dropped or not.
    /// - Complexity: O(1).
    package func with(isDropped: Bool) -> Document {
        isDropped == self.isDropped ? self : copy(isDropped: isDropped)
    }

    private func copy(
        key: String? = nil, size: UInt64? = nil, modified: FileTime? = nil,
        device: UInt64? = nil, inode: UInt64? = nil, isLiked: Bool? = nil, isDropped: Bool? = nil
    ) -> Document {
        Document(
            storage: Storage(
                key: key ?? self.key, root: root, path: path, name: name, folded: storage.folded,
                type: type, size: size ?? self.size, modified: modified ?? self.modified,
                device: device ?? self.device, inode: inode ?? self.inode,
                isLiked: isLiked ?? self.isLiked, isDropped: isDropped ?? self.isDropped))
    }
}

extension Document: Hashable {
    package static func == (left: Document, right: Document) -> Bool {
        let (left, right) = (left.storage, right.storage)
        if left === right { return true }
        return left.key == right.key && left.inode == right.inode && left.size == right.size
            && left.modified == right.modified && left.device == right.device
            && left.isLiked == right.isLiked && left.isDropped == right.isDropped
            && left.path == right.path && left.root.hasBytes(of: right.root)
    }

    /// The key alone, which is unique in every set of documents.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(storage.key)
    }
}

extension Document {
    /// Whether both have the same file with the same contents, whatever their paths and marks.
    func hasFile(of other: Document) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
            && device == other.device
    }
}

extension Document: CustomStringConvertible {
    package var description: String { "\(key) \(root)/\(path.text)" }
}
