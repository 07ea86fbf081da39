import ArgumentParser
import Glibc
import PickerClient
import Picking
import SystemInterface
import TerminalCells

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the documents and keep what is shown current.",
        discussion: """
            On a terminal it is a screen: the arrow keys scroll, '/' searches, q or Ctrl-C ends it, \
            F1 shows the other keys. Elsewhere each change is a line: \
            '+ name' came, '- name' went, '~ name' changed, '> name moved' moved; those that are \
            there at the start come first. With --paths, -0 and --format the document is said \
            behind the sign in that form. With --json each notification of the daemon is a line. \
            A connection that is lost is made again. Ctrl-C ends it.
            """)

    @OptionGroup var options: ListOptions
    @OptionGroup var rows: RowOptions
    @OptionGroup var common: CommonOptions

    func validate() throws { _ = try rows.rowFormat(besides: options.json) }

    func run() throws {
        let format = try rows.rowFormat()
        let query = try options.query()
        if !options.json, format == nil, Terminal.output.canShowScreens {
            return try show(query)
        }
        let shown = query.showing(format)
        let run = try LiveRun(common)
        if options.json {
            try watchNotifications(run, shown)
        } else {
            try watchLines(run, shown, format)
        }
    }

    /// Shows the list on a screen of the terminal.
    private func show(_ query: ListQuery) throws {
        var parameters = PickSession.Parameters()
        parameters.options = PickOptions(
            watching: query, withNew: options.withNew, hasColor: common.features.hasColor)
        var rows = query
        rows.fields = RowFormat.members
        parameters.fields = rows.showing(nil).fields
        parameters.options.fields = parameters.fields
        let path = try common.socketPath()
        switch try PickRun(parameters, .whole, common.features, to: path).run() {
        case .signal(let number): SignalPipe.die(by: number)
        case .refused(let why): throw CommandError(why)
        case .picked, .nothing, .cancelled: break
        }
    }

    private func watchNotifications(_ run: LiveRun, _ query: ListQuery) throws {
        run.tellStates()
        let notifications = WatchedNotifications(
            hidingNew: query.hidesNewRow(options.withNew), from: query.start)
        // A delta is printed after the list has applied it and knows its rows.
        var delta: [UInt8]?
        func show(_ line: [UInt8], _ edits: [ListEdit]) {
            run.attempt { try Output.standard.writeJSON(notifications.text(line, edits)) }
            run.loop.atEndOfTurn { run.attempt { try Output.standard.flush() } }
        }
        func showDelta(_ edits: [ListEdit] = []) {
            guard let line = delta else { return }
            delta = nil
            show(line, edits)
        }
        run.onEachConnection { connection in
            connection.onNotificationLine = { method, line in
                showDelta()
                if method == "items.delta" {
                    delta = Array(line)
                    run.loop.atEndOfTurn { showDelta() }
                } else {
                    show(Array(line), [])
                }
            }
        }
        let list = open(run, query)
        list.onChange = { change in
            if case .edits(let edits) = change { showDelta(edits) }
        }
        try withExtendedLifetime(list) { try run.run() }
    }

    private func watchLines(_ run: LiveRun, _ query: ListQuery, _ format: RowFormat?) throws {
        run.tellStates()
        var lines = ChangeLines(withNew: options.withNew && format == nil)
        let list = open(run, query)
        list.onChange = { [weak run, unowned list] change in
            run?.attempt {
                for line in lines.lines(
                    for: change, now: list.items, isComplete: list.isComplete)
                {
                    if let format {
                        try Output.standard.write(line.item, as: format, after: "\(line.mark) ")
                    } else {
                        try Output.standard.writeLine(line.text)
                    }
                }
                try Output.standard.flush()
            }
        }
        try run.run()
    }

    private func open(_ run: LiveRun, _ query: ListQuery) -> LiveList {
        let list = run.session.openList(query.countingDocuments(withNew: options.withNew))
        list.onReopen = { Program.complain("the list is opened anew: \($0)") }
        list.onError = { [weak run] error in
            // The session restores a lost connection.
            if error.code != .disconnected { run?.fail(error) }
        }
        return list
    }
}
