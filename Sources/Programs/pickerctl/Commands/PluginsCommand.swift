import ArgumentParser
import PickerClient

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "Say which plugins the daemon has, and switch them off and on.",
        discussion: """
            Without arguments it lists them. What a plugin that is off had open is closed, and its \
            methods are refused; what it keeps stays. That lasts until it is switched on or the daemon \
            ends: 'enabled = false' in its section of the settings file lasts for good.
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, enable, disable
    }

    @Argument(help: "What to do: list, enable or disable.")
    var action = Action.list
    @Argument(help: ArgumentHelp("The plugin.", valueName: "id"))
    var id: String?
    @Flag(help: "With the settings of each, as they are in force.")
    var settings = false
    @Flag(help: "JSON: the daemon's own answer, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        switch (action, id) {
        case (.list, _?): throw ValidationError("'list' takes no plugin: it lists them all")
        case (.enable, nil), (.disable, nil):
            throw ValidationError("say which plugin: 'pickerctl plugins' lists them")
        default: break
        }
    }

    func run() throws {
        let connection = try common.connect()
        switch action {
        case .enable: try connection.send(.enablePlugin(id ?? "")).wait()
        case .disable: try connection.send(.disablePlugin(id ?? "")).wait()
        case .list:
            if json {
                let answer = connection.send(.raw("plugins.list"))
                return try Output.standard.writeJSON(try answer.wait().text)
            }
            for line in lines(try connection.send(.plugins).wait()) {
                try Output.standard.writeLine(line)
            }
        }
    }

    private func lines(_ plugins: [DaemonPlugin]) -> [String] {
        let palette = common.palette
        var table = Table([Table.Column(), Table.Column(paint: palette.green), Table.Column()])
        for plugin in plugins {
            let about = plugin.reason.map { "\(plugin.summary) \($0)" } ?? plugin.summary
            table.add([plugin.id, plugin.state, about].map { VisibleText.escaping($0) })
            if settings {
                for setting in plugin.settings {
                    table.add(
                        ["  " + setting.name, setting.value, setting.summary]
                            .map { VisibleText.escaping($0) })
                }
            }
        }
        return table.lines()
    }
}
