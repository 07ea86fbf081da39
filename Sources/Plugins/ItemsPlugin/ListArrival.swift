internal import ListRequests
internal import PickerModel

/// Makes a list, and tells the rows of a window before; first without the number of all, where that takes longer.
///
/// Nobody waits for the list once they are told, unless the documents have changed since: then the rows are found again
/// when the documents are quiet, at most as often as the list has had as much work. While more changes are known to
/// come, all of this rests.
final class ListArrival: SlicedWork {
    private(set) var stepsTaken = 0
    let making: ListMaking
    private let documents: DocumentStore
    private let newPreview: (_ isAfterChange: Bool) -> ListPreview?
    private let tell: (ListPreview) -> Void
    private var preview: ListPreview?
    /// The revision of the rows that were told last, and whether they were all.
    private var told: (rev: Int, isWhole: Bool)?
    /// The steps that these rows took, and those of the list by then.
    private var previewSteps = 0
    private var stepsBefore = 0
    private var isResting = false
    /// How often rows were told before it is known how many there are.
    private var earlyTold = 0
    private(set) var hasNews = false

    /// - Parameters:
    ///   - making: the work that makes the list.
    ///   - documents: those of the list.
    ///   - isAfterChange: whether the documents are to be quiet before the rows are found.
    ///   - newPreview: finds the rows; nil if they are those of the list only. It is told whether the documents are to
    ///     be quiet before.
    ///   - tell: called with what has found the rows, each time.
    init(
        _ making: ListMaking, of documents: DocumentStore, isAfterChange: Bool,
        preview newPreview: @escaping (_ isAfterChange: Bool) -> ListPreview?,
        _ tell: @escaping (ListPreview) -> Void
    ) {
        self.making = making
        self.documents = documents
        self.newPreview = newPreview
        self.tell = tell
        preview = newPreview(isAfterChange)
    }

    private var areRowsOld: Bool { told.map { $0.rev != documents.rev } ?? false }

    var isAwaited: Bool { told.map { !$0.isWhole } ?? true || areRowsOld }
    var isWaiting: Bool { isResting || preview?.isWaiting ?? making.isWaiting }
    var isPatient: Bool { isResting || preview?.isPatient ?? making.isPatient }

    func advance(budget: Int) -> Bool {
        hasNews = false
        isResting = told != nil && documents.areMoreComing()
        if isResting {
            stepsTaken += 1
            return false
        }
        if preview == nil, areRowsOld,
            making.isWaiting || making.stepsTaken - stepsBefore >= previewSteps
        {
            preview = newPreview(true)
        }
        guard let preview else { return run(making, budget) }
        guard run(preview, budget) else {
            if earlyTold < preview.earlyCount {
                earlyTold = preview.earlyCount
                hasNews = true
                tell(preview)
            }
            return false
        }
        self.preview = nil
        told = (preview.result?.rev ?? documents.rev, preview.isWhole)
        previewSteps = preview.stepsTaken
        stepsBefore = making.stepsTaken
        hasNews = true
        tell(preview)
        return false
    }

    private func run(_ work: any SlicedWork, _ budget: Int) -> Bool {
        let before = work.stepsTaken
        defer { stepsTaken += max(1, work.stepsTaken - before) }
        return work.advance(budget: budget)
    }
}
