internal import ListRequests
internal import PickerModel

/// Where a list's window is. One that follows an item is where that item is, and stays where the client has it while the
/// item is not in the list.
struct WindowPlace {
    /// The window that follows an item, where the client has it.
    private var anchored: ListWindow?

    /// Remembers where the client has the window.
    mutating func remember(_ window: ListWindow) {
        anchored = window.anchor == nil ? nil : window
    }

    /// The wanted window as it is now.
    func window(
        _ wanted: ListWindow, in rows: PickerList, of documents: DocumentStore
    ) -> ListWindow {
        guard let anchor = wanted.anchor else { return wanted }
        let isSame = anchored?.anchor == anchor && anchored?.count == wanted.count
        return wanted.placed(
            in: rows, of: documents, otherwise: isSame ? anchored?.start ?? 0 : 0)
    }

    /// Whether a window was placed by an item that has gone from the list since, so that it belongs elsewhere: where the
    /// client has it.
    func hasLostItem(
        _ placed: ListWindow, _ wanted: ListWindow, in rows: PickerList,
        of documents: DocumentStore
    ) -> Bool {
        placed.missesAnchor(in: rows, of: documents)
            && window(wanted, in: rows, of: documents).start != placed.start
    }
}
