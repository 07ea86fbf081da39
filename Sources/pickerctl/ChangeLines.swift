import PickerClient

// Changes of a list as lines. A reset after the first is told as the difference to what was there,
// so that the lines add up to the list whatever happened to the connection: by key, or by path if
// a daemon that was started again has given out new keys.

struct ChangeLines {
    private var hasStarted = false

    mutating func lines(for change: ListChange, now items: [ListItem]) -> [String] {
        switch change {
        case .edits(let edits): return edits.compactMap(Self.line)
        case .reset(let before, _, let isNewHistory):
            defer { hasStarted = true }
            return Self.difference(
                hasStarted ? before : [], items, by: isNewHistory ? Self.place(of:) : { $0.key })
        }
    }

    private static func line(_ edit: ListEdit) -> String? {
        switch edit {
        case .deleted(let item, _): line("-", item)
        case .inserted(let item, _): line("+", item)
        case .moved(let item, _, _): line(">", item).map { "\($0) moved" }
        case .updated(let item, _, let before): changed(item, before)
        }
    }

    private static func place(of item: ListItem) -> String {
        item.isNew ? "" : "\(item.root ?? "")/\(item.path ?? item.key)"
    }

    private static func difference(
        _ before: [ListItem], _ now: [ListItem], by identity: (ListItem) -> String
    ) -> [String] {
        var old: [String: ListItem] = [:]
        for item in before { old[identity(item)] = item }
        let kept = Set(now.map(identity))
        var lines = before.compactMap { kept.contains(identity($0)) ? nil : line("-", $0) }
        for item in now {
            guard let before = old[identity(item)] else {
                if let line = line("+", item) { lines.append(line) }
                continue
            }
            if hasChanged(item, since: before), let line = changed(item, before) {
                lines.append(line)
            }
        }
        return lines
    }

    private static func hasChanged(_ item: ListItem, since before: ListItem) -> Bool {
        item.name != before.name || item.path != before.path || item.size != before.size
            || item.modified != before.modified || item.isLiked != before.isLiked
    }

    private static func changed(_ item: ListItem, _ before: ListItem) -> String? {
        guard let line = line("~", item) else { return nil }
        return item.name == before.name ? line : "\(line) (was \(ItemRows.name(of: before)))"
    }

    /// Nothing for the row that is always there.
    private static func line(_ mark: String, _ item: ListItem) -> String? {
        item.isNew ? nil : "\(mark) \(ItemRows.name(of: item))"
    }
}
