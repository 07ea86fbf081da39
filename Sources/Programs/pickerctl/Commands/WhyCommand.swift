import ArgumentParser
import PickerClient
import SystemInterface
import TerminalCells

struct WhyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "why", abstract: "Say why a file is in the lists, or is not.",
        discussion: """
            The path is absolute, or relative to the current folder. The status is 1 if one of the \
            paths is not a document.
            """)

    @Argument(help: "Paths of files or folders.")
    var paths: [String]
    @Flag(help: "JSON: the daemon's own answers, one on each line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        // What has just been made is known then.
        _ = try connection.ask(.sync(timeoutMs: nil))
        let finder = try DocumentFinder(on: connection)
        var areDocuments = true
        for path in paths {
            let absolute = finder.absolute(RawArguments.bytes(of: path))
            let request = DaemonRequest.why(pathBytes: absolute)
            let answer = try connection.send(request.withResult).wait()
            if !answer.value.isDocument { areDocuments = false }
            if json {
                try Output.standard.writeJSON(answer.result.text)
            } else {
                try Output.standard.writeLine(line(path, answer.value))
            }
        }
        try Output.standard.flush()
        if !areDocuments { throw ExitStatus.no }
    }

    private func line(_ path: String, _ reason: PathReason) -> String {
        let shown = RawArguments.shown(path)
        // A folder on the way to it is named.
        let last = shown.split(separator: "/").last.map(String.init) ?? shown
        let place = reason.place.hasSuffix("/" + last) ? "" : "'\(reason.place)': "
        return VisibleText.escaping("\(shown): \(place)\(reason.text)")
    }
}
