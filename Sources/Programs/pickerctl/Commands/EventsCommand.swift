import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

/// The start of `--since`.
enum SinceArgument: ExpressibleByArgument {
    /// Where the last run with the same state file ended.
    case last
    case place(EventPosition)

    init?(argument: String) {
        if argument == "last" {
            self = .last
        } else if let position = EventPosition(argument) {
            self = .place(position)
        } else {
            return nil
        }
    }
}

struct EventsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Print events as they are published.",
        discussion: """
            A topic is dot-separated words: 'documents.added' is just that, 'documents.*' all \
            below 'documents', '*' everything, and '!' in front takes away. A connection that is \
            lost is made again, and goes on where it was. Ctrl-C ends it.

            With --since last, each run goes on after the last event that the one before handled, \
            and the first begins with all that are kept. When events were lost, it says which, \
            and ends with exit status 4; the next run goes on with those that are kept.

            With --exec, the command is run by /bin/sh for one event after the other. In it, {} \
            is the event as JSON, quoted. The event is also its standard input, and parts of it \
            are PICKERD_SEQ, PICKERD_TIME, PICKERD_TOPIC, PICKERD_DATA, and of the data \
            PICKERD_KEY, PICKERD_ROOT, and PICKERD_PATH, which is absolute.
            """)

    @Argument(
        help: ArgumentHelp("Which events; all by default.", valueName: "topic"))
    var topics: [String] = []
    @Option(
        help: ArgumentHelp(
            "First the last ones that the daemon has kept. With --since last, in the first run.",
            valueName: "count"))
    var replay: Int?
    @Option(
        help: ArgumentHelp(
            "First those after a place: EPOCH:NUMBER, or 'last' for where the last run ended.",
            valueName: "place"))
    var since: SinceArgument?
    @Option(
        help: ArgumentHelp(
            "Where --since remembers the place; by default a file in ~/.local/state/pickerd.",
            valueName: "file"))
    var state: String?
    @Option(
        help: ArgumentHelp(
            "Run this for each event, one at a time; {} is the event.", valueName: "command"))
    var exec: String?
    @Option(
        name: [.customShort("n"), .long], help: ArgumentHelp("End after so many events."))
    var count: Int?
    @Flag(help: "JSON: each notification of the daemon, as it came, one a line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try require("--replay", replay, atLeast: 0)
        try require("--count", count, atLeast: 1)
        if case .place? = since, replay != nil {
            throw ValidationError(
                "--replay and --since EPOCH:NUMBER both say where to begin: give one.")
        }
        if let state {
            if since == nil {
                throw ValidationError(
                    "--state says where --since keeps its place: give --since last too.")
            }
            if state.isEmpty { throw ValidationError("--state: the name of the file is empty.") }
        }
        if json, exec != nil {
            throw ValidationError("--json is about what is printed, and --exec prints nothing.")
        }
        do {
            _ = try exec.map { line throws(CommandError) in
                try EventCommand(line, environment: [:])
            }
        } catch {
            throw ValidationError("--exec: \(error)")
        }
    }

    func run() throws {
        let topics = EventLine.orAll(topics)
        let place = try rememberedPlace(topics)
        for topic in topics where ["documents", "watch", "layout", "daemon"].contains(topic) {
            Program.complain(
                "nothing is published as '\(topic)' itself: '\(topic).*' is all below it")
        }
        let run = try LiveRun(common)
        run.tellStates()
        let executor = try exec.map { line throws(CommandError) in
            EventExecutor(try EventCommand(line, environment: CurrentProcess.environment()))
        }
        let sink: any EventSink = executor ?? EventPrinter(on: run.loop, format: format)
        let events = EventRun(
            run, into: sink, topics: topics, place: place, endsAtLoss: since != nil, count: count)
        if since != nil || executor != nil {
            try run.handle([SIGINT, SIGTERM, SIGHUP, SIGCHLD]) { number in
                if number == SIGCHLD { executor?.collect() } else { events.end(because: number) }
            }
        }
        let signal = try events.follow(from: start(place), takesLines: json)
        if let signal { SignalPipe.die(by: signal) }
    }

    private func rememberedPlace(_ topics: [String]) throws -> RememberedPlace? {
        switch since {
        case nil: return nil
        case .place(let position):
            return try state.map { path throws(CommandError) in
                try RememberedPlace(at: path, beginningAfter: position)
            }
        case .last:
            let path =
                try state
                ?? RememberedPlace.standardPath(
                    for: try common.socketPath(), topics: topics, isExecuting: exec != nil)
            return try RememberedPlace(at: path)
        }
    }

    private func start(_ place: RememberedPlace?) -> EventFeed.Start {
        switch since {
        case nil: return .latest(replay ?? 0)
        case .place(let position): return .after(position)
        case .last:
            if let place, let position = place.position {
                return .after(position, knownGaps: place.knownGaps)
            }
            let first = replay.map { "the last \($0) events" } ?? "all events"
            Program.complain(
                "no place is remembered in '\(place?.path ?? "")' yet: beginning with \(first) "
                    + "that are kept")
            return replay.map { .latest($0) } ?? .kept
        }
    }

    private var format: (PendingEvent) -> [UInt8] {
        if json { return { EventPrinter.json($0.line) } }
        let palette = common.palette
        return { Array(EventLine.text($0.event, palette).utf8) }
    }
}
