import ArgumentParser
import PickerClient

// Likes and drops. The documents are looked up first: if one does not exist, nothing is changed.

struct LikeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "like", abstract: "Like documents, or no longer.",
        discussion: """
            A like stays with its document when that is renamed or saved, and when the daemon is \
            started again. 'list --sort=-liked,name' has those that are liked first.
            """)

    @Argument(
        help: ArgumentHelp(
            "Paths, from here, absolute, or from a watched folder.", valueName: "path"),
        completion: .file())
    var paths: [String]
    @Flag(name: .shortAndLong, help: "They are no longer liked.")
    var remove = false
    @Flag(name: .shortAndLong, help: "Each the other way round; prints how they are now.")
    var toggle = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if remove, toggle { throw ValidationError("--remove and --toggle exclude each other.") }
    }

    func run() throws {
        let connection = try common.connect()
        let keys = try DocumentKeys.find(paths, on: connection)
        guard toggle else {
            for part in DocumentKeys.parts(keys) {
                _ = try connection.send(.like(keys: part, !remove)).wait()
            }
            return
        }
        for (path, key) in zip(paths, keys) {
            let isLiked = try connection.send(.like(key: key, nil)).wait()
            let word = isLiked ? "liked" : "not liked"
            try Output.standard.writeLine(
                "\(word): \(VisibleText.escaping(RawArguments.shown(path)))")
        }
    }
}

struct DropCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Take documents out of all lists; the files stay.",
        discussion: """
            'pickerctl list is:dropped' shows them, and 'pickerctl restore' takes them in again.
            """)

    @Argument(
        help: ArgumentHelp(
            "Paths, from here, absolute, or from a watched folder.", valueName: "path"),
        completion: .file())
    var paths: [String]
    @OptionGroup var common: CommonOptions

    func run() throws {
        let connection = try common.connect()
        for part in DocumentKeys.parts(try DocumentKeys.find(paths, on: connection)) {
            try connection.send(.drop(keys: part)).wait()
        }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Take documents that were dropped into the lists again.")

    @Argument(
        help: ArgumentHelp(
            "Paths, from here, absolute, or from a watched folder.", valueName: "path"),
        completion: .file())
    var paths: [String] = []
    @Flag(help: "All that were dropped, also those whose files are gone.")
    var all = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if all != paths.isEmpty {
            throw ValidationError(
                all ? "Give paths or --all, not both." : "Say which: give paths, or --all.")
        }
    }

    func run() throws {
        let connection = try common.connect()
        if all { return try connection.send(.restoreAll).wait() }
        for part in DocumentKeys.parts(try DocumentKeys.find(paths, on: connection)) {
            try connection.send(.restore(keys: part)).wait()
        }
    }
}

/// Maps paths to the keys of documents.
enum DocumentKeys {
    /// The key of each path's document. All are requested at once.
    static func find(_ paths: [String], on connection: PickerConnection) throws -> [String] {
        try DocumentFinder(on: connection).find(paths, on: connection).map(\.key)
    }

    static func parts(_ keys: [String]) -> [[String]] {
        stride(from: 0, to: keys.count, by: DocumentFinder.mostAtOnce).map {
            Array(keys[$0..<min($0 + DocumentFinder.mostAtOnce, keys.count)])
        }
    }
}
