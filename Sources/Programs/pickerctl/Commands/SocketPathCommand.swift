import ArgumentParser
import PickerClient

struct SocketPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "socket-path", abstract: "Print where the daemon's socket is expected.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        try Output.standard.writeLine(try common.socketPath())
    }
}
