import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print events as they are published.",
        discussion: """
            A topic is dot-separated words: 'documents.added' is just that, 'documents.*' all \
            below 'documents', '*' everything, and '!' in front takes away. A connection that is \
            lost is made again. Ctrl-C ends it.
            """)

    @Argument(help: ArgumentHelp("Which events; all by default.", valueName: "topic"))
    var topics: [String] = []
    @Option(
        help: ArgumentHelp("First the last ones that the daemon has kept.", valueName: "count"))
    var replay: Int?
    @Flag(help: "JSON: each notification of the daemon, as it came, one a line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if let replay, replay < 0 {
            throw ValidationError("--replay \(replay): it must be 0 or more.")
        }
    }

    func run() throws {
        let run = try LiveRun(common)
        run.tellStates()
        let palette = common.palette
        if json {
            run.onEachConnection { connection in
                connection.onNotificationLine = { [weak run] _, line in
                    run?.attempt {
                        try Output.standard.write(line)
                        try Output.standard.writeLine("")
                    }
                    run?.loop.atEndOfTurn { run?.attempt { try Output.standard.flush() } }
                }
            }
        }
        let isPlain = !json
        let feed = run.session.subscribe(topics: EventLine.orAll(topics), replay: replay) {
            [weak run] message in
            switch message {
            case .event(let event) where isPlain:
                run?.attempt { try Output.standard.writeLine(EventLine.text(event, palette)) }
                run?.loop.atEndOfTurn { run?.attempt { try Output.standard.flush() } }
            case .event: break
            case .subscribed(let lost):
                if lost > 0 { Program.complain("\(lost) events are no longer kept") }
            case .lost(let from, let to, let reason):
                let count = to - from + 1
                Program.complain("\(count) events were lost (\(from) to \(to)): \(reason)")
            case .ended(let error):
                // A lost connection is the session's to mend.
                if error.code != .disconnected { run?.fail(error) }
            }
        }
        try withExtendedLifetime(feed) { try run.run() }
    }
}

/// An event as a line for people.
enum EventLine {
    static func orAll(_ topics: [String]) -> [String] { topics.isEmpty ? ["*"] : topics }

    static func text(_ event: ReceivedEvent, _ palette: Palette) -> String {
        let time = DateText(now: SystemClock.wallSeconds()).time(event.time)
        let topic = VisibleText.escaping(event.topic)
        guard let data = event.data else { return "\(palette.dim(time))  \(palette.cyan(topic))" }
        let column = palette.cyan(DisplayWidth.padding(topic, to: 18))
        return "\(palette.dim(time))  \(column)  \(VisibleText.escaping(json: data.text))"
    }
}
