import PickerClient
import TerminalCells

// Changes of a list as lines. Later resets are printed as the difference to the previous rows, so that the
// lines add up to the list across connections: rows match by key, or by path if a restarted daemon has
// assigned new keys. During such a daemon's first scan nothing is printed, because documents that it has
// not found yet are not gone.

/// A line: a sign for the change, and the item.
struct ChangeLine {
    let mark: String
    let item: ListItem
    /// Additional text for people.
    var note = ""

    /// For people.
    var text: String { "\(mark) \(ItemRows.name(of: item))\(note)" }
}

struct ChangeLines {
    private struct Pending {
        let before: [ListItem]
        var isNewHistory: Bool
    }

    /// Whether to print the row for a new document.
    private let withNew: Bool
    private var hasStarted = false
    /// The rows that were printed before the list became incomplete.
    private var pending: Pending?
    private var roots: Set<String> = []

    init(withNew: Bool) { self.withNew = withNew }

    mutating func lines(
        for change: ListChange, now items: [ListItem], isComplete: Bool
    ) -> [ChangeLine] {
        switch change {
        case .edits(let edits):
            if pending == nil { return edits.compactMap { line($0) } }
        case .reset(let before, _, let isNewHistory):
            guard hasStarted else {
                hasStarted = true
                return difference([], items) { $0.key }
            }
            pending = Pending(
                before: pending?.before ?? before,
                isNewHistory: isNewHistory || pending?.isNewHistory ?? false)
        }
        guard isComplete, let told = pending else { return [] }
        pending = nil
        let isNewHistory = told.isNewHistory
        return difference(told.before, items) { isNewHistory ? Self.place(of: $0) : $0.key }
    }

    private mutating func line(_ edit: ListEdit) -> ChangeLine? {
        switch edit {
        case .deleted(let item, _): line("-", item)
        case .inserted(let item, _): line("+", item)
        case .moved(let item, _, _): line(">", item, " moved")
        case .updated(let item, _, let before): changed(item, before)
        }
    }

    private static func place(of item: ListItem) -> String {
        item.isNew ? "" : "\(item.root ?? "")/\(item.path ?? item.key)"
    }

    private mutating func difference(
        _ before: [ListItem], _ now: [ListItem], by identity: (ListItem) -> String
    ) -> [ChangeLine] {
        var old: [String: ListItem] = [:]
        for item in before { old[identity(item)] = item }
        let kept = Set(now.map(identity))
        let gone = before.filter { !kept.contains(identity($0)) }.compactMap { line("-", $0) }
        let rest = now.compactMap { item -> ChangeLine? in
            guard let before = old[identity(item)] else { return line("+", item) }
            return Self.hasChanged(item, since: before) ? changed(item, before) : nil
        }
        return gone + rest
    }

    private static func hasChanged(_ item: ListItem, since before: ListItem) -> Bool {
        item.name != before.name || item.path != before.path || item.size != before.size
            || item.modified != before.modified || item.isLiked != before.isLiked
            || item.isDropped != before.isDropped
    }

    private mutating func changed(_ item: ListItem, _ before: ListItem) -> ChangeLine? {
        line("~", item, item.name == before.name ? "" : " (was \(ItemRows.name(of: before)))")
    }

    /// Nil for the row of a new document, unless requested. With several roots, the text for people names
    /// the root.
    private mutating func line(_ mark: String, _ item: ListItem, _ note: String = "") -> ChangeLine?
    {
        if item.isNew, !withNew { return nil }
        var root = ""
        if let folder = item.root {
            roots.insert(folder)
            if roots.count > 1 { root = " in \(VisibleText.escaping(folder))" }
        }
        return ChangeLine(mark: mark, item: item, note: root + note)
    }
}
