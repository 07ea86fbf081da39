import ArgumentParser

/// The documents that a command is about: at least one path.
struct DocumentPaths: ParsableArguments {
    static let help = ArgumentHelp(
        "Paths, from here, absolute, or from a watched folder.", valueName: "path")

    @Argument(help: help)
    var paths: [String]
}
