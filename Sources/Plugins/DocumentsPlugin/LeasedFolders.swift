internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// How much clients may open beside the roots.
package struct LeaseLimits: Sendable {
    /// The most folders that are open.
    package var folders = 16
    /// The most of one session.
    package var ofSession = 8
    /// The most documents in all of them together, but for those that lie in roots.
    package var documents = 1_000_000

    package init() {}
}

/// The folders beside the roots that clients have opened as collections.
///
/// A folder has a number for a name, which no other folder gets in this run. It is followed as long as a session has it
/// open, and while a folder that is open lies in it, or it lies in one: so what another client sees does not change.
struct LeasedFolders {
    /// One of them.
    final class Folder {
        let collection: String
        /// Absolute, without links.
        let path: [UInt8]
        fileprivate(set) var holders = 0
        /// Whether it was given up, because there were too many documents.
        var isGivenUp = false

        fileprivate init(_ collection: String, _ path: [UInt8]) {
            self.collection = collection
            self.path = path
        }

        var isOpen: Bool { holders > 0 }
    }

    let limits: LeaseLimits
    /// In the order in which they were opened.
    private(set) var folders: [Folder] = []
    private var lastNumber = 0

    init(_ limits: LeaseLimits = LeaseLimits()) {
        self.limits = limits
    }

    /// The collections that are there.
    var open: [Folder] { folders.filter(\.isOpen) }

    /// Those to follow.
    var followed: [Folder] { folders.filter { !$0.isGivenUp } }

    /// The folder at a path, opened once more. `count` is the number of those that the session has open.
    /// - Throws: `limitExceeded`.
    mutating func open(_ path: [UInt8], besides count: Int) throws(ProtocolError) -> Folder {
        if count >= limits.ofSession {
            throw .limitExceeded(
                limit: limits.ofSession,
                "a client may have \(limits.ofSession) folders open: close one with collections.close"
            )
        }
        if let known = folders.first(where: { $0.path == path }) {
            if known.isGivenUp { throw tooManyDocuments(known) }
            if !known.isOpen { try checkCount() }
            known.holders += 1
            return known
        }
        try checkCount()
        lastNumber += 1
        let folder = Folder("c\(lastNumber)", path)
        folder.holders = 1
        folders.append(folder)
        return folder
    }

    private func checkCount() throws(ProtocolError) {
        if open.count < limits.folders { return }
        throw .limitExceeded(
            limit: limits.folders,
            "\(limits.folders) folders are open, as many as all clients may have together: close one with "
                + "collections.close")
    }

    private func tooManyDocuments(_ folder: Folder) -> ProtocolError {
        .limitExceeded(
            limit: limits.documents,
            "the folder was given up, as leased folders may have \(limits.documents) documents in all: open one "
                + "that has fewer")
    }

    /// Closes a folder once.
    func close(_ folder: Folder) { folder.holders -= 1 }

    /// Removes the folders that nobody needs.
    /// - Returns: whether there were any.
    mutating func removeUnneeded() -> Bool {
        let open = open
        let count = folders.count
        folders.removeAll { folder in
            !open.contains {
                Self.lies(folder.path, in: $0.path) || Self.lies($0.path, in: folder.path)
            } || !folder.isOpen && folder.isGivenUp
        }
        return folders.count != count
    }

    private static func lies(_ path: [UInt8], in other: [UInt8]) -> Bool {
        path.starts(with: other)
            && (path.count == other.count || path[other.count] == UInt8(ascii: "/"))
    }
}

/// What a session has open: it ends with the session.
final class FolderLease: SessionStream {
    let plugin = "documents"
    var place: (any StreamPlace)?
    let id: RequestID
    let folder: LeasedFolders.Folder
    private(set) weak var session: (any ClientSession)?
    private var end: ((FolderLease) -> Void)?

    init(
        _ folder: LeasedFolders.Folder, _ id: RequestID, of session: any ClientSession,
        _ end: @escaping (FolderLease) -> Void
    ) {
        self.folder = folder
        self.id = id
        self.session = session
        self.end = end
    }

    func produce(into sink: any LineSink) -> Bool { false }

    func close() { end.take()?(self) }
}
