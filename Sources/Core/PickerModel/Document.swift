// One regular file below a root, as lists and clients see it.
//
// A document is a value: an immutable storage object behind one pointer. A changed file is a new value with the
// same key (`with…`). The documents of a `DocumentStore` are rows of its table; values are made of them for what
// is told or kept, such as a change, or the rows that a client was sent.

/// One regular file below a root.
package struct Document: Sendable {
    private struct Fields: Sendable {
        var key: String
        var root: String
        var path: FileName
        var name: FileName
        var size: UInt64
        var modified: FileTime
        var device: UInt64 = 0
        var inode: UInt64 = 0
        var isLiked = false
        var isDropped = false
        /// If it is not the one of its name.
        var type: MediaType?
        var attributes: [Attribute: AttributeValue] = [:]
    }

    private final class Storage: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private let storage: Storage

    /// A document. `path` is relative to `root`, which is absolute.
    package init(
        key: String, root: String, path: FileName, size: UInt64, modified: FileTime,
        device: UInt64 = 0, inode: UInt64 = 0
    ) {
        self.init(
            key: key, root: root, path: path, name: path.lastComponent, size: size,
            modified: modified, device: device, inode: inode, isLiked: false, isDropped: false)
    }

    /// A document with all that it has. `name` is the last part of `path`.
    init(
        key: String, root: String, path: FileName, name: FileName, size: UInt64,
        modified: FileTime, device: UInt64, inode: UInt64, isLiked: Bool, isDropped: Bool,
        type: MediaType? = nil
    ) {
        self.init(
            Fields(
                key: key, root: root, path: path, name: name, size: size, modified: modified,
                device: device, inode: inode, isLiked: isLiked, isDropped: isDropped,
                type: type))
    }

    private init(_ fields: Fields) {
        storage = Storage(fields)
    }

    /// Unchanged when the file is renamed, moved within the roots, or saved over.
    package var key: String { storage.fields.key }
    /// The absolute path of the watched folder.
    package var root: String { storage.fields.root }
    /// Relative to `root`.
    package var path: FileName { storage.fields.path }
    /// The last part of `path`.
    package var name: FileName { storage.fields.name }
    /// In bytes.
    package var size: UInt64 { storage.fields.size }
    package var modified: FileTime { storage.fields.modified }
    /// By the name, or as the source says of which it is an item.
    /// - Complexity: O(n) in the length of the name.
    package var type: MediaType { storage.fields.type ?? MediaType(forName: name.text) }
    /// Whether the user likes it.
    package var isLiked: Bool { storage.fields.isLiked }
    /// Whether the user dropped it from the lists.
    package var isDropped: Bool { storage.fields.isDropped }
    /// What is known of it besides the file, as far as somebody wants that.
    package var attributes: [Attribute: AttributeValue] { storage.fields.attributes }
    /// Together with `inode`, identifies the file, whatever its name.
    package var device: UInt64 { storage.fields.device }
    package var inode: UInt64 { storage.fields.inode }
    /// The name as used by search and sort.
    /// - Complexity: O(n), as it is folded anew.
    package var foldedName: FoldedName { FoldedName(name.text) }

    /// Stands for a document of which only the key is known, as of a client that resumes. It equals no real document.
    package static func unknown(key: String) -> Document {
        let nothing = FileName("")
        return Document(
            Fields(
                key: key, root: "", path: nothing, name: nothing, size: 0,
                modified: FileTime(seconds: 0)))
    }

    /// The same document with other contents; with another device and inode, as after a save by write and
    /// rename, if they are given.
    /// - Complexity: O(1).
    package func with(
        size: UInt64, modified: FileTime, device: UInt64? = nil, inode: UInt64? = nil
    ) -> Document {
        var fields = storage.fields
        fields.size = size
        fields.modified = modified
        if let device { fields.device = device }
        if let inode { fields.inode = inode }
        return Document(fields)
    }

    /// The same document at another path.
    package func with(root: String, path: FileName) -> Document {
        var fields = storage.fields
        fields.root = root
        fields.path = path
        fields.name = path.lastComponent
        return Document(fields)
    }

    /// The same document, liked or not.
    /// - Complexity: O(1).
    package func with(isLiked: Bool) -> Document {
        var fields = storage.fields
        fields.isLiked = isLiked
        return Document(fields)
    }

    /// The same document, with these attributes and no others.
    /// - Complexity: O(1).
    package func with(attributes: [Attribute: AttributeValue]) -> Document {
        var fields = storage.fields
        fields.attributes = attributes
        return Document(fields)
    }

    /// The same document of another type than that of its name.
    /// - Complexity: O(1).
    package func with(type: MediaType) -> Document {
        var fields = storage.fields
        fields.type = type
        return Document(fields)
    }

    /// The same document, dropped or not.
    /// - Complexity: O(1).
    package func with(isDropped: Bool) -> Document {
        if isDropped == self.isDropped { return self }
        var fields = storage.fields
        fields.isDropped = isDropped
        return Document(fields)
    }
}

extension Document: Hashable {
    package static func == (left: Document, right: Document) -> Bool {
        if left.storage === right.storage { return true }
        return left.key == right.key && left.inode == right.inode && left.size == right.size
            && left.modified == right.modified && left.device == right.device
            && left.isLiked == right.isLiked && left.isDropped == right.isDropped
            && left.storage.fields.type == right.storage.fields.type
            && left.attributes == right.attributes && left.path == right.path
            && left.root.hasBytes(of: right.root)
    }

    /// The key alone, which is unique in every set of documents.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(key)
    }
}

extension Document: CustomStringConvertible {
    package var description: String { "\(key) \(root)/\(path.text)" }
}
