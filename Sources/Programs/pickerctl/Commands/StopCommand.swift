import ArgumentParser
import PickerClient

struct StopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the daemon.",
        discussion: """
            Under systemd the socket stays, and the next program that connects starts it again; \
            'systemctl --user stop pickerd.socket pickerd.service' stops both.
            """)

    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        do {
            try connection.send(.stop).wait()
        } catch {
            // The goodbye confirms the stop as well as the answer would.
            guard error.code == .disconnected, connection.goodbyeReason == "stopping" else {
                throw error
            }
        }
    }
}
