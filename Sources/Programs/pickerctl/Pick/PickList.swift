package import PickerClient
package import Picking

// The list of a picker: a live list that follows the one that is wanted.
//
// One change is on its way to the daemon at a time; what is wanted meanwhile waits, and only the newest is sent. So the
// daemon's list never differs from the one that a change is computed from, even if one is refused.
//
// Rows are told with the number of the query that they answer, also while another one is on its way.
//
// The marked documents are such a list, too.
//
// The row that makes a new document is the first exactly while there is no search. Nobody is told of it: windows are asked
// for with it, and places and totals are told without it.

/// Rows of the list that a picker wants.
package final class PickList {
    /// What the daemon was asked for.
    private struct Asked: Equatable {
        let wanted: WantedList
        /// The same, with the daemon's rows.
        let query: ListQuery
        /// Whether the row for a new document is in the list.
        var hasNew: Bool { (wanted.query.search ?? "").isEmpty }
    }

    /// Called at the end of a turn in which rows changed.
    package var onRows: (RowsUpdate) -> Void = { _ in }
    /// Called when the daemon refuses the list.
    package var onRefusal: (String) -> Void = { _ in }

    private let loop: PollLoop
    /// The members of the rows, of which a list can't change.
    private let fields: [String]?
    private let list: LiveList
    private var connection: PickerConnection?
    /// The name of a folder that was opened, on this connection.
    private var collection: String?
    private var wanted: WantedList?
    private var asked: Asked?
    /// What the daemon has accepted, and what the rows answer.
    private var accepted: Asked?
    private var shown: Asked?
    /// The list was refused when it was opened.
    private var refused: WantedList?
    private var isOpen = false
    private var isAsking = false
    /// Counts what was sent; an answer to anything but the latest has no meaning.
    private var serial = 0
    private var isScheduled = false
    private var isTelling = false
    private var isNewHistory = false

    package init(on loop: PollLoop, fields: [String]?) {
        self.loop = loop
        self.fields = fields
        list = LiveList(ListQuery())
        list.onChange = { [weak self] in self?.take($0) }
        list.onError = { [weak self] in self?.fail($0) }
        list.onReopen = { [weak self] _ in self?.reopened() }
    }

    /// Follows a list from the end of this turn on; none closes it.
    package func follow(_ wanted: WantedList?) {
        if wanted == self.wanted { return }
        self.wanted = wanted
        askSoon()
    }

    /// Goes on with another connection, with the documents of `collection` besides those of the query.
    package func attach(to connection: PickerConnection, collection: String?) {
        self.connection = connection
        self.collection = collection
        isOpen = false
        refused = nil
        askSoon()
    }

    /// Ends it.
    package func close() {
        list.close()
        connection = nil
    }

    private func askSoon() {
        if isScheduled { return }
        isScheduled = true
        loop.atEndOfTurn { [weak self] in
            self?.isScheduled = false
            self?.ask()
        }
    }

    private func ask() {
        guard let wanted else {
            list.close()
            isOpen = false
            return
        }
        guard let connection, connection.isOpen else { return }
        if isOpen {
            if !isAsking, asked?.wanted != wanted { change(to: asking(for: wanted)) }
        } else if refused != wanted {
            open(asking(for: wanted), on: connection)
        }
    }

    private func asking(for wanted: WantedList) -> Asked {
        Asked(wanted: wanted, query: Self.query(wanted.query, fields, collection))
    }

    private func open(_ new: Asked, on connection: PickerConnection) {
        isOpen = true
        asked = new
        reopened()
        // It is not open, so this only says what it is opened with.
        list.close()
        list.update(to: new.query)
        list.attach(to: connection)
    }

    /// All that comes from now on answers what was asked for last.
    private func reopened() {
        serial += 1
        isAsking = false
        accepted = asked
        if asked?.wanted != wanted { askSoon() }
    }

    private func change(to new: Asked) {
        isAsking = true
        asked = new
        serial += 1
        let sent = serial
        list.update(to: new.query).then {
            [weak self] outcome in
            guard let self, serial == sent else { return }
            isAsking = false
            switch outcome {
            case .success: accepted = new
            case .failure(let error):
                if error.code == .refused { onRefusal("\(error)") }
            }
            if wanted != new.wanted { askSoon() }
        }
    }

    /// The query for the daemon's rows: one more stands before those of documents if there is no search.
    static func query(
        _ documents: ListQuery, _ fields: [String]?, _ collection: String?
    ) -> ListQuery {
        var query = documents
        query.fields = fields
        query.highlights = true
        if let collection { query.collections.append(collection) }
        // An open list can take these only if it had them.
        if query.sort.isEmpty { query.sort = ["name"] }
        if query.match == nil { query.match = .fuzzy }
        guard (query.search ?? "").isEmpty else { return query }
        query.search = nil
        if query.anchor == nil {
            query.start = query.start.addingReportingOverflow(1).partialValue
        } else {
            query.count = query.count.map { $0.addingReportingOverflow(1).partialValue }
        }
        return query
    }

    // MARK: Answers

    private func take(_ change: ListChange) {
        if case .reset(_, _, let isNew) = change { isNewHistory = isNewHistory || isNew }
        // Of two that are equal the rows answer both.
        shown = [asked, accepted, shown].compactMap { $0 }.first { $0.query == list.shownQuery }
        tellSoon()
    }

    private func tellSoon() {
        if isTelling { return }
        isTelling = true
        loop.atEndOfTurn { [weak self] in
            self?.isTelling = false
            self?.tell()
        }
    }

    private func tell() {
        guard let shown else { return }
        let hasNew = shown.hasNew
        let rows = RowsUpdate(
            items: list.items.filter { !$0.isNew },
            start: hasNew ? max(0, list.start - 1) : list.start,
            total: hasNew ? max(0, list.total - 1) : list.total,
            isComplete: list.isComplete && shown == accepted, query: shown.wanted.number,
            isNewHistory: isNewHistory,
            place: shown.wanted.query.anchor.map { .anchor($0) } ?? .start)
        isNewHistory = false
        onRows(rows)
    }

    private func fail(_ error: ClientError) {
        isOpen = false
        isAsking = false
        // The session restores a lost connection.
        if error.code == .disconnected { return }
        refused = asked?.wanted
        onRefusal("\(error)")
        if wanted != refused { askSoon() }
    }
}
