import PickerClient
import SystemInterface

/// Prints the rows of a list: for people, as JSON, or in the user's format.
struct RowPrinter {
    private let isJSON: Bool
    private let withNew: Bool
    private let format: RowFormat?
    /// The number of rows that may still be printed.
    private(set) var left: Int
    private(set) var printed = 0
    private var rows: ItemRows

    init(
        _ options: ListOptions, _ format: RowFormat?, most: Int?, _ palette: Palette, isSteady: Bool
    ) {
        isJSON = options.json
        withNew = options.withNew
        self.format = format
        left = most ?? .max
        rows = ItemRows(
            dates: DateText(now: SystemClock.wallSeconds()), palette: palette, isSteady: isSteady)
    }

    mutating func print(_ items: some Sequence<ListItem>) throws(OutputError) {
        for item in items where left > 0 && isWanted(item) {
            left -= 1
            printed += 1
            if isJSON {
                try Output.standard.writeJSON(JSONRows.text(item))
            } else if let format {
                try Output.standard.write(item, as: format)
            } else {
                rows.add(item)
            }
        }
        let terminal = Terminal.output
        let limit = terminal.isTerminal ? terminal.size.columns : nil
        for line in rows.takeLines(limit: limit) { try Output.standard.writeLine(line) }
    }

    /// Prints the items page by page, until all that may be printed are. A page has `size` items, or fewer if fewer are
    /// left.
    mutating func printPages(
        of query: ListQuery, size: Int, on connection: PickerConnection
    ) throws {
        var next: Int? = 1
        var token: String?
        while let wanted = next, left > 0 {
            // The row for a new document may be one of them.
            let page = DaemonRequest.page(
                wanted, size: left < size ? left + 1 : size, of: query, after: token)
            let found = try connection.send(page).wait()
            try print(found.results)
            try Output.standard.flush()
            token = found.token
            next = found.nextPageIndex
        }
    }

    /// The row for a new document has no path.
    private func isWanted(_ item: ListItem) -> Bool { !item.isNew || withNew && format == nil }

    /// Reports that there was nothing to print, on a terminal only.
    func tellIfNothing(_ query: ListQuery) throws(OutputError) {
        guard printed == 0, Terminal.output.isTerminal, Terminal(descriptor: 2).isTerminal else {
            return
        }
        try Output.standard.flush()
        let isSelecting = query.search != nil || query.filter != nil
        Output.errors.say(isSelecting ? "No document matches." : "There are no documents.")
    }
}
