import PickerClient

/// The rows of a list as people read them: name, size, date, folder.
///
/// The folder is told from its root on, and with the root as soon as there is a row of another one: by
/// themselves, the two could be taken for each other.
struct ItemRows {
    private let dates: DateText
    private var table: Table
    private var items: [ListItem] = []
    private var roots: Set<String> = []

    /// Rows whose columns, if steady, keep their places while rows come and go.
    init(dates: DateText, palette: Palette, isSteady: Bool = false) {
        self.dates = dates
        table = Table([
            Table.Column(flexible: true),
            Table.Column(rightAligned: true, minimum: isSteady ? 6 : 0, paint: palette.dim),
            Table.Column(minimum: isSteady ? 15 : 0, paint: palette.dim),
            Table.Column(flexible: true, paint: palette.cyan),
        ])
    }

    mutating func add(_ item: ListItem) {
        items.append(item)
        if let root = item.root { roots.insert(root) }
    }

    /// The lines of what was added since the last time, in columns that are at least as wide as they were. No
    /// line is wider than `limit`, and none ends in blanks.
    mutating func takeLines(limit: Int?) -> [String] {
        for item in items { table.add(cells(item)) }
        items = []
        return table.takeLines(limit: limit).map(Self.trimmed)
    }

    private func cells(_ item: ListItem) -> [String] {
        if item.isNew { return ["+ new document", "", "", ""] }
        return [
            Self.name(of: item), item.size.map { SizeText.text($0) } ?? "",
            item.modified.map { dates.text($0) } ?? "", ending(of: item),
        ]
    }

    /// Fit for a terminal.
    static func name(of item: ListItem) -> String {
        item.isNew ? "new document" : VisibleText.escaping(item.name ?? item.key)
    }

    /// The folder, and how it is marked.
    private func ending(of item: ListItem) -> String {
        let marks = (item.isLiked ? ["♥"] : []) + (item.isDropped ? ["dropped"] : [])
        let folder = folder(of: item)
        return ((folder.isEmpty ? [] : [folder]) + marks).joined(separator: " ")
    }

    private func folder(of item: ListItem) -> String {
        let path = item.path ?? ""
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        guard roots.count > 1, let root = item.root else {
            return VisibleText.escaping(String(folder))
        }
        return VisibleText.escaping((root.hasSuffix("/") ? root : root + "/") + folder)
    }

    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
