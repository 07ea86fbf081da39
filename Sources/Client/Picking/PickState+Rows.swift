package import PickerClient

// Rows come, and the cursor stays with its document.

extension PickState {
    mutating func take(_ update: RowsUpdate) {
        guard update.query <= queryNumber else { return }
        let update = update.sound(limit: limit)
        if update.isNewHistory { forgetKeys() }
        guard update.query >= rows?.query ?? .min, !isLate(update) else { return }
        let old = rows
        let isOther = update.query != old?.query
        rows = update
        flash(from: old, to: update)
        if isOther { isSlow = false }
        let isFirst = old == nil && soughtCursor == nil
        if isFirst || isOther && landsAtTop || !cursor.hasMoved || update.total == 0 {
            goToTop()
        } else if soughtCursor != nil {
            seek(in: update)
        } else if let key = cursor.key {
            follow(key, in: update, from: old, isOther: isOther)
        }
        if update.query == queryNumber { landsAtTop = false }
        cursor.place = max(0, min(cursor.place, update.total - 1))
        readCursor()
    }

    /// The most rows of the list: what the program or the line says.
    var limit: Int? {
        guard let typed = reading.limit else { return options.limit }
        return min(typed, options.limit ?? typed)
    }

    /// Whether these rows are of a window that was asked for before the cursor was moved, without its document. Others
    /// follow.
    private func isLate(_ update: RowsUpdate) -> Bool {
        let isToLand = landsAtTop && update.query != rows?.query
        guard cursor.hasMoved, !isToLand, !update.isNewHistory, let key = cursor.key,
            update.total > 0, update.place != .unknown, update.place != .anchor(key)
        else { return false }
        return !update.items.contains { $0.key == key }
    }

    private mutating func follow(
        _ key: String, in update: RowsUpdate, from old: RowsUpdate?, isOther: Bool
    ) {
        if let index = update.items.firstIndex(where: { $0.key == key }) {
            cursor.place = update.start + index
            // In another order or search, what is above is not new.
            if isOther || cursor.isFound { cursor.handPlace = cursor.place }
            cursor.isFound = false
        } else if isOther {
            goToTop()
        } else {
            remember(vanished: key)
            takePlace(of: key, in: update, from: old)
        }
    }

    private mutating func remember(vanished key: String) {
        if vanished.count == SeenFrame.most { vanished.removeFirst() }
        vanished.append(key)
    }

    /// The cursor goes to the row that took the place of one that is gone: the next one that was below it, or else the
    /// next one above it, or else whatever is there.
    private mutating func takePlace(of key: String, in update: RowsUpdate, from old: RowsUpdate?) {
        let rows = old?.items ?? []
        var heir: Int?
        if let index = rows.firstIndex(where: { $0.key == key }) {
            let places = Dictionary(
                update.items.enumerated().map { ($1.key, $0) },
                uniquingKeysWith: { first, _ in first })
            heir =
                rows[(index + 1)...].lazy.compactMap { places[$0.key] }.first
                ?? rows[..<index].reversed().lazy.compactMap { places[$0.key] }.first
        }
        cursor.item = nil
        if let heir { cursor.place = update.start + heir }
    }

    /// The cursor takes the document at its place, unless it has one that stays. The rows have the newest of each.
    mutating func readCursor() {
        guard let rows else { return }
        if cursor.hasMoved, let key = cursor.key {
            if let item = rows.items.first(where: { $0.key == key }) { cursor.item = item }
        } else if soughtCursor == nil {
            cursor.item = rows.item(at: cursor.place)
        }
    }

    mutating func goToTop() {
        cursor = PickCursor()
        soughtCursor = nil
        readCursor()
    }

    // MARK: New history

    /// Keys mean other documents now. The cursor and the marks are found again by where they are.
    private mutating func forgetKeys() {
        if cursor.hasMoved { soughtCursor = cursor.item ?? soughtCursor }
        cursor.item = nil
        vanished = []
        frames = []
        lastMarked = nil
        click = nil
        marks.forgetKeys()
        undo.removeAll(where: \.hasKeys)
        commands = []
        undoing = []
        pendingRange = nil
        switch overlay {
        case .actions?, .question?:
            overlay = nil
            message = "The daemon's documents are others than before: choose again"
        case .help?, nil: break
        }
        rows = nil
    }

    private mutating func seek(in update: RowsUpdate) {
        guard let sought = soughtCursor else { return }
        let place = DocumentPlace(sought)
        guard let index = update.items.firstIndex(where: { DocumentPlace($0) == place })
        else { return }
        found(update.items[index], at: update.start + index)
    }

    /// The document that was under the cursor is found again.
    mutating func found(_ item: ListItem, at place: Int?) {
        soughtCursor = nil
        cursor.item = item
        cursor.place = place ?? cursor.place
        cursor.handPlace = cursor.place
        cursor.isFound = place == nil
    }
}

extension RowsUpdate {
    /// The row of the document at a place of the list, if it is in the window.
    package func item(at place: Int) -> ListItem? {
        let index = place - start
        return items.indices.contains(index) ? items[index] : nil
    }

    /// What a picker may rely on, whatever was sent: no row beyond the limit, and none that is no document.
    func sound(limit: Int?) -> RowsUpdate {
        var result = self
        result.items.removeAll(where: \.isNew)
        result.start = max(0, min(start, Int(Int32.max)))
        result.total = max(0, min(total, Int(Int32.max)))
        if let limit {
            result.total = min(result.total, limit)
            let room = max(0, limit - result.start)
            if result.items.count > room { result.items.removeLast(result.items.count - room) }
        }
        if !result.items.isEmpty {
            result.total = max(result.total, result.start + result.items.count)
        }
        return result
    }
}
