internal import ArgumentParser
internal import Glibc
internal import PickerModel
internal import ServiceManager
internal import SystemInterface

/// The command line.
struct PickerdCommand: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "pickerd",
        abstract: "Keep a live list of the documents in a folder, for all who connect.")

    @Argument(
        help:
            "Folders whose documents are served. Without any, those of the settings file; without it, your documents folder.",
        completion: .directory)
    var folders: [String] = []

    @Option(name: .customLong("root"), help: "One more such folder.", completion: .directory)
    var roots: [String] = []

    @Option(
        help:
            "Where to listen, instead of $PICKERD_SOCKET or $XDG_RUNTIME_DIR/pickerd/pickerd.sock.",
        completion: .file())
    var socket: String?

    @Option(
        help: "The settings file, instead of $XDG_CONFIG_HOME/pickerd/config.toml.",
        completion: .file())
    var config: String?

    @Option(
        help:
            "Where the daemon keeps what outlives it, instead of $STATE_DIRECTORY or $XDG_STATE_HOME/pickerd.",
        completion: .directory)
    var state: String?

    @Option(help: "How much to log: debug, info, notice, warning or error.")
    var logLevel: String?

    @Flag(name: .customLong("version"), help: "Say which version this is.")
    var showsVersion = false

    /// The parsed command line.
    func invocation(_ arguments: [[UInt8]]) throws(ValidationError) -> Invocation {
        var level: LogLevel?
        if let logLevel {
            level = LogLevel(name: logLevel)
            if level == nil {
                throw ValidationError("'\(logLevel)' is no log level: there are \(LogLevel.names).")
            }
        }
        var raw = RawArguments(arguments)
        for (option, path) in [("--socket", socket), ("--config", config), ("--state", state)] {
            guard let path, raw.isUnreadable(path) else { continue }
            throw ValidationError(
                "\(option) names '\(path)', which is no UTF-8: only folders to serve may have such names."
            )
        }
        return Invocation(
            folders: (folders + roots).map { raw.take($0) }, socket: socket, config: config,
            state: state, logLevel: level)
    }

    /// Runs the daemon until it is stopped; returns the exit status.
    static func start() -> Int32 {
        let invocation: Invocation
        do {
            var parsed = try parseAsRoot()
            guard let command = parsed as? PickerdCommand else {
                // The parser reports help through an error that is not a failure.
                try parsed.run()
                return 0
            }
            if command.showsVersion {
                print("pickerd \(version)")
                return 0
            }
            invocation = try command.invocation(CurrentProcess.rawArguments)
        } catch {
            let text = fullMessage(for: error)
            if exitCode(for: error) == .success {
                print(text)
                return 0
            }
            return RefusedStart.end(status: 2, because: text)
        }
        return Daemon.run(invocation)
    }
}

/// The parsed command line.
struct Invocation {
    var folders: [FileName]
    var socket: String?
    var config: String?
    var state: String?
    var logLevel: LogLevel?
}

/// Writes a line to standard error, before there is a log.
func complain(_ text: String) {
    var line = Array(text.utf8)
    line.append(UInt8(ascii: "\n"))
    // The array is alive during the call. A failed write can't be reported.
    _ = unsafe write(STDERR_FILENO, line, line.count)
}
