import ArgumentParser
import PickerClient
import TerminalCells

// Likes and drops. The documents are looked up first: if one does not exist, nothing is changed.

struct LikeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "like", abstract: "Like documents, or no longer.",
        discussion: """
            A like stays with its document when that is renamed or saved, and when the daemon is \
            started again. 'list --sort=-liked,name' has those that are liked first.
            """)

    @OptionGroup var documents: DocumentPaths
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
        guard toggle else {
            return try connection.mark(documents.paths) { .like(keys: $0, !remove) }
        }
        let found = try DocumentFinder(on: connection).find(documents.paths, on: connection)
        for (path, key) in zip(documents.paths, found.map(\.key)) {
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

    @OptionGroup var documents: DocumentPaths
    @OptionGroup var common: CommonOptions

    func run() throws {
        try common.connect().mark(documents.paths) { .drop(keys: $0) }
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Take documents that were dropped into the lists again.")

    @Argument(help: DocumentPaths.help)
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
        try connection.mark(paths) { .restore(keys: $0) }
    }
}

extension PickerConnection {
    /// Sends a request about the documents at `paths`, with as many keys as the daemon takes at once.
    fileprivate func mark<Answer>(
        _ paths: [String], by request: (_ keys: [String]) -> DaemonRequest<Answer>
    ) throws {
        var keys = try DocumentFinder(on: self).find(paths, on: self).map(\.key)[...]
        while !keys.isEmpty {
            _ = try send(request(Array(keys.prefix(DocumentFinder.mostAtOnce)))).wait()
            keys = keys.dropFirst(DocumentFinder.mostAtOnce)
        }
    }
}
