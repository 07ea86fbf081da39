internal import PickerClient
internal import TerminalCells

// What a state wants of the world. Each is cheap to make and to compare: it is asked for after each event.

extension PickState {
    /// The list that is shown.
    package var wantedList: WantedList? {
        if outcome != nil { return nil }
        var query = listQuery
        let window = self.window
        query.start = window.start
        query.anchor = window.anchor
        query.offset = window.offset
        query.count = windowRows
        query.highlights = true
        if let limit, window.anchor == nil {
            query.count = max(1, min(windowRows, limit - window.start))
        }
        return WantedList(number: queryNumber, query: query)
    }

    /// The list without a window.
    var listQuery: ListQuery {
        ListQuery(
            sort: sort, search: reading.search, match: reading.match,
            filter: reading.filter, fields: options.fields, collections: options.collections)
    }

    /// The marked documents, which are to be followed wherever they are.
    package var wantedMarked: KeysRequest? { outcome == nil ? followed : nil }

    package var wantedRange: RangeRequest? { outcome == nil ? pendingRange?.request : nil }

    package var wantedPreview: PreviewRequest? {
        guard outcome == nil, let target = preview.target else { return nil }
        return target.request(
            preview.number, terms: options.previewCommand == nil ? reading.terms : [],
            command: options.previewCommand)
    }

    /// A command that is not told what is typed does not run again for it.
    private var previewDependsOnQuery: Bool { options.previewCommand?.contains("{q}") ?? true }

    /// Notes of which document, and which state of it, there is to be a preview.
    mutating func watchPreview() {
        var target: PickPreview.Target?
        if let area = places.preview, preview.isShown, let item = cursor.item {
            target = PickPreview.Target(
                item, in: TerminalSize(rows: area.rows, columns: area.columns),
                search: previewDependsOnQuery ? typed.text : "",
                on: options.previewCommand == nil ? terminal : TerminalFeatures())
        }
        preview.show(target, numberedAfter: &lastNumber)
    }

    /// The documents for which actions are to be offered.
    package var wantedOffer: KeysRequest? {
        guard outcome == nil, case .actions(let menu)? = overlay, menu.actions == nil else {
            return nil
        }
        return KeysRequest(number: menu.number, keys: menu.keys)
    }

    /// Those that were not done when the state was made, in their order.
    package var wantedCommands: [PickCommand] { commands }

    /// A time limit: its number, and milliseconds. Nil at rest, so that nothing wakes the program.
    package var wantedTimer: TimerRequest? {
        if outcome != nil { return nil }
        if let heldTimer { return TimerRequest(number: heldTimer, milliseconds: 1000) }
        if let click { return TimerRequest(number: click.timer, milliseconds: 400) }
        if let staleTimer { return TimerRequest(number: staleTimer, milliseconds: 200) }
        return flashing.timer.map {
            TimerRequest(number: $0, milliseconds: PickFlash.milliseconds)
        }
    }
}

/// A time after which `PickEvent.timeOut` is to come.
package struct TimerRequest: Hashable, Sendable {
    package var number: Int
    package var milliseconds: Int

    package init(number: Int, milliseconds: Int) {
        self.number = number
        self.milliseconds = milliseconds
    }
}
