internal import JSONText
internal import WireProtocol

/// How far the daemon has read its folders.
///
/// The number of all folders is not known before the end: each may have more in it.
public struct ScanProgress: Hashable, Sendable {
    /// The number of documents found so far.
    public let documents: Int
    /// The number of folders that were read.
    public let folders: Int
    /// The number of folders that are known and have not been read.
    public let foldersWaiting: Int

    init(_ progress: RequestProgress) {
        documents = progress.documents
        folders = progress.folders
        foldersWaiting = progress.foldersWaiting
    }

    /// The progress of some roots together; nil if none is being read.
    package init?(of roots: [DaemonStatus.Root]) {
        let scanning = roots.filter { $0.folders != nil }
        if scanning.isEmpty { return nil }
        documents = roots.reduce(0) { $0 + $1.documents }
        folders = scanning.reduce(0) { $0 + ($1.folders ?? 0) }
        foldersWaiting = scanning.reduce(0) { $0 + ($1.foldersWaiting ?? 0) }
    }
}

extension DaemonRequest {
    /// The same request, which asks for progress while it waits for a scan. A daemon that has none ignores
    /// that.
    var withProgress: DaemonRequest {
        var members = (try? parameters.fragment.value().objectValue) ?? [:]
        members["progress"] = true
        return DaemonRequest(method, RawJSON(members), read: read)
    }
}
