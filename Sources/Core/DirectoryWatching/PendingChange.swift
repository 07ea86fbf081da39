// The change of one file since the last commit.

import PickerModel
import SystemInterface

/// The identifier of a document in the store and the tree; an older one is less.
typealias DocumentKey = KeyNumber

/// The properties of a file that its document shows, besides the name.
typealias FileFacts = DocumentFacts

/// The change of a key at the next commit.
enum PendingChange {
    /// The file has this name now. Without facts it was not checked and keeps those in the store.
    case present(WatchedFolder, [UInt8], FileFacts?)
    /// Half of a move was seen; its meaning is decided soon.
    case halfMoved
    /// The file left the tree; another name of the same identity may take the key.
    case gone(identity: UInt64)

    var isHalfMoved: Bool {
        if case .halfMoved = self { true } else { false }
    }

    /// Whether a commit can apply it.
    var isDecided: Bool {
        switch self {
        case .halfMoved: false
        case .present(let folder, _, _): folder.attachedRoot != nil
        case .gone: true
        }
    }
}

extension DocumentFacts {
    init(_ status: FileStatus) {
        self.init(
            size: status.size,
            modified: PickerModel.FileTime(
                seconds: status.modified.seconds, nanoseconds: status.modified.nanoseconds),
            device: status.device, inode: status.inode)
    }
}

extension DocumentStore {
    /// What the document with that key shows of its file.
    func facts(of key: DocumentKey) -> FileFacts? {
        table.row(of: key).map { table.facts(of: $0) }
    }

    func has(_ key: DocumentKey) -> Bool { table.row(of: key) != nil }
}
