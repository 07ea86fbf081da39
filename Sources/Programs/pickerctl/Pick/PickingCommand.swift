import ArgumentParser
import PickerClient
import Picking
import Previews
import SystemInterface
import TerminalCells

struct PickingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pick", abstract: "Choose documents on the terminal; their paths are printed.",
        discussion: """
            What is typed is searched for as fzf does; words as 'type:pdf' and 'modified:<7d' are \
            conditions. The list is live: what is created, renamed or removed meanwhile is there at \
            once, and the cursor and the marks stay at their documents.

            Enter takes the document under the cursor, or those that are marked with Tab (--multi); \
            Esc and Ctrl-C end it without any; F1 shows the other keys. They are read from the \
            terminal itself, so the output may go elsewhere:

              vim "$(pickerctl pick type:md)"
              pickerctl pick --multi -0 ~/Pictures/ | xargs -0 gimp

            With --directory or --save folders are browsed instead, from the one that is given, and \
            the path of the chosen one, or of a file in it, is printed; no daemon is needed for that.

            Exit status: 0 something was picked, 1 nothing matches, 2 an error (also wrong \
            arguments, and no daemon), 130 it was cancelled.
            """)

    @Argument(
        help: ArgumentHelp(
            """
            What is typed at first. A last word that is a folder, and is '.' or '..' or has a '/' \
            at its start or end, is looked in instead: it need not be in a root.
            """, valueName: "query"))
    var words: [String] = []

    @Flag(name: .shortAndLong, help: "Several documents may be marked, with Tab.")
    var multi = false

    // A value may begin with "-", so it is parsed unconditionally.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The first of the orders that Ctrl-S goes through: sort keys with commas between.",
            valueName: "keys"))
    var sort: String?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("At most so many rows.", valueName: "count"))
    var limit: Int?

    @Option(
        help: ArgumentHelp(
            "Below the prompt, so high: rows, or a part of the terminal as '40%'.",
            valueName: "rows"))
    var height: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            A command of the shell that shows the document under the cursor beside the list; {} in \
            it is the path.
            """, valueName: "command"))
    var preview: String?

    @Flag(help: "The cursor stays at its document while the query is typed.")
    var track = false

    @Flag(help: "The list is a grid, with pictures of the documents; Alt-G goes to and fro.")
    var grid = false

    @Flag(help: "What changes is lit up for a moment.")
    var flash = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The text before what is typed.", valueName: "text"))
    var prompt: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A line above the list.", valueName: "text"))
    var header: String?

    @OptionGroup var browsing: BrowseArguments
    @OptionGroup var drawn: CollectionOptions
    @OptionGroup var rows: RowOptions

    @Flag(help: "Print JSON, one document a line, as the daemon sends it, with absolute paths.")
    var json = false

    @OptionGroup var common: CommonOptions

    func validate() throws {
        try require("--limit", limit, atLeast: 1)
        _ = try rows.rowFormat(besides: json)
        _ = try layout()
        _ = try sortKeys()
        try checkBrowsing()
        do throws(ShellLineError) {
            if let preview { _ = try PreviewCommand(preview) }
        } catch {
            throw ValidationError("--preview: \(error)")
        }
    }

    func run() throws {
        var answer: PortalAnswer?
        do {
            answer = try browsing.portal.map { try PortalAnswer(to: $0) }
            try pick(answer)
            answer?.send(0)
        } catch let status as ExitStatus {
            answer?.send(status.code)
            throw status
        } catch {
            let message = Self.message(of: error)
            answer?.fault = message ?? ""
            answer?.send(ExitStatus.failed.code)
            guard let message else { throw error }
            Program.complain(message)
            if let advice = (error as? ClientError)?.advice { Output.errors.say(advice) }
            throw ExitStatus.failed
        }
    }

    /// Nil for what the program tells, or that is none.
    private static func message(of error: any Error) -> String? {
        switch error {
        case OutputError.failed(let number): "cannot write to standard output: \(number)"
        case is ClientError, is CommandError, is SystemError: "\(error)"
        default: nil
        }
    }

    private func pick(_ answer: PortalAnswer?) throws {
        if let purpose = browsing.purpose { return try browse(purpose, answer) }
        switch try choose(answer) {
        case .picked(let items): try tell(items, answer)
        case .nothing: throw ExitStatus.no
        case .cancelled: throw ExitStatus.cancelled
        case .signal(let number): Self.die(by: number, answer)
        case .refused(let why): throw CommandError(why)
        }
    }

    private func tell(_ items: [ListItem], _ answer: PortalAnswer?) throws {
        guard let answer else { return try print(items) }
        for path in items.compactMap(\.absolutePathBytes) { answer.add(path) }
    }

    /// Ends by a signal, which cancels a dialog.
    static func die(by number: Int32, _ answer: PortalAnswer?) {
        answer?.send(ExitStatus.cancelled.code)
        SignalPipe.die(by: number)
    }

    private func choose(_ answer: PortalAnswer?) throws -> PickOutcome {
        var parameters = PickSession.Parameters()
        let arguments = PickArguments(words, endWithFolder: answer != nil)
        parameters.options = try options(query: arguments.query)
        parameters.folder = arguments.folder
        parameters.fields = try fields()
        parameters.options.fields = parameters.fields
        let path = try common.socketPath()
        return try onTerminal {
            guard Terminal.kindCanRedraw else {
                // A dialog must end with its connection, which nobody watches there.
                if answer == nil { return try LineRun(parameters, to: path).run() }
                throw CommandError("TERM is '\(Terminal.kind)', a terminal that shows no dialogs")
            }
            let run = try PickRun(
                parameters, try layout(), common.features, to: path, until: answer?.connection)
            return try run.run()
        }
    }

    /// Runs what needs a terminal.
    func onTerminal<Result>(_ run: () throws -> Result) throws -> Result {
        do {
            return try run()
        } catch let error as SystemError {
            throw CommandError(
                """
                pick is done on a terminal, and there is none here (\(error)); 'pickerctl list' \
                prints what there is
                """)
        }
    }

    private func options(query: String) throws -> PickOptions {
        var options = PickOptions()
        options.query = query
        options.isMulti = multi
        options.limit = limit
        options.tracks = track
        options.flashes = flash
        options.isGrid = grid
        options.scoreSort.append("-frecency")
        options.header = header
        options.collections = drawn.collections
        options.hasColor = common.features.hasColor
        if let prompt { options.prompt = prompt }
        if let keys = try sortKeys() {
            options.sorts = [keys] + options.sorts.filter { $0 != keys }
            options.hasChosenSort = true
        }
        if let preview {
            options.previewCommand = preview
            options.preview = .right
        }
        return options
    }

    private func sortKeys() throws -> [String]? {
        guard let sort, !sort.isEmpty else { return nil }
        let keys = sort.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        for key in keys {
            if let problem = SortKey.problem(with: key) {
                throw ValidationError("--sort \(sort): \(problem).")
            }
        }
        return keys
    }

    func layout() throws -> PickLayout {
        guard let height else { return .whole }
        guard let layout = PickLayout(height) else {
            throw ValidationError(
                "--height \(height): give a number of rows, or a part of the terminal as '40%'.")
        }
        return layout
    }

    /// The members that rows have all the time; nil for all of documents, as JSON has.
    private func fields() throws -> [String]? {
        var query = ListQuery(collections: drawn.collections)
        if !json { query.fields = RowFormat.members }
        return query.showing(try rows.rowFormat()).fields
    }

    private func print(_ items: [ListItem]) throws {
        let format = try rows.rowFormat() ?? RowFormat(pathsEndingWith: UInt8(ascii: "\n"))
        for item in items {
            if json {
                try Output.standard.writeJSON(JSONRows.text(item))
            } else {
                try Output.standard.write(item, as: format)
            }
        }
        try Output.standard.flush()
    }
}

extension ExitStatus {
    /// Something went wrong, which has been said: fzf's status.
    fileprivate static let failed = ExitStatus(code: 2)
    /// Nothing was picked, because nothing was wanted: fzf's status.
    static let cancelled = ExitStatus(code: 130)
}
