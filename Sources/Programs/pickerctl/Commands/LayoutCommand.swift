import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

struct LayoutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "layout",
        abstract: "Draw the documents as a list, a grid, a flow, or by forces.",
        discussion: """
            The daemon says where each document is shown; this draws it: with --svg into a file \
            ('-' is standard output), with --ascii in characters. Without either it is \
            characters on a terminal and SVG elsewhere. A force layout is drawn when it has come \
            to rest; until then a terminal on standard error shows how far the cells still move. \
            With --watch it is drawn in place while it moves, and follows each change, until \
            Ctrl-C. With --json each item with its frame is a line.
            """)

    @OptionGroup var layout: LayoutOptions

    @Option(help: ArgumentHelp("Write SVG to this file.", valueName: "file"))
    var svg: String?

    @Flag(help: "Draw in characters.")
    var ascii = false

    @Flag(help: "Draw on the terminal and keep the drawing current.")
    var watch = false

    @OptionGroup var options: ListOptions
    @OptionGroup var common: CommonOptions

    func validate() throws {
        let forms = [svg != nil, ascii, options.json].count { $0 }
        if forms > 1 { throw ValidationError("--svg, --ascii and --json are three: give one.") }
        if watch, svg != nil || options.json {
            throw ValidationError("--watch draws on the terminal: leave out --svg and --json.")
        }
        if watch, !Terminal.output.canRedraw {
            throw ValidationError("--watch needs a terminal, and standard output is none.")
        }
    }

    func run() throws {
        let query = try layout.query()
        if watch {
            let screen = LayoutScreen(
                try LiveRun(common), try rows(), query, common.palette)
            return try screen.run()
        }
        let connection = try common.connect()
        let settled = try settle(query, on: connection)
        connection.close()
        let picture = LayoutPicture(settled)
        if options.json {
            try writeJSON(settled)
        } else if let svg, svg != "-" {
            try write(LayoutSVG.text(picture), to: svg)
        } else if ascii || svg == nil && Terminal.output.isTerminal {
            let columns = Terminal.output.isTerminal ? Terminal.output.size.columns - 1 : 80
            for line in LayoutDrawing.lines(picture, columns: columns) {
                try Output.standard.writeLine(line)
            }
        } else {
            try Output.standard.write(LayoutSVG.text(picture))
        }
    }

    /// The rows of the layout.
    private func rows() throws -> ListQuery {
        try options.query().leavingOutNew(unless: options.withNew)
    }

    /// The final state of the layout.
    private func settle(
        _ query: LayoutQuery, on connection: PickerConnection
    ) throws -> LiveLayout {
        let list = LiveList(try rows())
        var failure: ClientError?
        list.onError = { failure = $0 }
        let progress = LayoutProgress(Terminal(descriptor: 2))
        let live = LiveLayout(of: list, progress.paced(query))
        live.onError = { failure = $0 }
        live.onChange = { [unowned live] in progress.show(live) }
        list.attach(to: connection)
        withExtendedLifetime((connection, list, live)) {
            _ = connection.loop.run { failure != nil || isSettled(live) }
        }
        progress.clear()
        if let failure { throw failure }
        list.onError = nil
        live.onError = nil
        return live
    }

    private func isSettled(_ live: LiveLayout) -> Bool {
        guard live.list.isComplete, live.rev == live.list.rev else { return false }
        if live.query.kind == .force, !live.isFinished { return false }
        return live.frames.count == live.list.items.count
    }

    private func writeJSON(_ live: LiveLayout) throws {
        for item in live.list.items {
            guard let frame = live.frames[item.key] else { continue }
            let numbers = [frame.x, frame.y, frame.width, frame.height].map(LayoutSVG.number)
            try Output.standard.writeJSON(
                "{\"item\":\(JSONRows.text(item)),\"frame\":[\(numbers.joined(separator: ","))]}")
        }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            // 0666, which the umask narrows, as for any file that a program writes for its user.
            let file = try OwnedDescriptor.open(
                RawPath(path), flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o666)
            guard try file.writeAll(Array(text.utf8)) else {
                throw CommandError("cannot write all of '\(path)'")
            }
        } catch let error as SystemError {
            throw CommandError("\(error)")
        }
    }
}

/// A line on a terminal with the progress of a force layout.
private final class LayoutProgress {
    private let terminal: Terminal
    private var isShown = false

    init(_ terminal: Terminal) { self.terminal = terminal }

    /// The query, with intermediate frames only if they are shown.
    func paced(_ query: LayoutQuery) -> LayoutQuery {
        guard query.kind == .force else { return query }
        let pace = terminal.canRedraw ? "\"intervalMs\":10" : "\"mode\":\"final\""
        let own = query.options.text.dropFirst().dropLast()
        // The user's options override these.
        if own.contains("\"intervalMs\"") || own.contains("\"mode\"") { return query }
        var paced = query
        let text = own.isEmpty ? "{\(pace)}" : "{\(pace),\(own)}"
        paced.options = (try? RawJSON(text)) ?? query.options
        return paced
    }

    func show(_ layout: LiveLayout) {
        guard layout.query.kind == .force, terminal.canRedraw, !layout.isFinished else { return }
        isShown = true
        let moved = (layout.movement * 10).rounded() / 10
        let text = "\(layout.frames.count) cells, tick \(layout.tick), moving \(moved) px"
        Output.errors.tell("\r\(text)\u{1b}[K")
    }

    func clear() {
        if isShown { Output.errors.tell("\r\u{1b}[K") }
    }
}
