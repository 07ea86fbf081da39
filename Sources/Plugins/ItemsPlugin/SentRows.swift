internal import ListRequests
internal import PickerModel

/// The rows of one window as a client has them, or is about to, with what it was told of them.
struct SentRows {
    var rev: Int
    /// The rows of the whole list; less than 0 if the client is to be sent a delta whatever has changed.
    var total: Int
    /// Whether nothing more is to come while no document changes.
    var isComplete: Bool
    /// The request that these rows answer.
    var gen: Int
    /// The window, where it was.
    var window: ListWindow
    let items: ShownRows
    /// What is marked in the rows.
    var marking: Marking
    /// The keys of rows that the client may have in any state; they need not exist.
    var unknown: Set<String> = []

    /// The rows of a client that resumes: no list has their total, so a delta is sent even if nothing has changed.
    static let anyTotal = -1

    /// Whether the client resumes, and relies on a delta.
    var isResumed: Bool { total < 0 }

    /// Whether the client is to be told that its rows are now those of `next`, which differ from these by `edits`.
    /// A change outside the window, or in fields that the client did not ask for, is none for it.
    func isNews(_ next: SentRows, _ edits: WindowEdits) -> Bool {
        !edits.isEmpty || next.total != total || next.isComplete != isComplete || next.gen != gen
            || next.window.start != window.start
    }
}
