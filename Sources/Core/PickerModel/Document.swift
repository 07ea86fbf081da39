// One regular file below a root, as the list and its clients see it.
//
// A document is a value: an immutable storage object behind one pointer, so that sets, sorted
// orders and changes can hold it for eight bytes. What searching and sorting need of the name is
// made once, with the value. A file that changes is a new value with the same key (`with…`).

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

    /// Tells this value from any other that there is at the same time, for as long as it is held.
    var identity: ObjectIdentifier { ObjectIdentifier(storage) }

    /// Stays the same while the file is renamed, moved within the roots, or saved over.
    package var key: String { storage.key }
    /// The absolute path of the folder that is watched.
    package var root: String { storage.root }
    /// Relative to `root`.
    package var path: FileName { storage.path }
    /// The last part of `path`.
    package var name: FileName { storage.name }
    /// In bytes.
    package var size: UInt64 { storage.size }
    package var modified: FileTime { storage.modified }
    /// By the name's suffix.
    package var type: MediaType { storage.type }
    /// Whether somebody marked it as one they like.
    package var isLiked: Bool { storage.isLiked }
    /// Whether somebody took it out of the lists.
    package var isDropped: Bool { storage.isDropped }
    /// With `inode`, the file itself, whatever it is called.
    package var device: UInt64 { storage.device }
    package var inode: UInt64 { storage.inode }
    /// The true bytes of the name, only if it is not UTF-8.
    package var nameBytes: [UInt8]? { storage.name.rawBytes }
    /// The true bytes of the path, only if it is not UTF-8.
    package var pathBytes: [UInt8]? { storage.path.rawBytes }
    /// The name as it is searched and sorted.
    package var foldedName: FoldedName { storage.folded }

    /// A document with a key or a place and nothing else, to look others up by.
    static func probe(key: String = "", root: String = "", path: FileName = FileName(""))
        -> Document
    {
        Document(
            storage: Storage(
                key: key, root: root, path: path, name: path, folded: .empty, type: .unknown,
                size: 0, modified: FileTime(seconds: 0), device: 0, inode: 0, isLiked: false,
                isDropped: false))
    }

    /// Stands for a document of which only the key is known. It is equal to none that there is.
    package static func unknown(key: String) -> Document { probe(key: key) }

    /// The same document with another content.
    /// - Complexity: O(1).
    package func with(size: UInt64, modified: FileTime) -> Document {
        copy(size: size, modified: modified)
    }

    /// The same document as another file, as after a save that wrote beside and renamed over.
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

    /// The same document elsewhere; its name is folded anew only if that differs.
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

    /// By the key alone, which tells documents apart in every set that there is.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(storage.key)
    }
}

extension Document {
    /// Whether both show the same file in the same state, wherever it is and however it is marked.
    func hasFile(of other: Document) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
            && device == other.device
    }
}

extension Document: CustomStringConvertible {
    package var description: String { "\(key) \(root)/\(path.text)" }
}
