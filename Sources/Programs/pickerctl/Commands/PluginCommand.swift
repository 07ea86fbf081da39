import ArgumentParser

struct PluginCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin",
        abstract: "Make, try and check a plugin that is a program.",
        discussion: """
            For those who write plugins; a first one is made step by step in contrib/plugins/TUTORIAL.md. \
            'pickerctl plugins' is about those that the daemon has.
            """,
        subcommands: [PluginNewCommand.self, PluginRunCommand.self, PluginCheckCommand.self])
}
