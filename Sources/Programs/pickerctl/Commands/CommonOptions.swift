import ArgumentParser
import PickerClient

/// When to use colour.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}

/// The options that every command has.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    @Option(help: "Colour: auto (on a terminal, unless NO_COLOR is set), always or never.")
    var color: ColorChoice = .auto

    @Flag(name: .customLong("no-color"), help: "The same as --color never.")
    var noColor = false

    /// The path of the socket.
    func socketPath() throws(ClientError) -> String {
        try SocketPath.resolve(explicit: socket)
    }

    /// A connection to the daemon. It ends if the daemon hangs, unless a person is there to end it.
    func connect(limitingSilence: Bool = true) throws(ClientError) -> PickerConnection {
        let path = try socketPath()
        let connection = try PickerConnection(to: path, on: PollLoop())
        if limitingSilence { try SilenceLimit.begin(on: connection, to: path) }
        return connection
    }

    /// Colours for standard output.
    var palette: Palette {
        switch noColor ? .never : color {
        case .always: Palette(isOn: true)
        case .never: Palette(isOn: false)
        case .auto: Palette(isOn: Terminal.output.wantsColor)
        }
    }
}

extension ParsableArguments {
    /// Refuses a number below the least.
    func require(_ option: String, _ number: Int?, atLeast least: Int) throws(ValidationError) {
        guard let number, number < least else { return }
        throw ValidationError("\(option) \(number): it must be \(least) or more.")
    }
}

/// How a text is searched for.
struct MatchOptions: ParsableArguments {
    @Flag(
        name: .customLong("fuzzy"),
        help: "Search as fzf does, in folders and names; the best match first. See pickerctl(1).")
    var isFuzzy = false

    @Flag(name: .customLong("words"), help: "Search for each word, in any order.")
    var isOfWords = false

    func validate() throws {
        if isFuzzy, isOfWords {
            throw ValidationError("--fuzzy and --words can't both be given; leave one out.")
        }
    }

    /// Sets how the query searches.
    func apply(to query: inout ListQuery) throws {
        if isOfWords {
            if query.match == .fuzzy {
                throw ValidationError("--words and '~' can't both be given; leave one out.")
            }
            query.match = .words
        }
        if isFuzzy { query.match = .fuzzy }
    }
}

/// The collections from which documents are drawn.
struct CollectionOptions: ParsableArguments {
    @Option(
        name: .customLong("in"),
        help: ArgumentHelp(
            """
            Only documents of this collection: 'documents', the path of a root, a source of a \
            plugin as 'recent:recent', or a name that another program has from collections.open. \
            May be given several times.
            """, valueName: "collection"))
    var collections: [String] = []

    func apply(to query: inout ListQuery) { query.collections += collections }
}

