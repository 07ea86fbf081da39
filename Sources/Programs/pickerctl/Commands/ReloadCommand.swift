import ArgumentParser
import PickerClient

struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the daemon read its settings again.")

    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.connect().send(.reload).wait()
    }
}
