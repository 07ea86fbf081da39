import ArgumentParser
import Glibc
import PickerClient
import SystemInterface
import TerminalCells

// Runs the program from arguments to exit status: 0 done; 1 the daemon refused or the command failed; 2 the
// arguments are invalid; 3 no daemon answers; 4 events were lost that should not be. A reader of the output
// that exits early, such as `head`, is not a failure.

/// Thrown by a command that has printed its error, or its answer.
struct ExitStatus: Error {
    let code: Int32

    /// The answer is no.
    static let no = ExitStatus(code: 1)
    static let eventsLost = ExitStatus(code: 4)
}

/// A failure of a command that does not come from the daemon.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The arguments name an unknown command.
package struct UnknownCommand: Error, CustomStringConvertible {
    package let description: String
}

enum Program {
    /// Runs the command in the arguments.
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        // A write to a pipe without a reader is then an ordinary error.
        signal(SIGPIPE, SIG_IGN)
        CurrentProcess.openStandardDescriptors(failing: true)
        do {
            try runCommand(arguments)
            try Output.standard.flush()
            return 0
        } catch {
            return report(error)
        }
    }

    private static func runCommand(_ arguments: [String]) throws {
        if arguments.first == ShellCompletion.argument {
            return try ShellCompletion.run(Array(arguments.dropFirst()))
        }
        if arguments.count == 2, arguments[0] == "--generate-completion-script",
            let shell = Shell(rawValue: arguments[1])
        {
            // The parser's own know neither documents nor words of queries.
            return try Output.standard.write(ShellScripts.completions(of: shell))
        }
        try CommandNames.check(arguments, among: PickerCtl.commandNames)
        var command = try PickerCtl.parseAsRoot(CommandNames.spellingOutNegations(arguments))
        try command.run()
    }

    private static func report(_ error: any Error) -> Int32 {
        // Earlier output precedes the error message.
        try? Output.standard.flush()
        switch error {
        case OutputError.closed: return 0
        case OutputError.failed(let number):
            complain("cannot write to standard output: \(number)")
            return 1
        case let status as ExitStatus: return status.code
        case let error as ClientError:
            complain("\(error)")
            if let advice = error.advice { Output.errors.say(advice) }
            return error.exitStatus
        case let error as UnknownCommand:
            complain(error.description)
            return 2
        case let error as QueryTextError:
            complain(error.message)
            for line in QueryFault.lines(error) { Output.errors.say(line) }
            return 2
        case is CommandError, is SystemError:
            complain("\(error)")
            return 1
        default: return reportUsage(error)
        }
    }

    /// Help and version are handled here, too: they are not failures and go to standard output.
    private static func reportUsage(_ error: any Error) -> Int32 {
        let message = PickerCtl.fullMessage(for: error)
        guard PickerCtl.exitCode(for: error) != .success else {
            if message.isEmpty { return 0 }
            do {
                try Output.standard.writeLine(message)
                try Output.standard.flush()
                return 0
            } catch {
                return report(error)
            }
        }
        Output.errors.say("pickerctl: \(withoutLabel(message))")
        return 2
    }

    private static func withoutLabel(_ message: String) -> String {
        let label = "Error: "
        return message.hasPrefix(label) ? String(message.dropFirst(label.count)) : message
    }

    /// Prints a line to standard error.
    static func complain(_ message: String) {
        Output.errors.say("pickerctl: \(VisibleText.escaping(message))")
    }
}

extension ClientError {
    /// The hint for a missing or hanging daemon.
    var advice: String? {
        switch code {
        case .noDaemon:
            "Start one with 'systemctl --user start pickerd.socket', or by hand with 'pickerd FOLDER'; "
                + "'pickerctl doctor' looks for what is in the way."
        case .timedOut:
            "Look at it with 'systemctl --user status pickerd.service', start it anew with "
                + "'systemctl --user restart pickerd.service', or name another socket with --socket."
        default: nil
        }
    }

    /// The exit status of a command that it ends.
    var exitStatus: Int32 {
        [.noDaemon, .noSocketPath, .timedOut].contains(code) ? 3 : 1
    }
}
