import ArgumentParser
import PickerClient

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish an event, and print its number.",
        discussion: "Example: pickerctl publish app.saved '{\"key\":\"f81\"}'")

    @Argument(help: "Dot-separated words of a-z, 0-9 and '-'.")
    var topic: String
    @Argument(help: ArgumentHelp("Its data; '-' reads it from standard input.", valueName: "json"))
    var data: String?
    @OptionGroup var common: CommonOptions

    func run() throws {
        let text = data == "-" ? try StandardInput.text(for: "the data") : data
        let json: RawJSON?
        do {
            json = try text.map { text throws(ClientError) in try RawJSON(text) }
        } catch {
            throw ValidationError("The data is \(error).")
        }
        let connection = try common.connect()
        let number = try connection.send(.publish(topic: topic, data: json)).wait()
        try Output.standard.writeLine("\(number)")
    }
}
