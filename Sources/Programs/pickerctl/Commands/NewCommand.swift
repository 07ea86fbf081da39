import ArgumentParser
import PickerClient
import TerminalCells

struct NewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Make a document, and print its path.",
        discussion: "A document that is there already is never overwritten.")

    @Argument(help: "The file's name, without folders.")
    var name: String
    @Option(
        help: ArgumentHelp("What is in it; '-' reads it from standard input.", valueName: "text"))
    var content: String?
    @Option(
        help: ArgumentHelp(
            "In which of the folders that the daemon watches; the first by default.",
            valueName: "folder"))
    var root: String?
    @Flag(help: "JSON: the document, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        let text = content == "-" ? try StandardInput.text(for: "the content") : content
        let document = try connection.send(.create(name: name, root: root, content: text)).wait()
        if json {
            try Output.standard.writeJSON(JSONRows.text(document))
        } else if Terminal.output.isTerminal {
            let path = String(decoding: document.absolutePathBytes, as: UTF8.self)
            try Output.standard.writeLine(VisibleText.escaping(path))
        } else {
            // For programs: the unchanged path.
            try Output.standard.write(document.absolutePathBytes)
            try Output.standard.writeLine("")
        }
    }
}
