import ArgumentParser
import PickerClient
import SystemInterface

struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Show one document.",
        discussion: """
            It is found by its key, or by its path: relative to the folder that the daemon \
            watches, or absolute.
            """)

    @Argument(help: ArgumentHelp("A key or a path.", valueName: "key|path"))
    var name: String
    @Flag(help: "JSON, on one line, as the daemon sends it.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        let document = try find(on: connection)
        if json {
            try Output.standard.writeLine(document.json.text)
            return
        }
        var table = Table([Table.Column(paint: common.palette.dim), Table.Column()])
        let dates = DateText(now: SystemClock.wallSeconds())
        let modified = document.modified
        table.add(["name", VisibleText.escaping(document.name)])
        table.add(["path", VisibleText.escaping(document.path)])
        table.add(["root", VisibleText.escaping(document.root)])
        table.add(["key", VisibleText.escaping(document.key)])
        table.add(["size", "\(SizeText.text(document.size)) (\(document.size) bytes)"])
        table.add(["modified", "\(dates.text(modified)) (\(dates.time(modified)))"])
        table.add(["type", VisibleText.escaping(document.type)])
        let marks = [(document.isLiked, "liked"), (document.isDropped, "dropped")]
        let words = marks.filter(\.0).map(\.1)
        if !words.isEmpty { table.add(["marks", words.joined(separator: ", ")]) }
        for line in table.lines() { try Output.standard.writeLine(line) }
    }

    /// A key wins over a path. Both are asked for at once.
    private func find(on connection: PickerConnection) throws(ClientError) -> RemoteDocument {
        let byKey = connection.document(key: name)
        let byPath = connection.document(path: try relativePath(on: connection))
        do {
            return try byKey.wait()
        } catch {
            // What is no key may well be a path; if it is not, that answer says so.
            guard error.code == .refused else { throw error }
        }
        return try byPath.wait()
    }

    private func relativePath(on connection: PickerConnection) throws(ClientError) -> String {
        guard name.hasPrefix("/") else { return name }
        for root in try connection.info().wait().roots {
            let folder = root.path.hasSuffix("/") ? root.path : root.path + "/"
            if name.hasPrefix(folder) { return String(name.dropFirst(folder.count)) }
        }
        return name
    }
}
