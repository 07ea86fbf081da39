import ArgumentParser
import PickerClient
import SystemInterface

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show the documents once.",
        discussion: """
            A row has the name, the size, when it was last changed, and the folder if it is in \
            one. With --json the picker's row for a new document, {"kind":"new"}, comes first \
            unless there is a search.
            """)

    @OptionGroup var options: ListOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let query = try options.query()
        let connection = try common.connect()
        let items = try collect(options.json ? query : query.countingDocuments, on: connection)
        if options.json {
            for item in items { try Output.standard.writeLine(item.json.text) }
            return
        }
        var rows = ItemRows(
            dates: DateText(now: SystemClock.wallSeconds()), palette: common.palette)
        for item in items.lazy.filter({ !$0.isNew }).prefix(query.count ?? .max) {
            rows.add(item)
        }
        let terminal = Terminal.output
        let limit = terminal.isTerminal ? terminal.size.columns : nil
        for line in rows.lines(limit: limit) { try Output.standard.writeLine(line) }
    }

    /// The items of a list that is opened, awaited, and closed with its connection: its chunks may be longer together
    /// than the one line of an `items.get`.
    private func collect(
        _ query: ListQuery, on connection: PickerConnection
    ) throws -> [ListItem] {
        let list = LiveList(query)
        var failure: ClientError?
        list.onError = { failure = $0 }
        list.attach(to: connection)
        // The list does not hold its connection, and an optimizer lets go of what nobody names.
        withExtendedLifetime(connection) {
            _ = connection.loop.run { failure != nil || list.isComplete }
        }
        if let failure { throw failure }
        list.onError = nil
        connection.close()
        return list.items
    }
}
