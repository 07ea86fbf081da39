import ArgumentParser
import PickerClient

/// When to use colour.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// The options that every command has.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Option(help: "Colour: auto (on a terminal, unless NO_COLOR is set), always or never.")
    var color: ColorChoice = .auto

    @Flag(name: .customLong("no-color"), help: "The same as --color never.")
    var noColor = false

    /// The path of the socket.
    func socketPath() throws(ClientError) -> String {
        try SocketPath.resolve(explicit: socket)
    }

    /// A connection to the daemon.
    func connect() throws(ClientError) -> PickerConnection {
        try PickerConnection(to: try socketPath(), on: PollLoop())
    }

    /// Colours for standard output.
    var palette: Palette {
        switch noColor ? .never : color {
        case .always: Palette(isOn: true)
        case .never: Palette(isOn: false)
        case .auto: Palette(isOn: Terminal.output.wantsColor)
        }
    }
}

/// Which items, in which order.
struct ListOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only names that contain this.", valueName: "text"))
    var search: String?

    // A value may begin with "-", so it is taken whatever it looks like.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Sort keys with commas between: name, modified, size, type, path; '-' in front \
            reverses; 'date' is the latest first.
            """, valueName: "keys"),
        completion: .list(["name", "date", "-modified", "size", "-size", "type", "path"]))
    var sort: String?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("At most so many rows.", valueName: "count"))
    var limit: Int?

    @Flag(help: "JSON, one value a line, as the daemon sends it.")
    var json = false

    func validate() throws {
        if let limit, limit < 0 {
            throw ValidationError("--limit \(limit): it must be 0 or more.")
        }
    }

    /// The query, for `extra` rows beyond the limit.
    func query(extra: Int = 0) -> ListQuery {
        let keys = (sort ?? "").split(separator: ",").map { String($0) }
        return ListQuery(
            sort: keys, search: search, count: limit.map { $0.addingReportingOverflow(extra).0 })
    }

    /// The item `new` is in lists that are not searched.
    var hasNewRow: Bool { search?.isEmpty ?? true }
}
