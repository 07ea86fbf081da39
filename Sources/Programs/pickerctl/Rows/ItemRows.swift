import PickerClient
import TerminalCells

/// The rows of a list as people read them: name, size, date, folder. The parts of names that a search has found
/// are bold, if the items have them and there is colour.
///
/// The folder is relative to its root; with rows of several roots it includes the root, because folders of
/// different roots could be confused.
struct ItemRows {
    private let dates: DateText
    private var table: Table
    private var items: [ListItem] = []
    private var roots: Set<String> = []

    /// Rows whose columns, if steady, keep their positions when rows come and go.
    init(dates: DateText, palette: Palette, isSteady: Bool = false) {
        self.dates = dates
        table = Table([
            Table.Column(flexible: true, mark: palette.bold),
            Table.Column(rightAligned: true, minimum: isSteady ? 6 : 0, paint: palette.dim),
            Table.Column(minimum: isSteady ? 15 : 0, paint: palette.dim),
            Table.Column(flexible: true, paint: palette.cyan),
        ])
    }

    mutating func add(_ item: ListItem) {
        items.append(item)
        if let root = item.root { roots.insert(root) }
    }

    /// The lines of the rows added since the last call, in columns at least as wide as before. No line is
    /// wider than `limit` or ends in blanks.
    mutating func takeLines(limit: Int?) -> [String] {
        for item in items { table.add(cells(item)) }
        items = []
        return table.takeLines(limit: limit).map(\.withoutTrailingBlanks)
    }

    private func cells(_ item: ListItem) -> [MarkedText] {
        if item.isNew { return ["+ new document", "", "", ""].map { MarkedText($0) } }
        let name =
            item.name.map { MarkedText(escaping: $0, marking: item.matches ?? []) }
            ?? MarkedText(Self.name(of: item))
        let others = [
            item.size.map { SizeText.text($0) } ?? "",
            item.modified.map { dates.text($0) } ?? "", ending(of: item),
        ]
        return [name] + others.map { MarkedText($0) }
    }

    /// Safe for a terminal.
    static func name(of item: ListItem) -> String {
        item.isNew ? "new document" : VisibleText.escaping(item.name ?? item.key)
    }

    /// The folder, and what else is to be said of it: its marks, and the attributes that were asked for.
    private func ending(of item: ListItem) -> String {
        let marks = (item.isLiked ? ["♥"] : []) + (item.isDropped ? ["dropped"] : [])
        let folder = folder(of: item)
        let attributes = item.attributeTexts.map { name, text in
            "\(name)=\(VisibleText.escaping(text))"
        }
        return ((folder.isEmpty ? [] : [folder]) + marks + attributes).joined(separator: " ")
    }

    private func folder(of item: ListItem) -> String {
        let path = item.path ?? ""
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        guard roots.count > 1, let root = item.root else {
            return VisibleText.escaping(String(folder))
        }
        return VisibleText.escaping((root.hasSuffix("/") ? root : root + "/") + folder)
    }
}
