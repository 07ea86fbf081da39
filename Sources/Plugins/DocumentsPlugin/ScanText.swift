internal import DirectoryWatching
internal import PickerModel

extension ScanCounts {
    /// The progress of the scans under way, in one; nil if there is none.
    ///
    /// During a first scan, roots that are done already count, too, so that no number falls when one is.
    init?(of roots: [RootStatus], isFirst: Bool) {
        if !roots.contains(where: { $0.progress != nil }) { return nil }
        self.init(documents: 0, folders: 0, foldersWaiting: 0)
        for root in roots {
            documents += root.documents
            folders += root.progress?.folders ?? (isFirst ? root.foldersScanned : 0)
            foldersWaiting += root.progress?.foldersWaiting ?? 0
        }
    }
}

extension ScanCounts? {
    /// The line for `systemctl status`.
    func status(documents: Int, isFirst: Bool) -> String {
        let found = counted(documents, "document")
        guard let self else { return isFirst ? "scanning: \(found) so far" : "serving \(found)" }
        let read = counted(self.folders, "folder")
        let waiting = counted(self.foldersWaiting, "folder")
        let wait = self.foldersWaiting == 1 ? "waits" : "wait"
        return isFirst
            ? "scanning: \(found) in \(read) so far, \(waiting) \(wait)"
            : "serving \(found); reading again: \(read) so far, \(waiting) \(wait)"
    }
}

/// For example "1 folder", "12,000 folders".
private func counted(_ number: Int, _ what: String) -> String {
    var digits = Array(String(number))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return String(digits) + (number == 1 ? " \(what)" : " \(what)s")
}
