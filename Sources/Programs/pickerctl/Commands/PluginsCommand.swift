import ArgumentParser
import JSONText
import PickerClient
import TerminalCells
import WireProtocol

struct PluginsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract:
            "Say which plugins the daemon has, switch them off and on, and see what they print.",
        discussion: """
            Without arguments it lists them. What a plugin that is off had open is closed, and its \
            methods are refused; what it keeps stays. For a part of the daemon that lasts until it is \
            switched on or the daemon ends: 'enabled = false' in its section of the settings file lasts \
            for good. A plugin that is a program stays off or on.

            'restart' ends the process of a plugin and forgets its failures, 'info' says all that is \
            known about one, and 'logs' prints what its processes have printed.
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, enable, disable, restart, logs, info
    }

    @Argument(help: "What to do: list, enable, disable, restart, logs or info.")
    var action = Action.list
    @Argument(help: ArgumentHelp("The plugin.", valueName: "id"))
    var id: String?
    @Flag(help: "With the settings of each, as they are in force.")
    var settings = false
    @Flag(name: .shortAndLong, help: "With 'logs': go on with what is printed from now on.")
    var follow = false
    @Flag(help: "JSON: the daemon's own answer, on one line.")
    var json = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if action == .list, id != nil {
            throw ValidationError("'list' takes no plugin: it lists them all")
        }
        if action != .list, id == nil {
            throw ValidationError("say which plugin: 'pickerctl plugins' lists them")
        }
        if follow, action != .logs {
            throw ValidationError("--follow is for 'logs' only")
        }
    }

    func run() throws {
        let connection = try common.connect()
        let id = id ?? ""
        switch action {
        case .enable: try connection.send(.enablePlugin(id)).wait()
        case .disable: try connection.send(.disablePlugin(id)).wait()
        case .restart: try connection.send(.restartPlugin(id)).wait()
        case .logs: try PluginLogPrinter(follows: follow, asJSON: json).run(id, on: connection)
        case .list, .info:
            if json, action == .list {
                let answer = connection.send(.raw("plugins.list"))
                return try Output.standard.writeJSON(try answer.wait().text)
            }
            let plugins = try connection.send(.plugins).wait()
            let lines =
                action == .list
                ? lines(plugins) : try PluginDetails(of: id, among: plugins).lines(common.palette)
            for line in lines { try Output.standard.writeLine(line) }
        }
    }

    private func lines(_ plugins: [DaemonPlugin]) -> [String] {
        let palette = common.palette
        var table = Table([Table.Column(), Table.Column(paint: palette.green), Table.Column()])
        for plugin in plugins {
            let about = plugin.reason.map { "\(plugin.summary) (\($0))" } ?? plugin.summary
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
