import PickerClient

/// The rows of a list as people read them: name, size, date, folder.
struct ItemRows {
    private let dates: DateText
    private var table: Table

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
        if item.isNew {
            table.add(["+ new document", "", "", ""])
            return
        }
        table.add([
            Self.name(of: item), item.size.map { SizeText.text($0) } ?? "",
            item.modified.map { dates.text($0) } ?? "", Self.ending(of: item),
        ])
    }

    /// No line is wider than `limit`, and none ends in blanks.
    func lines(limit: Int?) -> [String] { table.lines(limit: limit).map(Self.trimmed) }

    /// Fit for a terminal.
    static func name(of item: ListItem) -> String {
        item.isNew ? "new document" : VisibleText.escaping(item.name ?? item.key)
    }

    /// The folder, and a heart if it is liked.
    private static func ending(of item: ListItem) -> String {
        let folder = folder(of: item)
        guard item.isLiked else { return folder }
        return folder.isEmpty ? "♥" : folder + " ♥"
    }

    private static func folder(of item: ListItem) -> String {
        guard let path = item.path, let slash = path.lastIndex(of: "/") else { return "" }
        return VisibleText.escaping(String(path[...slash]))
    }

    private static func trimmed(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}
