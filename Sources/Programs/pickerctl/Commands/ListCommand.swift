import ArgumentParser
import PickerClient

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the documents once.",
        discussion: """
            A row has the name, the size, when it was last changed, and the folder if it is in \
            one; in colour, what is found in a name is bold. Rows are printed as they come. With \
            --paths, -0 and --format they are for other programs, with --json they are JSON.
            """)

    @OptionGroup var options: ListOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try rows.rowFormat(besides: options.json) }

    func run() throws {
        let format = try rows.rowFormat()
        let isForPeople = !options.json && format == nil
        let query = try options.query().marked(if: isForPeople && common.palette.isOn)
        var printer = RowPrinter(
            options, format, most: query.count, common.palette, isSteady: false)
        let connection = try common.connect()
        try show(query.countingDocuments(withNew: options.withNew), on: connection, &printer)
        try printer.tellIfNothing(query)
    }

    /// Prints the items of a list that is opened, awaited, and closed with its connection: its chunks
    /// together may exceed the one line of an `items.get`. Chunks of a complete list are printed as they
    /// arrive; other lists may still change.
    private func show(
        _ query: ListQuery, on connection: PickerConnection, _ printer: inout RowPrinter
    ) throws {
        let list = LiveList(query)
        var failure: (any Error)?
        var chunks: [[ListItem]] = []
        var hasBegun = false
        list.onError = { failure = $0 }
        list.onChunk = { items, isFirst, isOfAll in
            guard isOfAll else { return }
            if isFirst, hasBegun {
                failure = CommandError("the list was begun anew while it was printed: try again")
            }
            hasBegun = true
            chunks.append(items)
        }
        list.attach(to: connection)
        let progress = ScanLine()
        defer { progress.erase() }
        progress.follow(connection)
        // The list does not retain its connection, and the optimizer releases unused variables.
        try withExtendedLifetime(connection) {
            while failure == nil {
                connection.loop.run { failure != nil || list.isComplete || !chunks.isEmpty }
                progress.erase()
                for items in chunks { try printer.print(items) }
                if list.isComplete || chunks.isEmpty { break }
                chunks = []
                try Output.standard.flush()
            }
        }
        if let failure { throw failure }
        if !hasBegun { try printer.print(list.items) }
        list.onError = nil
        connection.close()
    }
}
