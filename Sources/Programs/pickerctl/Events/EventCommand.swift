import Glibc
import PickerClient
import SystemInterface

// The command of `--exec`: a line of shell with an event in it.
//
// Events are untrusted text, so no part of one ever becomes shell code. Each `{}` in the line is replaced
// by `"$1"`, and the event is the shell's first argument: the shell does not parse a parameter's value
// again, however it is quoted. The event is also the command's standard input, as a file in memory, so that
// nobody has to write to a pipe; and parts of it are environment variables. Linux limits arguments and
// variables to 128 KiB: a longer event is refused if the line needs it as an argument, and is not set as a
// variable.

/// A line of shell for events.
struct EventCommand {
    /// Linux's limit of one argument or variable with its closing NUL: 32 pages of 4 KiB.
    private static let longestArgument = 131_071
    private static let placeholder = "{}"

    private let script: String
    private let needsArgument: Bool
    private let environment: [String: String]

    /// - Throws: an error in the line, for the user.
    init(_ line: String, environment: [String: String]) throws(CommandError) {
        if line.allSatisfy({ $0.isWhitespace }) { throw CommandError("the command is empty") }
        for quote in ["'", "\""] where line.contains("\(quote)\(Self.placeholder)\(quote)") {
            throw CommandError(
                "{} stands for the whole event, quoted already: leave out the \(quote) around it")
        }
        needsArgument = line.contains(Self.placeholder)
        script = line.split(separator: Self.placeholder, omittingEmptySubsequences: false)
            .joined(separator: "\"$1\"")
        if script.utf8.count > Self.longestArgument {
            throw CommandError("the command is longer than \(Self.longestArgument) bytes")
        }
        self.environment = environment
    }

    /// Starts the command. Its output and errors are those of this program.
    ///
    /// - Returns: its process id, which is also that of its process group.
    func start(for event: ReceivedEvent) throws(CommandError) -> Int32 {
        let json = event.json.text
        var arguments = ["-c", script, "pickerctl"]
        if needsArgument {
            if json.utf8.count > Self.longestArgument {
                throw CommandError(
                    "event \(event.seq) has \(json.utf8.count) bytes, and Linux passes no more "
                        + "than \(Self.longestArgument) in an argument: leave {} out of the "
                        + "command, and have it read the event from standard input")
            }
            arguments.append(json)
        }
        var shell = ChildProcess(RawPath("/bin/sh"), arguments: arguments)
        shell.environment = environment.merging(variables(for: event)) { $1 }
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
            name.utf8.count + 1 + value.utf8.count <= Self.longestArgument
                && !value.utf8.contains(0)
        }
    }
}