/// A folder whose documents are looked at once, wherever it is.
struct FolderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Only documents below this folder, which need not be in a root: the daemon reads it \
            for this command. May be given several times.
            """, valueName: "path"))
    var folder: [String] = []

    /// Opens the folders, as long as the connection lasts.
    func open(on connection: PickerConnection, for query: inout ListQuery) throws(ClientError) {
        if folder.isEmpty { return }
        let here = DocumentFinder.workingFolders().first ?? []
        for path in folder {
            let bytes = RawArguments.bytes(of: path)
            let isAbsolute = bytes.first == UInt8(ascii: "/")
            let whole = isAbsolute ? bytes : here + [UInt8(ascii: "/")] + bytes
            let opened = try connection.send(.openCollection(pathBytes: whole)).wait()
            try connection.ask(.readCollection(opened.name))
            query.collections.append(opened.name)
        }
    }
}

/// The items and their order.
struct ListOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            What to show, as 'report type:pdf size:>1M modified:<7d sort:-size': words are searched \
            for in names, with '~' before each as fzf does; the others are conditions. See \
            pickerctl(1).
            """, valueName: "query"))
    var words: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Only names that contain this.", valueName: "text"))
    var search: String?

    @OptionGroup var matching: MatchOptions
    @OptionGroup var drawn: CollectionOptions

    // A value may begin with "-", so it is parsed unconditionally.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Sort keys with commas between: name, modified, size, type, path, liked, date, which \
            is the latest first, and score, with --fuzzy; '-' in front reverses.
            """, valueName: "keys"))
    var sort: String?

    @Option(
        name: [.customShort("n"), .long],
        help: ArgumentHelp("At most so many rows.", valueName: "count"))
    var limit: Int?

    @Flag(help: "JSON, one value a line, as the daemon sends it, with absolute paths.")
    var json = false

    @Flag(
        name: .customLong("with-new"),
        help: "Also the picker's row for a new document, which a list without a search begins with."
    )
    var withNew = false

    func validate() throws {
        try require("--limit", limit, atLeast: 0)
    }

    /// The query of words and options. A fuzzy one is sorted by score, unless it has another order or is for
    /// pages, which can't be.
    func query(forPages isPaged: Bool = false) throws -> ListQuery {
        // In whole seconds, so that ages are printed as dates.
        let now = Timestamp(Timestamp.now.seconds.rounded(.down))
        var query = try ListQuery(text: words.joined(separator: " "), at: now)
        func refuseBoth(_ isTwice: Bool, _ option: String, _ word: String) throws {
            if isTwice {
                throw ValidationError("\(option) and \(word) can't both be given; leave one out.")
            }
        }
        if let search, !search.isEmpty {
            try refuseBoth(query.search != nil, "--search", "words to search for")
            query.search = search
        }
        if let sort, !sort.isEmpty {
            try refuseBoth(!query.sort.isEmpty, "--sort", "'sort:'")
            query.sort = sort.split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0) }
            for key in query.sort {
                if let problem = SortKey.problem(with: key) {
                    throw ValidationError("--sort \(sort): \(problem).")
                }
            }
        }
        if let limit {
            try refuseBoth(query.count != nil, "--limit", "'limit:'")
            query.count = limit
        }
        try matching.apply(to: &query)
        drawn.apply(to: &query)
        if query.sort.contains(where: { $0 == "score" || $0 == "-score" }) {
            if isPaged {
                throw ValidationError(
                    "pages can't be sorted by score; 'pickerctl list' shows all at once.")
            }
            if query.match != .fuzzy {
                throw ValidationError(
                    "only a fuzzy search has scores to sort by: add --fuzzy, or another key.")
            }
        } else if query.match == .fuzzy, query.search != nil, query.sort.isEmpty, !isPaged {
            query.sort = ["score"]
        }
        return query
    }
}

extension ListQuery {
    /// The item `new` is in lists without a search.
    var hasNewRow: Bool { search == nil }

    /// Whether the list contains the item `new` although it is not to be shown.
    func hidesNewRow(_ isWanted: Bool) -> Bool { hasNewRow && !isWanted }

    /// The query with what is found in names, if that is shown.
    func marked(if isShown: Bool) -> ListQuery {
        guard isShown, search != nil else { return self }
        var query = self
        query.highlights = true
        return query
    }

    /// The query with the fields that its rows have: those of a format, and where items of sources are, which have no path.
    func showing(_ format: RowFormat?) -> ListQuery {
        var query = self
        query.fields = format?.fields ?? fields
        if collections.contains(where: { $0.first != "/" && $0.contains(":") }) {
            query.fields = (query.fields ?? RowFormat.members + ["attributes"]) + ["uri"]
        }
        return query
    }

    /// The query for a list without the item `new`, unless it is to be shown: then no layout includes it
    /// either.
    func leavingOutNew(unless isWanted: Bool) -> ListQuery {
        guard hidesNewRow(isWanted) else { return self }
        var query = self
        query.start = start.addingReportingOverflow(1).partialValue
        return query
    }

    /// The query for the same number of documents, whether or not the item `new` precedes them; unchanged
    /// if that is to be shown.
    func countingDocuments(withNew isWanted: Bool) -> ListQuery {
        guard hidesNewRow(isWanted) else { return self }
        var query = self
        if start > 0 {
            query.start = start.addingReportingOverflow(1).0
        } else {
            query.count = count.map { $0.addingReportingOverflow(1).0 }
        }
        return query
    }
}
