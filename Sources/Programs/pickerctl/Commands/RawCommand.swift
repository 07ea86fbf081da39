import ArgumentParser
import PickerClient

struct RawCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raw", abstract: "Join standard input and output to the socket.",
        discussion: """
            Lines go to the daemon as they are, and its lines come back. At the end of the input \
            the daemon's remaining answers are printed.

            Example: echo '{"id":1,"method":"daemon.ping"}' | pickerctl raw
            """)

    @OptionGroup var common: CommonOptions

    func run() throws {
        let relay = try RawRelay(to: try common.socketPath())
        try relay.run()
    }
}
