import ArgumentParser
import PickerClient

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Print the events that the daemon has kept.",
        discussion: "Topics are as for 'events'. The oldest comes first.")

    @Argument(
        help: ArgumentHelp("Which events; all by default.", valueName: "topic"))
    var topics: [String] = []
    @Option(
        name: [.customShort("n"), .long], help: ArgumentHelp("At most so many, the latest ones."))
    var count: Int?
    @Flag(help: "JSON, one event a line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws { try require("--count", count, atLeast: 0) }

    func run() throws {
        let connection = try common.connect()
        let topics = EventLine.orAll(topics)
        let events = try connection.send(.replay(topics: topics, count: count)).wait()
        let palette = common.palette
        for event in events {
            if json {
                try Output.standard.writeJSON(event.json.text)
            } else {
                try Output.standard.writeLine(EventLine.text(event, palette))
            }
        }
    }
}
