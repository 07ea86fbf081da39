import ArgumentParser
import PickerClient

struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Wait until the daemon has seen all changes so far, and print the revision.")

    @Option(help: ArgumentHelp("How long it may take, in milliseconds.", valueName: "ms"))
    var timeout: Int?
    @OptionGroup var common: CommonOptions

    func validate() throws { try require("--timeout", timeout, atLeast: 0) }

    func run() throws {
        let rev = try common.connect().send(.sync(timeoutMs: timeout)).wait()
        try Output.standard.writeLine("\(rev)")
    }
}
