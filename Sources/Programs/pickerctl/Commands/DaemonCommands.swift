import ArgumentParser
import PickerClient

// The commands about the daemon itself that print a line at most, and the one that only relays lines.

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Wait until the daemon has seen all changes so far, and print the revision.")

    @Option(help: ArgumentHelp("How long it may take, in milliseconds.", valueName: "ms"))
    var timeout: Int?
    @OptionGroup var common: CommonOptions

    func validate() throws { try require("--timeout", timeout, atLeast: 0) }

    func run() throws {
        let rev = try common.connect().ask(.sync(timeoutMs: timeout))
        try Output.standard.writeLine("\(rev)")
    }
}

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the daemon read its settings again.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.connect().send(.reload).wait()
    }
}

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

struct SocketPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "socket-path", abstract: "Print where the daemon's socket is expected.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        try Output.standard.writeLine(try common.socketPath())
    }
}
