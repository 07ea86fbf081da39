import Glibc
import PickerClient
import SystemInterface

// The command of `--exec`: a line of shell with an event in it.
//
// The event is the argument of a `ShellLine`. It is also the command's standard input, as a file in memory, so that
// nobody has to write to a pipe; and parts of it are environment variables. Linux limits arguments and
// variables to 128 KiB: a longer event is refused if the line needs it as an argument, and is not set as a
// variable.

/// A line of shell for events.
struct EventCommand {
    private static let eventSign = "{}"

    private let line: ShellLine
    private let needsArgument: Bool
    private let environment: [String: String]

    /// - Throws: an error in the line, for the user.
    init(_ line: String, environment: [String: String]) throws(CommandError) {
        do throws(ShellLineError) {
            self.line = try ShellLine(
                line, named: "the command", placeholders: [Self.eventSign: "event"])
        } catch {
            throw CommandError("\(error)")
        }
        needsArgument = line.contains(Self.eventSign)
        self.environment = environment
    }

    /// Starts the command. Its output and errors are those of this program.
    ///
    /// - Returns: its process id, which is also that of its process group.
    func start(for event: ReceivedEvent) throws(CommandError) -> Int32 {
        let json = event.json.text
        var arguments: [String] = []
        if needsArgument {
            if json.utf8.count > ShellLine.longestArgument {
                throw CommandError(
                    "event \(event.seq) has \(json.utf8.count) bytes, and Linux passes no more "
                        + "than \(ShellLine.longestArgument) in an argument: leave {} out of the "
                        + "command, and have it read the event from standard input")
            }
            arguments.append(json)
        }
        let shell = line.shell(
            arguments, environment: environment.merging(variables(for: event)) { $1 })
        do {
            let input = try OwnedDescriptor.inMemory(Array("\(json)\n".utf8), name: "event")
            return try shell.start(input: input.number, output: 1, error: 2)
        } catch {
            throw CommandError("event \(event.seq): the command cannot be run: \(error)")
        }
    }

    /// The variables that can be passed on completely: they can't contain a NUL.
    private func variables(for event: ReceivedEvent) -> [String: String] {
        var variables = [
            "PICKERD_SEQ": "\(event.seq)", "PICKERD_TIME": "\(event.time)",
            "PICKERD_TOPIC": event.topic, "PICKERD_DATA": event.data?.text ?? "",
            "PICKERD_KEY": "", "PICKERD_PATH": "", "PICKERD_ROOT": "",
        ]
        if let data = event.data {
            variables["PICKERD_KEY"] = data["key"]?.string ?? ""
            let root = data["root"]?.string ?? ""
            variables["PICKERD_ROOT"] = root
            // For a name that is not UTF-8, `path` is only for display.
            if data["pathB64"] == nil, let path = data["path"]?.string {
                let isRelative = !root.isEmpty && !path.hasPrefix("/")
                let folder = root.hasSuffix("/") ? root : root + "/"
                variables["PICKERD_PATH"] = isRelative ? folder + path : path
            }
        }
        return variables.filter { name, value in
            name.utf8.count + 1 + value.utf8.count <= ShellLine.longestArgument
                && !value.utf8.contains(0)
        }
    }
}
