import ArgumentParser
import PickerClient

/// The command line.
struct PickerCtl: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pickerctl",
        abstract: "Talk to pickerd, the daemon behind document pickers.",
        discussion: """
            The daemon is found at --socket, else at $PICKERD_SOCKET, else at \
            $XDG_RUNTIME_DIR/pickerd/pickerd.sock.

            Exit status: 0 done, 1 the daemon said no or the output could not be written, 2 wrong \
            arguments, 3 no daemon, 4 events lost.
            """,
        version: "pickerctl \(ClientVersion.text)",
        groupedSubcommands: [
            CommandGroup(
                name: "Document",
                subcommands: [
                    ListCommand.self, WatchCommand.self, PickingCommand.self, LayoutCommand.self,
                    GetCommand.self, WhyCommand.self, NewCommand.self, StatsCommand.self,
                ]),
            CommandGroup(
                name: "Feed",
                subcommands: [
                    FeedCommand.self, LikeCommand.self, DropCommand.self, RestoreCommand.self,
                ]),
            CommandGroup(
                name: "Action",
                subcommands: [
                    OpenCommand.self, RevealCommand.self, TrashCommand.self, ActionsCommand.self,
                ]),
            CommandGroup(
                name: "Event",
                subcommands: [EventsCommand.self, PublishCommand.self, ReplayCommand.self]),
            CommandGroup(
                name: "Daemon",
                subcommands: [
                    StatusCommand.self, DoctorCommand.self, PluginsCommand.self, SyncCommand.self,
                    ReloadCommand.self, StopCommand.self, RawCommand.self, SocketPathCommand.self,
                    ShellCommand.self,
                ]),
            CommandGroup(name: "Plugin", subcommands: [PluginCommand.self]),
        ])

    @OptionGroup(title: "Everywhere") var common: CommonOptions

    static var commandNames: [String] {
        configuration.groupedSubcommands.flatMap(\.subcommands).compactMap {
            $0.configuration.commandName
        }
    }
}
