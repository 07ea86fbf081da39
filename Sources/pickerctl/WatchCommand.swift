import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Show the documents and keep what is shown current.",
        discussion: """
            On a terminal the list is redrawn in place. Elsewhere each change is a line: \
            '+ name' came, '- name' went, '~ name' changed, '> name moved' moved; those that are \
            there at the start come first. With --json each notification of the daemon is a \
            line, as it came. A connection that is lost is made again. Ctrl-C ends it.
            """)

    @OptionGroup var options: ListOptions
    @OptionGroup var common: CommonOptions

    func run() throws {
        let query = try options.query()
        let run = try LiveRun(common)
        if options.json {
            try watchNotifications(run, query)
        } else if Terminal.output.canRedraw {
            let screen = WatchScreen(run, query, common.palette)
            try screen.run()
        } else {
            try watchLines(run, query)
        }
    }

    private func watchNotifications(_ run: LiveRun, _ query: ListQuery) throws {
        run.tellStates()
        run.onEachConnection { connection in
            connection.onNotificationLine = { [weak run] _, line in
                run?.attempt {
                    try Output.standard.write(line)
                    try Output.standard.writeLine("")
                }
                run?.loop.atEndOfTurn { run?.attempt { try Output.standard.flush() } }
            }
        }
        let list = open(run, query)
        try withExtendedLifetime(list) { try run.run() }
    }

    private func watchLines(_ run: LiveRun, _ query: ListQuery) throws {
        run.tellStates()
        var lines = ChangeLines()
        let list = open(run, query)
        list.onChange = { [weak run, unowned list] change in
            run?.attempt {
                for line in lines.lines(for: change, now: list.items) {
                    try Output.standard.writeLine(line)
                }
                try Output.standard.flush()
            }
        }
        try run.run()
    }

    private func open(_ run: LiveRun, _ query: ListQuery) -> LiveList {
        let list = run.session.openList(query)
        list.onReopen = { Program.complain("the list is opened anew: \($0)") }
        list.onError = { [weak run] error in
            // A lost connection is the session's to mend.
            if error.code != .disconnected { run?.fail(error) }
        }
        return list
    }
}
