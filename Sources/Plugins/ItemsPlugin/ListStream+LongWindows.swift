internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

// Windows of so many rows that they are read in slices.

extension ListStream {
    /// Whether the window has too many rows to be read at once.
    func isLong(_ rows: PickerList) -> Bool {
        window(in: rows).range(in: rows.items.count).count > rowsAtOnce
    }

    /// Reads the window in slices, for a delta from what was sent, if that is given, or else a reset.
    func read(_ rows: PickerList, from former: SentRows?, _ reason: String) {
        isAdopted = false
        let work = WindowReading(
            window(in: rows), of: rows, comparedWith: former?.items,
            mostDiffering: comparedRows
        ) { [unowned self] in
            guard case .reading(var reading) = state,
                !windowPlace.hasLostItem(
                    reading.work.window, shown.request.window, in: rows, of: documents)
            else { return }
            _ = shown.takeTouched()
            reading.now = current(rows, reading.work.window, reading.work.rows)
            state = .reading(reading)
        }
        let ticket = surveys.begin(work) { [weak self] in self?.endReading() }
        state = .reading(.init(work: work, ticket: ticket, former: former, reason: reason))
    }

    private func endReading() {
        guard case .reading(let reading) = state else { return }
        if let end = reading.end { state = end } else { giveUp(reading) }
        requestRoom()
    }

    /// Goes back to what the client has.
    func giveUp(_ reading: ListTransfer.Reading) {
        shown.touchAll()
        isAdopted = reading.reason == "update"
        state = reading.before
    }
}
