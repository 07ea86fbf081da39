import ArgumentParser
import PickerClient

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the documents once.",
        discussion: """
            A row has the name, the size, when it was last changed, and the folder if it is in \
            one; in colour, what is found in a name is bold. With --paths, -0 and --format rows are \
            for other programs, with --json they are JSON.
            """)

    @OptionGroup var options: ListOptions
    @OptionGroup var folders: FolderOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try rows.rowFormat(besides: options.json) }

    func run() throws {
        let format = try rows.rowFormat()
        let isForPeople = !options.json && format == nil
        var query = try options.query().showing(format)
            .marked(if: isForPeople && common.palette.isOn)
        var printer = RowPrinter(
            options, format, most: query.count, common.palette, isSteady: false)
        let connection = try common.connect()
        try folders.open(on: connection, for: &query)
        if RowFormat.showsAttributes(query.fields), query.start == 0 {
            // Each page waits until the files of its rows have been read for what is shown of them.
            try printer.printPages(of: query, size: Self.rowsTogether, on: connection)
        } else {
            try show(query.countingDocuments(withNew: options.withNew), on: connection, &printer)
        }
        try printer.tellIfNothing(query)
    }

    /// The rows that are printed together.
    private static let rowsTogether = 1000

    /// Prints the items of a list that is opened, awaited, and closed with its connection: all of them may exceed the
    /// one line of an `items.get`. Whether a list is complete is told with its last rows; one that is not may still
    /// change, so nothing is printed before.
    private func show(
        _ query: ListQuery, on connection: PickerConnection, _ printer: inout RowPrinter
    ) throws {
        let list = LiveList(query)
        var failure: (any Error)?
        list.onError = { failure = $0 }
        list.attach(to: connection)
        let progress = ScanLine()
        defer { progress.erase() }
        progress.follow(connection)
        // The list does not retain its connection, and the optimizer releases unused variables.
        withExtendedLifetime(connection) {
            _ = connection.loop.run { failure != nil || list.isComplete }
        }
        progress.erase()
        if let failure { throw failure }
        let items = list.items
        for start in stride(from: 0, to: items.count, by: Self.rowsTogether) {
            try printer.print(items[start..<min(items.count, start + Self.rowsTogether)])
            try Output.standard.flush()
        }
        list.onError = nil
        connection.close()
    }
}
