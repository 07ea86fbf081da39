import ArgumentParser
import PickerClient
import SystemInterface
import TerminalCells

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one document.",
        discussion: """
            It is found by its key, or by its path: relative to the current folder, absolute, or \
            relative to a folder that the daemon watches.
            """)

    @Argument(help: ArgumentHelp("A key or a path.", valueName: "key|path"))
    var name: String
    @Flag(help: "JSON, on one line, as the daemon sends it, with the absolute path.")
    var json = false
    @OptionGroup var rows: RowOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try rows.rowFormat(besides: json) }

    func run() throws {
        let format = try rows.rowFormat()
        let connection = try common.connect()
        let document = try find(on: connection)
        if json { return try Output.standard.writeJSON(JSONRows.text(document)) }
        if let format { return try Output.standard.write(ListItem(document), as: format) }
        var table = Table([Table.Column(paint: common.palette.dim), Table.Column()])
        let dates = DateText(now: SystemClock.wallSeconds())
        let modified = document.modified
        table.add(["name", VisibleText.escaping(document.name)])
        table.add(["path", VisibleText.escaping(document.path)])
        table.add(["root", VisibleText.escaping(document.root)])
        table.add(["key", VisibleText.escaping(document.key)])
        table.add(["size", "\(SizeText.text(document.size)) (\(document.size) bytes)"])
        table.add(["modified", "\(dates.text(modified)) (\(dates.time(modified)))"])
        if let created = document.created {
            table.add(["created", "\(dates.text(created)) (\(dates.time(created)))"])
        }
        table.add(["type", VisibleText.escaping(document.type)])
        let details = [
            ("icon", document.icon), ("uri", document.uri), ("thumbnail", document.thumbnail),
        ]
        for (name, value) in details {
            if let value { table.add([name, VisibleText.escaping(value)]) }
        }
        let marks = [(document.isLiked, "liked"), (document.isDropped, "dropped")]
        let words = marks.filter(\.0).map(\.1)
        if !words.isEmpty { table.add(["marks", words.joined(separator: ", ")]) }
        for line in table.lines() { try Output.standard.writeLine(line) }
    }

    /// A key takes precedence over a path.
    private func find(on connection: PickerConnection) throws -> RemoteDocument {
        do {
            return try connection.ask(.document(key: name))
        } catch {
            // An argument that is not a key may be a path; if it is not, the error of the path is shown.
            guard error.code == .refused else { throw error }
        }
        let found = try DocumentFinder(on: connection).find([name], on: connection)
        guard let document = found.first else { throw CommandError("there is no such document") }
        return document
    }
}
