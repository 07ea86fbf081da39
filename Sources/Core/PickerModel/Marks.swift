/// The user's marks of a document.
package struct Marks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let liked = Marks(rawValue: 1)
    /// It is in no list; the file is kept.
    package static let dropped = Marks(rawValue: 2)
    /// It has a `VisitScore`. No list shows that: the document's row does not have it.
    package static let visited = Marks(rawValue: 4)

    /// All marks.
    package static let all: Marks = [.liked, .dropped, .visited]
}

/// A file's path and the attributes by which it is identified again.
package struct MarkedFile: Hashable, Sendable {
    package let place: DocumentPlace
    package let inode: UInt64
    package let size: UInt64
    package let modified: FileTime

    package init(place: DocumentPlace, inode: UInt64, size: UInt64, modified: FileTime) {
        self.place = place
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    package init(_ document: Document) {
        self.init(
            place: DocumentPlace(root: document.root, path: document.path),
            inode: document.inode, size: document.size, modified: document.modified)
    }

    /// Whether it is a file, rather than an item of a source: those have no inodes.
    var isFile: Bool { place.root.utf8.first == UInt8(ascii: "/") }

    /// Whether it is the same file with the same contents, whatever its path. An inode number alone is reused
    /// for another file once this one is gone.
    func hasContent(of other: MarkedFile) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}

/// A root, and a path below it.
package struct DocumentPlace: Hashable, Sendable {
    package let root: String
    package let path: FileName

    package init(root: String, path: FileName) {
        self.root = root
        self.path = path
    }

    package static func == (left: DocumentPlace, right: DocumentPlace) -> Bool {
        left.path == right.path && left.root.hasBytes(of: right.root)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(path)
    }
}

/// A mark as it is stored.
package struct StoredMark: Hashable, Sendable {
    /// Its identifier in the store.
    package let id: Int64
    package var marks: Marks
    /// Its visits, if it has the mark `visited`.
    package var visits: VisitScore?
    package var file: MarkedFile
    /// The time when the file disappeared, in seconds since 1970; nil while it exists.
    package var goneSince: Int64?

    package init(
        id: Int64, marks: Marks, visits: VisitScore? = nil, file: MarkedFile,
        goneSince: Int64? = nil
    ) {
        precondition(marks.contains(.visited) == (visits != nil), "visits have a score")
        self.id = id
        self.marks = marks
        self.visits = visits
        self.file = file
        self.goneSince = goneSince
    }
}

/// Changes of the marks, for a store.
package struct MarkChanges: Equatable, Sendable {
    /// New and changed marks.
    package var puts: [StoredMark] = []
    /// The ids of removed marks.
    package var removals: [Int64] = []

    package init(puts: [StoredMark] = [], removals: [Int64] = []) {
        self.puts = puts
        self.removals = removals
    }

    package var isEmpty: Bool { puts.isEmpty && removals.isEmpty }
}
