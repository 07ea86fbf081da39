import ArgumentParser
import PickerClient

struct FeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "Show the documents page by page.",
        discussion: """
            On a terminal each page waits for a key: Enter or space shows the next, q ends. \
            Elsewhere all pages are printed, or the one of --page. Pages fit together while \
            documents come and go. They can't be sorted by score: a fuzzy search is shown by name.
            """)

    @OptionGroup var options: ListOptions
    @Option(help: ArgumentHelp("How many rows a page has, from 1 to 1000.", valueName: "count"))
    var size = 20
    @Option(help: ArgumentHelp("Only that page, counted from 1.", valueName: "number"))
    var page: Int?
    @OptionGroup var rows: RowOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if !(1...1000).contains(size) {
            throw ValidationError("--size \(size): it must be from 1 to 1000.")
        }
        _ = try rows.rowFormat(besides: options.json)
        try require("--page", page, atLeast: 1)
    }

    func run() throws {
        let format = try rows.rowFormat()
        let isForPeople = !options.json && format == nil
        let query = try options.query(forPages: true).showing(format)
            .marked(if: isForPeople && common.palette.isOn)
        let isWhole = page == nil && query.count == nil && isForPeople
        let isPaged =
            isWhole && Terminal.output.canRedraw && Terminal(descriptor: 0).isTerminal
        let connection = try common.connect(limitingSilence: !isPaged)
        if isPaged {
            try FeedPager(self, query, on: connection).run()
            return
        }
        var printer = RowPrinter(
            options, format, most: query.count, common.palette, isSteady: true)
        if let page {
            try printer.print(try items(of: page, query, on: connection))
        } else {
            try printer.printPages(of: query, size: size, on: connection)
        }
        try printer.tellIfNothing(query)
    }

    /// One page by its number, counted in shown rows.
    private func items(
        of page: Int, _ query: ListQuery, on connection: PickerConnection
    ) throws -> [ListItem] {
        let hidden = query.hidesNewRow(options.withNew) ? 1 : 0
        let (before, isOver) = (page - 1).multipliedReportingOverflow(by: size)
        if isOver || before == .max { return [] }
        var query = query
        query.start = before + hidden
        query.count = size
        return try connection.send(.items(query)).wait().items
    }
}
