internal import PickerClient

// Marks are on documents, wherever these are: in another order, another search, or under another name.

extension PickState {
    mutating func toggleMark(andMoveBy way: Int) {
        guard options.isMulti, let item = cursor.item else { return }
        toggleMark(item)
        move(by: way)
    }

    mutating func toggleMark(_ item: ListItem) {
        if marks.contains(item.key) {
            marks.remove([item.key])
        } else if hasRoom() {
            marks.add(item)
            lastMarked = item.key
        }
    }

    /// Whether there may be another mark. If not, this is said.
    private mutating func hasRoom() -> Bool {
        if marks.count < options.mostMarks, marks.keyBytes < MarkList.mostKeyBytes { return true }
        message = "No more than \(marks.count) documents can be marked"
        return false
    }

    private mutating func mark(_ items: some Sequence<ListItem>) {
        for item in items where !item.isNew && !marks.contains(item.key) {
            guard hasRoom() else { return }
            marks.add(item)
        }
    }

    // MARK: Many

    mutating func markAll() {
        if options.isMulti { ask(for: wholeList, .mark) }
    }

    mutating func invertMarks() {
        if options.isMulti { ask(for: wholeList, .invert) }
    }

    /// All rows, as far as they can be marked.
    private var wholeList: ListQuery {
        var query = listQuery
        query.start = 0
        query.count = min(options.mostMarks + 1, limit ?? .max)
        return query
    }

    /// The rows from the last marked one to the cursor: they are there, or are asked for.
    mutating func markRange() {
        guard options.isMulti, let key = cursor.key, let item = cursor.item else { return }
        guard let last = lastMarked, last != key, marks.contains(last) else {
            if !marks.contains(key) { toggleMark(item) }
            return
        }
        if markBetween(last, key, in: rows?.items ?? []) { return }
        // The last marked one is above or below; as many rows as there may be marks are asked for on both sides.
        var query = listQuery
        query.anchor = key
        query.offset = options.mostMarks
        query.count = 2 * options.mostMarks + 1
        ask(for: query, .between(last, key))
    }

    private mutating func markBetween(_ last: String, _ key: String, in items: [ListItem]) -> Bool {
        guard let one = items.firstIndex(where: { $0.key == last }),
            let other = items.firstIndex(where: { $0.key == key })
        else { return false }
        // In the order in which the hand went.
        one < other ? mark(items[one...other]) : mark(items[other...one].reversed())
        lastMarked = key
        return true
    }

    private mutating func ask(for query: ListQuery, _ purpose: PendingRange.Purpose) {
        pendingRange = PendingRange(
            request: RangeRequest(number: nextNumber(), query: query), purpose: purpose)
    }

    mutating func takeRange(_ items: [ListItem], _ request: Int) {
        guard let pending = pendingRange, pending.request.number == request else { return }
        pendingRange = nil
        switch pending.purpose {
        case .mark: mark(items)
        case .invert:
            let documents = items.filter { !$0.isNew }
            let marked = Set(documents.map(\.key)).intersection(marks.keys)
            marks.remove(marked)
            mark(documents.filter { !marked.contains($0.key) })
        case .between(let last, let key):
            if !markBetween(last, key, in: items) {
                message = "The last marked document is not in this list, or too far away"
            }
        case .find(let sought):
            marks.find(sought, in: items)
            findCursor(sought, in: items)
        }
    }

    private mutating func findCursor(_ sought: [ListItem], in items: [ListItem]) {
        guard let item = soughtCursor else { return }
        let place = DocumentPlace(item)
        guard sought.contains(where: { DocumentPlace($0) == place }) else { return }
        if let found = items.first(where: { DocumentPlace($0) == place }) {
            self.found(found, at: nil)
        } else {
            soughtCursor = nil
            readCursor()
        }
    }

    // MARK: What the daemon knows of them

    mutating func seeMarked(_ items: [ListItem], _ request: Int) {
        if request == followed?.number { marks.see(items) }
    }

    /// Asks for the marked documents by their keys, and for those that are to be found again by where they were.
    mutating func follow() {
        let keys = marks.keys
        if keys.isEmpty {
            followed = nil
        } else if keys != followed?.keys {
            followed = KeysRequest(number: nextNumber(), keys: keys)
        }
        guard pendingRange == nil, rows != nil else { return }
        let sought = marks.sought.map(\.item) + [soughtCursor].compactMap { $0 }
        let (filter, items) = Self.filter(finding: sought)
        guard let filter else { return }
        // Dropped ones are found, too: a mark is of a document, not of a list.
        ask(
            for: ListQuery(
                sort: ["path"], filter: filter, count: options.mostMarks, fields: options.fields,
                collections: options.collections),
            .find(items))
    }

    /// A filter that keeps some of these documents, as many as fit into one request.
    private static func filter(finding items: [ListItem]) -> (PickerFilter?, [ListItem]) {
        var conditions: [PickerFilter] = []
        var asked: [ListItem] = []
        var bytes = 0
        for item in items {
            let path = item.path ?? ""
            // Such characters mean something in patterns.
            let isPlain = !path.contains { "*?[]{}\\".contains($0) } && item.pathBytes == nil
            let name = item.name ?? String(path.split(separator: "/").last ?? "")
            let text = isPlain ? path : name
            bytes += text.utf8.count
            if conditions.count == 64 || bytes > 3000, !conditions.isEmpty { break }
            conditions.append(isPlain ? .path(text) : .name(text))
            asked.append(item)
        }
        return (conditions.isEmpty ? nil : .any(conditions), asked)
    }
}
