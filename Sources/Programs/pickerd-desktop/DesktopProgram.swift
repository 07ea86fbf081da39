import ArgumentParser
import DesktopSearch
import Glibc
import MessageBus
import PickerClient
import SystemInterface

/// The program, from its arguments to its exit status.
enum DesktopProgram {
    static func run(_ arguments: [String]) -> Int32 {
        do {
            let command = try DesktopCommand.parse(arguments)
            return try serve(command) ? 0 : 1
        } catch let error as SystemError {
            say("\(error)")
            return 1
        } catch let error as ClientError {
            say("\(error)")
            return 1
        } catch {
            return reportUsage(error)
        }
    }

    private static func serve(_ command: DesktopCommand) throws -> Bool {
        let socket = try SocketPath.resolve(explicit: command.socket)
        // The name first: whoever has called waits for it, and for nothing of the daemon.
        let bus = try BusService()
        guard try bus.claim(DesktopInterfaces.busName) else {
            say("another program has the name \(DesktopInterfaces.busName) on the bus")
            return false
        }
        let loop = PollLoop()
        let environment = CurrentProcess.environment()
        let terminals = TerminalStarter(
            on: loop, setting: command.terminal, socket: socket, environment: environment)
        let run = DesktopRun(
            bus, on: loop, desk: SearchDesk(socket: socket, on: loop),
            idle: .milliseconds(Int64(command.idle * 1000)),
            in: terminals, environment: environment, log: say)
        try run.run()
        return true
    }

    private static func reportUsage(_ error: any Error) -> Int32 {
        let message = DesktopCommand.fullMessage(for: error)
        guard DesktopCommand.exitCode(for: error) == .success else {
            say(message.hasPrefix("Error: ") ? String(message.dropFirst(7)) : message)
            return 2
        }
        print(message)
        return 0
    }

    /// Writes a line to standard error, which is the journal of a service.
    private static func say(_ text: String) {
        let line = Array("pickerd-desktop: \(text)\n".utf8)
        // One call, so that lines do not mix. If it fails there is nowhere to say so.
        _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
