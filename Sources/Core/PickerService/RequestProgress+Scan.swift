internal import PickerModel
internal import WireProtocol

extension RequestProgress {
    /// The progress of a scan.
    init(_ counts: ScanCounts, of id: RequestID) {
        self.init(
            id: id, documents: counts.documents, folders: counts.folders,
            foldersWaiting: counts.foldersWaiting)
    }
}
