internal import ListRequests
internal import Observables
internal import PickerModel
internal import PluginInterface
internal import WireProtocol

// What has changed in the rows that the client has, as one delta.

extension ListStream {
    private var editing: RowEditing { RowEditing(documents: documents, request: shown.request) }

    /// Sends the changes since the last reset or delta, if there are any.
    ///
    /// - Returns: true if the client is up to date; false if a reset must follow.
    func sendDelta(
        _ rows: PickerList, into sink: any LineSink
    ) -> Bool {
        guard var now = state.takeSent() else { return true }
        let request = shown.request
        let touched = shown.takeTouched()
        let total = rows.items.count
        let window = window(in: rows)
        let range = window.range(in: total)
        // The untouched rows at the start and the end of the window.
        let count = now.items.rows.count
        let formerStart = min(now.window.start, max(0, now.total))
        let formerRange = formerStart..<(formerStart + count)
        var before = touched.cleanPrefix(of: range, was: formerRange)
        var after = touched.cleanSuffix(
            of: range, in: total, was: formerRange, in: now.total, prefix: before)
        // A client that resumes relies on a delta.
        let isResumed = now.isResumed
        // Other parts of all names are marked now.
        let marking = Marking(request, for: session)
        let isMarkedAnew = now.marking != marking
        // A window that follows an item may have gone with it to another part of the list.
        let hasMoved = window.anchor != nil && window.start != now.window.start
        if max(range.count, count) - before - after > rowsAtOnce, !isResumed {
            read(
                rows, from: isMarkedAnew ? nil : now,
                isAdopted || hasMoved || isMarkedAnew ? "update" : "large")
            return true
        }
        var newRows = rows.items[(range.lowerBound + before)..<(range.upperBound - after)]
            .map { ShownRow.item($0) }
        // Equal rows have not changed. Only those between the first and the last that differ are compared.
        let same = RowEditing.commonEnds(now.items.rows[before..<(count - after)], newRows)
        before += same.prefix
        after += same.suffix
        newRows = Array(newRows.dropFirst(same.prefix).dropLast(same.suffix))
        let oldRows = before..<(count - after)
        // A new query may replace most of a long window. Comparing the rows would then take longer than
        // sending them.
        if isAdopted || hasMoved, !isResumed,
            isMarkedAnew || max(oldRows.count, newRows.count) > comparedRows
        {
            state = .mustReset(reason: "update")
            return false
        }
        isAdopted = false
        now.marking = marking
        let edits = editing.edits(
            from: Array(now.items.rows[oldRows]), to: newRows, at: before, now.marking,
            unknown: now.unknown)
        now.items.replaceSubrange(oldRows, with: newRows)
        now.unknown = []

        let sent = now
        now.rev = documents.rev
        now.total = total
        now.isComplete = isComplete
        now.gen = request.gen
        now.window = window
        return send(edits, from: sent, to: now, into: sink)
    }

    /// Sends what a great change has made of the window, before the list is made again.
    /// - Returns: true if the client is up to date; false if a reset must follow.
    func sendDelta(_ preview: ShownList.Preview, into sink: any LineSink) -> Bool {
        guard let former = state.takeSent() else { return true }
        let now = current(preview)
        let old = former.items.rows
        let new = now.items.rows
        // It knows of some rows only that they may differ, or others are marked in them now.
        guard former.unknown.isEmpty, former.marking == now.marking,
            max(old.count, new.count) <= comparedRows
        else {
            state = .mustReset(reason: "large")
            shown.restore(preview)
            return false
        }
        let same = RowEditing.commonEnds(old[...], new)
        let edits = editing.edits(
            from: Array(old.dropFirst(same.prefix).dropLast(same.suffix)),
            to: Array(new.dropFirst(same.prefix).dropLast(same.suffix)), at: same.prefix,
            now.marking, unknown: [])
        if send(edits, from: former, to: now, into: sink) { return true }
        shown.restore(preview)
        return false
    }

    /// Sends edits as a delta.
    /// - Returns: false if it would not fit, and a reset must follow.
    func send(
        _ edits: WindowEdits, from former: SentRows, to sent: SentRows, into sink: any LineSink
    ) -> Bool {
        var now = sent
        guard former.isNews(now, edits) else {
            now.rev = former.rev
            windowPlace.remember(now.window)
            state = .following(now)
            return true
        }
        let delta = ItemsDelta(
            sub: id, gen: now.gen, from: former.rev, to: now.rev,
            token: documents.token(at: now.rev), total: now.total, start: now.window.start,
            complete: now.isComplete, deleted: edits.deleted, moved: edits.moved,
            inserted: edits.inserted, updated: edits.updated, fields: shown.request.fields)
        guard sink.sendIfItFits({ $0.notification(delta) }) else {
            state = .mustReset(reason: "large")
            return false
        }
        windowPlace.remember(now.window)
        state = .following(now)
        if !edits.inserted.isEmpty { attributes?.viewHasChanged() }
        followers.changed(by: delta)
        return true
    }

    /// Tells the client that its rows are those of an earlier revision, and are found again.
    func sendLateness(into sink: any LineSink) {
        guard case .following(var sent) = state, sent.isComplete else { return }
        sent.isComplete = false
        let delta = ItemsDelta(
            sub: id, gen: sent.gen, from: sent.rev, to: sent.rev,
            token: documents.token(at: sent.rev), total: sent.total, start: sent.window.start,
            complete: false, deleted: [], moved: [], inserted: [], updated: [],
            fields: shown.request.fields)
        // Without room it is told later, or the rows are there by then.
        guard sink.sendIfItFits({ $0.notification(delta) }) else { return }
        state = .following(sent)
        followers.changed(by: delta)
    }

    /// Sends what differs between two readings of a long window.
    func send(
        _ difference: RowDifference, from sent: SentRows, to now: SentRows, into sink: any LineSink
    ) {
        let edits = editing.edits(difference, from: sent, to: now)
        var now = now
        if isOvertaken(now) { now.isComplete = false }
        _ = send(edits, from: sent, to: now, into: sink)
    }
}
