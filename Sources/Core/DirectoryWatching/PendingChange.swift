// The change of one file since the last commit.

import PickerModel
import SystemInterface

/// The identifier of a document in the store and the tree.
typealias DocumentKey = String

/// Whether the store minted one key before another. A key is a letter and a number without leading zeros
/// (`DocumentStore.mintKey`): the shorter is the older.
func isOlder(_ key: DocumentKey, than other: DocumentKey) -> Bool {
    let (length, otherLength) = (key.utf8.count, other.utf8.count)
    return length == otherLength ? key < other : length < otherLength
}

/// The change of a key at the next commit.
enum PendingChange {
    /// The file has this name now. Without facts it was not checked and keeps those in the store.
    case present(WatchedFolder, [UInt8], FileFacts?)
    /// Half of a move was seen; its meaning is decided soon.
    case halfMoved
    /// The file left the tree; another name of the same identity may take the key.
    case gone(identity: UInt64)

    /// Whether a commit can apply it.
    var isDecided: Bool {
        switch self {
        case .halfMoved: false
        case .present(let folder, _, _): folder.attachedRoot != nil
        case .gone: true
        }
    }
}

/// The properties of a file that its document shows, besides the name.
struct FileFacts: Equatable {
    var size: UInt64
    var modified: PickerModel.FileTime
    var device: UInt64
    var inode: UInt64

    init(_ status: FileStatus) {
        size = status.size
        modified = PickerModel.FileTime(
            seconds: status.modified.seconds, nanoseconds: status.modified.nanoseconds)
        device = status.device
        inode = status.inode
    }

    init(_ document: Document) {
        size = document.size
        modified = document.modified
        device = document.device
        inode = document.inode
    }
}
