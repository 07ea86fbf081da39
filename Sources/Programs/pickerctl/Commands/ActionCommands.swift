import ArgumentParser
import PickerClient
import TerminalCells

// Things to do with documents. The documents are looked up first: if one does not exist, nothing is done.

struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open documents with their default applications.",
        discussion: "Each that is opened has one more visit, which the daemon keeps.")

    @OptionGroup var documents: DocumentPaths
    @OptionGroup var common: CommonOptions

    func run() throws {
        try ActionRunner(on: common.connect()).run(
            "documents.open", on: documents.paths, atOnce: 64)
    }
}

struct RevealCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reveal", abstract: "Show documents in the file manager.")

    @OptionGroup var documents: DocumentPaths
    @OptionGroup var common: CommonOptions

    func run() throws {
        try ActionRunner(on: common.connect()).run("documents.reveal", on: documents.paths)
    }
}

struct TrashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "Move documents to the trash, or back.",
        discussion: """
            For each it prints the URI by which --undo puts it back to where it was, with its likes and \
            visits. Nothing is replaced there, and a document that does not go back stays in the trash.
            """)

    @OptionGroup var documents: DocumentPaths
    @Flag(help: "Put them back: what is given are the URIs.")
    var undo = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        guard undo else {
            return try ActionRunner(on: connection).run(
                "documents.trash", on: documents.paths, isConfirmed: true
            ) { path, result in
                guard let uri = result.uri else { return "in the trash: \(path)" }
                return "in the trash: \(path); back: pickerctl trash --undo \(Self.quoted(uri))"
            }
        }
        var isDone = true
        var rest = documents.paths[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(DocumentFinder.mostAtOnce))
            rest = rest.dropFirst(part.count)
            for result in try connection.send(.untrash(uris: part)).wait() {
                if let error = result.error {
                    isDone = false
                    Program.complain(error)
                } else if let uri = result.uri {
                    try Output.standard.writeLine("back: \(VisibleText.escaping(uri))")
                }
            }
        }
        if !isDone { throw ExitStatus.no }
    }

    /// A URI as a word of a shell; it is ASCII without spaces.
    private static func quoted(_ uri: String) -> String {
        let isPlain = uri.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "%+,-./:=@_".utf8.contains(byte)
            }
        }
        if isPlain { return uri }
        let parts = uri.split(separator: "'", omittingEmptySubsequences: false)
        return "'\(parts.joined(separator: "%27"))'"
    }
}

struct ActionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions", abstract: "Say what can be done to documents, and do it.",
        discussion: """
            Without --run it lists the actions that are offered for all of the documents: those of the \
            desktop, and those of plugins. One that writes changes files, and needs --confirm.
            """)

    @OptionGroup var documents: DocumentPaths
    @Option(name: .customLong("run"), help: ArgumentHelp("Do this to them.", valueName: "id"))
    var action: String?
    @Option(help: ArgumentHelp("With --run: an object of arguments for it.", valueName: "json"))
    var args: String?
    @Flag(help: "With --run: it may change files.")
    var confirm = false
    @Flag(help: "Without --run: JSON, the daemon's own answer, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if action == nil, confirm { throw ValidationError("--confirm is for --run only") }
        if action == nil, args != nil { throw ValidationError("--args is for --run only") }
        if action != nil, json { throw ValidationError("--json is for lists of actions only") }
        if action == nil, documents.paths.count > DocumentFinder.mostAtOnce {
            throw ValidationError("at most \(DocumentFinder.mostAtOnce) documents at a time")
        }
    }

    func run() throws {
        let connection = try common.connect()
        if let action {
            return try ActionRunner(on: connection).run(
                action, on: documents.paths, arguments: try args.map { try RawJSON($0) },
                isConfirmed: confirm)
        }
        let keys = try DocumentFinder(on: connection).find(documents.paths, on: connection).map(
            \.key)
        if json {
            let keys = keys.map { JSONRows.quoted($0) }.joined(separator: ",")
            let answer = connection.send(
                .raw("actions.list", try RawJSON("{\"keys\":[\(keys)]}")))
            return try Output.standard.writeJSON(try answer.wait().text)
        }
        let actions = try connection.send(.actions(keys: keys)).wait()
        var table = Table([Table.Column(), Table.Column(), Table.Column()])
        for action in actions {
            let notes =
                [action.writes ? "writes" : nil, action.takesMany ? nil : "one at a time"]
                .compactMap(\.self).joined(separator: ", ")
            table.add([action.id, action.title, notes].map { VisibleText.escaping($0) })
        }
        for line in table.lines() { try Output.standard.writeLine(line) }
    }
}
