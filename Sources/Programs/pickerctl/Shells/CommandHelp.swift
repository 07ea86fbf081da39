import ArgumentParser

// What the parser of arguments says of a command in its help is all that it tells; each option is a line of it if the
// lines are long enough.

/// The commands and their options, for shells.
package struct CommandHelp {
    package struct Option: Equatable {
        /// As `-s` and `--search`.
        package let names: [String]
        package let takesValue: Bool
        /// A sentence.
        package let note: String
    }

    package let options: [Option]

    /// The help of a command, which is named by one word or two; nil if there is none.
    package init?(of path: [String]) {
        if path == [Self.daemon] {
            options = Self.optionsOfDaemon
            return
        }
        var command: any ParsableCommand.Type = PickerCtl.self
        for name in path {
            guard let next = Self.commands(of: command).first(where: { Self.name($0) == name })
            else { return nil }
            command = next
        }
        let text = PickerCtl.helpMessage(for: command, columns: 10_000)
        options = text.split(separator: "\n").compactMap { Self.option(in: $0) }
    }

    /// The daemon's program, which has no commands; what it says of itself is not in this one.
    package static let daemon = "pickerd"

    private static let optionsOfDaemon = [
        Option(names: ["--root"], takesValue: true, note: "One more folder with documents."),
        Option(names: ["--socket"], takesValue: true, note: "Where to listen."),
        Option(names: ["--config"], takesValue: true, note: "The settings file."),
        Option(names: ["--state"], takesValue: true, note: "Where it keeps what outlives it."),
        Option(names: ["--log-level"], takesValue: true, note: "How much to log."),
        Option(names: ["--version"], takesValue: false, note: "Say which version this is."),
        Option(names: ["-h", "--help"], takesValue: false, note: "Show help information."),
    ]

    package func takesValue(_ name: String) -> Bool {
        options.contains { $0.takesValue && $0.names.contains(name) }
    }

    /// The commands below a command, each with a sentence.
    package static func commands(below path: [String]) -> [(name: String, note: String)] {
        var command: any ParsableCommand.Type = PickerCtl.self
        for name in path {
            guard let next = commands(of: command).first(where: { Self.name($0) == name })
            else { return [] }
            command = next
        }
        let found = commands(of: command).map { (name($0), $0.configuration.abstract) }
        return path.isEmpty ? found + [("help", "Show help for a command.")] : found
    }

    private static func commands(
        of command: any ParsableCommand.Type
    ) -> [any ParsableCommand.Type] {
        // Those in groups are among them.
        command.configuration.subcommands
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    /// As `  -s, --search <text>     Only names that contain this.`
    private static func option(in line: Substring) -> Option? {
        guard line.hasPrefix("  -") else { return nil }
        let line = line.drop { $0 == " " }
        // Two spaces are between the names and the note.
        var end = line.startIndex
        while end < line.endIndex, !line[end...].hasPrefix("  ") { end = line.index(after: end) }
        var words = line[..<end].split(whereSeparator: { $0 == " " || $0 == "," })
        let names = words.prefix { $0.hasPrefix("-") }.map { String($0) }
        words.removeFirst(names.count)
        let note = line[end...].drop { $0 == " " }
        return Option(names: names, takesValue: !words.isEmpty, note: String(note))
    }
}
