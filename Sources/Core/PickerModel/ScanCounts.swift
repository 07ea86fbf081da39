/// How far a scan of folders has come.
///
/// The number of all folders is not known before the end: a folder may have more in it.
package struct ScanCounts: Hashable, Sendable {
    /// Documents found so far, including those that were known before.
    package var documents: Int
    /// Folders that have been read.
    package var folders: Int
    /// Folders that are known and have not been read to their end.
    package var foldersWaiting: Int

    package init(documents: Int, folders: Int, foldersWaiting: Int) {
        self.documents = documents
        self.folders = folders
        self.foldersWaiting = foldersWaiting
    }
}
