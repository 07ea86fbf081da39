internal import ArgumentParser
internal import Glibc
internal import PluginInterface

/// The command line.
struct PickerdCommand: ParsableArguments {
    static let version = "0.1.0"

    static var configuration: CommandConfiguration {
        CommandConfiguration(commandName: "pickerd")
    }

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

    /// Runs the daemon until it is told to end.
    func run() throws -> Int32 {
        if showsVersion {
            print("pickerd \(Self.version)")
            return 0
        }
        let level = try logLevel.map { (name) throws(ValidationError) -> Report.Level in
            guard let level = Report.Level(named: name) else {
                let names = Report.Level.named.map(\.name).joined(separator: ", ")
                throw ValidationError("'\(name)' is no log level: there are \(names).")
            }
            return level
        }
        return Daemon.run(
            Invocation(
                folders: folders + roots, socket: socket, config: config, state: state,
                logLevel: level))
    }

    /// Ends the program for an error of the command line, or for a help text.
    static func finish(with error: any Error) -> Never {
        let text = fullMessage(for: error)
        if exitCode(for: error) == .success {
            print(text)
            Glibc.exit(0)
        }
        complain(text)
        Glibc.exit(2)
    }
}

/// What the command line says.
struct Invocation {
    var folders: [String]
    var socket: String?
    var config: String?
    var state: String?
    var logLevel: Report.Level?
}

/// Writes a line to standard error, before there is a log.
func complain(_ text: String) {
    var line = Array(text.utf8)
    line.append(UInt8(ascii: "\n"))
    // The array is alive for the call. Nobody is left to be told if it can't be written.
    _ = unsafe write(STDERR_FILENO, line, line.count)
}
