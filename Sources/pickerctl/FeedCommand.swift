import ArgumentParser
import PickerClient
import SystemInterface

struct FeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Show the documents page by page.",
        discussion: """
            On a terminal each page waits for a key: Enter or space shows the next, q ends. \
            Elsewhere all pages are printed, or the one of --page. Pages fit together while \
            documents come and go.
            """)

    @OptionGroup var options: ListOptions
    @Option(help: ArgumentHelp("How many rows a page has, from 1 to 1000.", valueName: "count"))
    var size = 20
    @Option(help: ArgumentHelp("Only that page, counted from 1.", valueName: "number"))
    var page: Int?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if !(1...1000).contains(size) {
            throw ValidationError("--size \(size): it must be from 1 to 1000.")
        }
        if let page, page < 1 { throw ValidationError("--page \(page): it must be 1 or more.") }
    }

    func run() throws {
        let query = try options.query()
        let connection = try common.connect()
        let input = Terminal(descriptor: 0)
        let isPaged = page == nil && query.count == nil && !options.json
        if isPaged, Terminal.output.canRedraw, input.isTerminal {
            try FeedPager(self, query, on: connection).run()
        } else {
            try printPages(of: query, on: connection)
        }
    }

    private func printPages(of query: ListQuery, on connection: PickerConnection) throws {
        var next: Int? = page ?? 1
        var token: String?
        var left = query.count ?? .max
        while let wanted = next, left > 0 {
            let found = try connection.page(
                wanted, size: size, of: query, after: token
            ).wait()
            let items = found.results.filter { options.json || !$0.isNew }.prefix(left)
            left -= items.count
            try show(items)
            token = found.token
            next = page == nil ? found.nextPageIndex : nil
        }
    }

    private func show(_ items: some Collection<ListItem>) throws {
        if options.json {
            for item in items { try Output.standard.writeLine(item.json.text) }
            return
        }
        let terminal = Terminal.output
        let limit = terminal.isTerminal ? terminal.size.columns : nil
        for line in rows(of: items, limit: limit) { try Output.standard.writeLine(line) }
    }

    /// The rows of a page; their columns keep their places from page to page.
    func rows(of items: some Collection<ListItem>, limit: Int?) -> [String] {
        var rows = ItemRows(
            dates: DateText(now: SystemClock.wallSeconds()), palette: common.palette,
            isSteady: true)
        for item in items where options.json || !item.isNew { rows.add(item) }
        return rows.lines(limit: limit)
    }
}
