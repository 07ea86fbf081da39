import PickerClient
import SystemInterface
import TerminalCells

// The live list on a terminal: a title, the rows that fit, and the number of further rows. No more rows are
// requested than fit. Dates are in a form that stays true while the screen is unchanged, so that an idle
// screen is never redrawn.

/// `watch` on a terminal.
final class WatchScreen: LiveScreenContent {
    private let screen: LiveScreen
    private let query: ListQuery
    private let withNew: Bool
    private let palette: Palette
    private let list: LiveList

    init(_ live: LiveRun, _ query: ListQuery, withNew: Bool, _ palette: Palette) {
        screen = LiveScreen(live, palette)
        self.query = query
        self.withNew = withNew
        self.palette = palette
        list = live.session.openList(
            Self.query(query, rows: screen.size.rows, withNew: withNew))
    }

    private static func query(_ query: ListQuery, rows: Int, withNew: Bool) -> ListQuery {
        var query = query
        query.count = min(query.count ?? .max, mostItems(rows: rows))
        return query.countingDocuments(withNew: withNew)
    }

    /// Whether the list has a hidden row, which is not counted.
    private var hidesNew: Bool { query.hidesNewRow(withNew) }

    /// Without the title, the line about further rows, and the line for the prompt.
    private static func mostItems(rows: Int) -> Int { max(1, rows - 3) }

    func run() throws {
        screen.follow(list)
        list.onReopen = { [screen] _ in screen.paintSoon() }
        try screen.run(showing: self)
    }

    func resize() {
        let query = Self.query(query, rows: screen.size.rows, withNew: withNew)
        if query != list.query { list.update(to: query) }
    }

    func lines(rows: Int, columns: Int) -> [String] {
        let dates = DateText(now: SystemClock.wallSeconds(), style: .clock)
        var shown = ItemRows(dates: dates, palette: palette, isSteady: true)
        let items = list.items.filter { !hidesNew || !$0.isNew }
        for item in items.prefix(Self.mostItems(rows: rows)) { shown.add(item) }
        var lines = shown.takeLines(limit: columns)
        let rest = list.total - (hidesNew && list.total > 0 ? 1 : 0) - items.count
        if rest > 0 {
            lines.append(palette.dim(DisplayWidth.truncating("… and \(rest) more", to: columns)))
        }
        return lines
    }

    var title: String {
        let count = list.total - (query.hasNewRow && list.total > 0 ? 1 : 0)
        var parts = [count == 1 ? "1 document" : "\(count) documents"]
        if !query.sort.isEmpty {
            parts.append("by \(VisibleText.escaping(query.sort.joined(separator: ",")))")
        }
        if let search = query.search {
            let text = "'\(VisibleText.escaping(search))'"
            switch query.match {
            case .fuzzy?: parts.append("like \(text)")
            case .words?: parts.append("with the words \(text)")
            case .contains?, nil: parts.append("with \(text)")
            }
        }
        if let filter = query.filter { parts.append(VisibleText.escaping(filter.text)) }
        if !list.isComplete { parts.append("…") }
        return parts.joined(separator: " · ")
    }
}
