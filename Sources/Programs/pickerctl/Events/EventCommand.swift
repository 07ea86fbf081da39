import Glibc
import PickerClient
import SystemInterface

// What `--exec` runs: a line of shell, with an event in it.
//
// Events are text of strangers, so no part of one ever becomes shell code. In the line each `{}` is
// replaced by `"$1"`, and the event is the shell's first argument: a parameter's value is not looked
// at again, however it is quoted in the line. The event is also what the command reads from standard
// input, a file in memory, so that nobody has to feed it; and parts of it are variables. Linux takes
// no argument or variable of 128 KiB or more: an event that long is refused where the line needs it
// as an argument, and is no variable.

/// A line of shell for events.
struct EventCommand {
    /// Linux's limit of one argument or variable with its closing NUL: 32 pages of 4 KiB.
    private static let longestArgument = 131_071
    private static let placeholder = "{}"

    private let script: String
    private let needsArgument: Bool
    private let environment: [String: String]

    /// - Throws: what is wrong with the line, for the user.
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
    /// - Returns: its process id, and its process group's.
    func start(for event: ReceivedEvent) throws(CommandError) -> Int32 {
        let json = event.jsonForPrograms
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

    /// Those that can be passed on whole: Linux has no NUL in a variable.
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
            // Of a name that is not UTF-8, `path` is only something to look at.
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

extension ReceivedEvent {
    /// The event as one line, without the number of a subscription that is nobody's business.
    var jsonForPrograms: String { withoutSubscription.json.text }
}
