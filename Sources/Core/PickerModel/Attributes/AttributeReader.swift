/// Reads files for their attributes.
package protocol AttributeReader: AnyObject {
    /// How many batches it takes at once; 0 while it takes none, as between two starts.
    var room: Int { get }
    /// The most files of one batch.
    var mostFiles: Int { get }
    /// Called when there is room again.
    var whenReady: (() -> Void)? { get set }

    /// Reads files, and calls `answer` once, later.
    func read(_ batch: ReadingBatch, _ answer: @escaping (ReadingOutcome) -> Void)
}

/// Files to be read.
package struct ReadingBatch {
    package struct File {
        package let key: String
        /// The absolute path, in bytes.
        package let path: [UInt8]
        package let type: String
        package let size: UInt64

        package init(key: String, path: [UInt8], type: String, size: UInt64) {
            self.key = key
            self.path = path
            self.type = type
            self.size = size
        }
    }

    package let group: String
    /// The names of the attributes.
    package let wanted: [String]
    /// Whether somebody looks at them.
    package let isUrgent: Bool
    /// Whether nobody asks for them.
    package let isBackground: Bool
    /// Whether it must be read while no other batch is, as its file may be the one that ended the reader.
    package let isAlone: Bool
    package let files: [File]

    package init(
        group: String, wanted: [String], isUrgent: Bool, isBackground: Bool = false,
        isAlone: Bool, files: [File]
    ) {
        self.group = group
        self.wanted = wanted
        self.isUrgent = isUrgent
        self.isBackground = isBackground
        self.isAlone = isAlone
        self.files = files
    }
}

/// What became of a batch.
package enum ReadingOutcome {
    /// What a file that was opened was.
    package struct Seen: Equatable {
        package let inode: UInt64
        package let size: UInt64
        package let modified: FileTime

        package init(inode: UInt64, size: UInt64, modified: FileTime) {
            self.inode = inode
            self.size = size
            self.modified = modified
        }
    }

    package enum Answer {
        /// By name; those that it has not are none. `seen` is nil if the reader does not know what it opened.
        case values([String: AttributeValue], seen: Seen?)
        /// It has none of them.
        case none(seen: Seen?)
        /// It can't be read.
        case failed(String)
        /// Not now.
        case later
    }

    /// An answer for each file, in their order.
    case answers([Answer])
    /// The reader ended while it had these files: one of them may be why, if it fell by itself.
    case ended(isFault: Bool)
    /// It did not read them: it did not answer in time, or not as it should.
    case refused(String)
}
