import ArgumentParser
import PickerClient

/// The arguments.
struct DesktopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pickerd-desktop",
        abstract:
            "Put pickerd's documents into the search of GNOME and of KRunner, and into dialogs.",
        discussion: """
            The bus of the session starts it when a desktop searches, or a program asks the portal for a \
            file, and it ends when none has for a while. Exit status: 0 done, 1 no bus, or it is \
            running already, 2 wrong arguments.
            """,
        version: "pickerd-desktop \(ClientVersion.text)")

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The time without a call after which it ends.", valueName: "seconds"))
    var idle: Double = 60

    @Option(
        help: ArgumentHelp(
            """
            The terminal for pickers. With arguments, the command follows these. Else \
            xdg-terminal-exec, $TERMINAL, or one that is installed.
            """, valueName: "command"))
    var terminal: String?

    func validate() throws {
        guard idle > 0, idle <= 86_400 else {
            throw ValidationError("--idle \(idle): it must be above 0, and a day (86400) at most.")
        }
    }
}
