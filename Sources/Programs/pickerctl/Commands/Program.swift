import ArgumentParser
import Glibc
import PickerClient
import SystemInterface

// From the arguments to the exit status: 0 done; 1 the daemon said no, or it came to no good end;
// 2 the arguments are wrong; 3 there is no daemon that answers; 4 events were lost, where none was to
// be. A reader of our output that goes away early, as `head` does, is no failure.

/// Thrown by a command that has said what was wrong.
struct ExitStatus: Error {
    let code: Int32

    static let failure = ExitStatus(code: 1)
    static let eventsLost = ExitStatus(code: 4)
}

/// A command failed for a reason that is not the daemon's.
package struct CommandError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// The arguments name a command that there is not.
package struct UnknownCommand: Error, CustomStringConvertible {
    package let description: String
}

enum Program {
    /// Runs the command that the arguments name.
    /// - Returns: the exit status.
    static func run(_ arguments: [String]) -> Int32 {
        // A write to a pipe that nobody reads is then an error like others.
        signal(SIGPIPE, SIG_IGN)
        openStandardDescriptors()
        do {
            // What shells ask for to complete a line is not for people's eyes.
            if arguments.first?.hasPrefix("---") != true {
                try CommandNames.check(arguments, among: PickerCtl.commandNames)
            }
            var command = try PickerCtl.parseAsRoot(CommandNames.spellingOutNegations(arguments))
            try command.run()
            try Output.standard.flush()
            return 0
        } catch {
            return report(error)
        }
    }

    /// Started with one of them closed, the next file to be opened would take its place: a socket
    /// as standard output. What stands there instead fails when it is used, as a closed one would.
    private static func openStandardDescriptors() {
        for number in Int32(0)...2 where (try? FileStatus.of(descriptorNumber: number)) == nil {
            do {
                let flags = number == 0 ? O_WRONLY : O_RDONLY
                // The lowest free number is the one that was missing.
                _ = try OwnedDescriptor.open(RawPath("/dev/null"), flags: flags).release()
            } catch { return }
        }
    }

    private static func report(_ error: any Error) -> Int32 {
        // What was printed before the failure comes before the message about it.
        try? Output.standard.flush()
        switch error {
        case OutputError.closed: return 0
        case OutputError.failed(let number):
            complain("cannot write to standard output: \(number)")
            return 1
        case let status as ExitStatus: return status.code
        case let error as ClientError:
            complain("\(error)")
            if let advice = advice(on: error) { Output.errors.say(advice) }
            return [.noDaemon, .noSocketPath, .timedOut].contains(error.code) ? 3 : 1
        case let error as UnknownCommand:
            complain(error.description)
            return 2
        case let error as CommandError:
            complain(error.description)
            return 1
        case let error as QueryTextError:
            complain(error.message)
            for line in QueryFault.lines(error) { Output.errors.say(line) }
            return 2
        case let error as SystemError:
            complain(error.description)
            return 1
        default: return reportUsage(error)
        }
    }

    /// What to do next, where there is no daemon, or one that does not answer.
    private static func advice(on error: ClientError) -> String? {
        switch error.code {
        case .noDaemon:
            "Start one with 'systemctl --user start pickerd.socket', or by hand with 'pickerd FOLDER'."
        case .timedOut:
            "Look at it with 'systemctl --user status pickerd.service', start it anew with "
                + "'systemctl --user restart pickerd.service', or name another socket with --socket."
        default: nil
        }
    }

    /// Help and version come this way too: they are no failures and go to standard output.
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

    /// One line to standard error.
    static func complain(_ message: String) {
        Output.errors.say("pickerctl: \(VisibleText.escaping(message))")
    }
}
