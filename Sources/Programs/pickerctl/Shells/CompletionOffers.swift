import PickerClient

/// What a shell offers at a place of a command line.
struct CompletionOffers {
    enum Kind: String {
        /// Texts that begin with what is typed.
        case words
        /// Paths that begin with what is typed; folders end in a slash.
        case paths
        /// Paths that take the place of what is typed.
        case elsewhere
        /// What the shell itself offers.
        case files, folders
    }

    /// A text, and what it is in a few words.
    typealias Word = (text: [UInt8], note: String)

    let kind: Kind
    let words: [Word]

    private init(_ kind: Kind, _ words: [Word] = []) {
        self.kind = kind
        self.words = words
    }

    init(at place: CompletionPlace) {
        let options: [Word] = place.options.flatMap { option in
            option.names.filter { Array($0.utf8).starts(with: place.typed) }
                .map { (Array($0.utf8), Self.short(option.note)) }
        }
        let offers = Self.offers(at: place)
        guard !options.isEmpty else {
            self = offers
            return
        }
        self = Self(.words, options + (offers.kind == .words ? offers.words : []))
    }

    /// What fits into a line beside a word.
    private static func short(_ note: String) -> String {
        guard note.count > mostLetters else { return note }
        let start = note.prefix(mostLetters)
        return start[..<(start.lastIndex(of: " ") ?? start.endIndex)] + "…"
    }

    private static let mostLetters = 60

    private static func offers(at place: CompletionPlace) -> Self {
        let typed = String(decoding: place.typed, as: UTF8.self)
        func words(_ texts: [String]) -> Self { noted(texts.map { ($0, "") }) }
        func noted(_ found: [(String, String)]) -> Self {
            let rest = found.filter { $0.0.utf8.starts(with: place.typed) }
            return Self(.words, rest.map { (place.head + Array($0.0.utf8), $0.1) })
        }
        func ask<Value>(_ request: DaemonRequest<Value>) -> Value? {
            CompletionDaemon(socket: place.socket)?.ask(request)
        }
        switch place.kind {
        case .nothing: return Self(.words)
        case .files: return Self(.files)
        case .folders: return Self(.folders)
        case .words(let texts): return words(texts)
        case .topics: return words(CompletionWords.topics)
        case .commands(let path): return noted(CommandHelp.commands(below: path))
        case .documents(let areDropped): return documents(at: place, areDropped: areDropped)
        case .query:
            guard !typed.isEmpty else { return words(QueryWords.offered) }
            let query = TypedQuery(text: typed, at: Timestamp(0), in: .utc)
            let names = ask(.attributeNames) ?? []
            return noted(
                QueryWords.completions(for: query, attributes: names).map { word in
                    (
                        String(decoding: place.typed[..<word.range.lowerBound], as: UTF8.self)
                            + word.text,
                        word.note
                    )
                })
        case .sortKeys:
            let before = typed.lastIndex(of: ",").map { String(typed[...$0]) } ?? ""
            let names = ask(.attributeNames) ?? []
            return words(
                QueryWords.sortKeys(behind: before, attributes: names).map { before + $0 })
        case .attributes: return words(ask(.attributeNames) ?? [])
        case .plugins: return noted((ask(.plugins) ?? []).map { ($0.id, $0.summary) })
        case .roots: return words((ask(.info)?.roots ?? []).map(\.path))
        case .collections: return words((ask(.collections) ?? []).map(\.name))
        case .actions: return actions(at: place)
        }
    }

    private static func documents(at place: CompletionPlace, areDropped: Bool) -> Self {
        guard let daemon = CompletionDaemon(socket: place.socket),
            let offers = DocumentOffers(daemon, areDropped: areDropped)
        else { return Self(.files) }
        switch offers.outcome(for: place.typed) {
        case .paths(let paths): return Self(.paths, paths.map { ($0, "") })
        case .elsewhere(let paths): return Self(.elsewhere, paths.map { ($0, "") })
        case .unknown: return Self(.files)
        }
    }

    /// The actions on the documents that stand in the line already; without any, those on the latest document.
    private static func actions(at place: CompletionPlace) -> Self {
        guard let daemon = CompletionDaemon(socket: place.socket), let info = daemon.ask(.info)
        else { return Self(.words) }
        let finder = DocumentFinder(rootsOf: info, folders: DocumentFinder.workingFolders())
        let paths = Set(place.arguments.prefix(100).flatMap { finder.candidates(for: $0).joined() })
        let documents = daemon.ask(
            paths.map { DaemonRequest<RemoteDocument>.document(pathBytes: $0) })
        var keys = documents.compactMap { $0?.key }
        if keys.isEmpty {
            let latest = ListQuery(sort: ["date"], start: 1, count: 1, fields: ["name"])
            keys = daemon.ask(.items(latest))?.items.map(\.key) ?? []
        }
        let found = (keys.isEmpty ? nil : daemon.ask(.actions(keys: keys))) ?? []
        return Self(
            .words,
            found.filter { $0.id.utf8.starts(with: place.typed) }
                .map { (place.head + Array($0.id.utf8), $0.title) })
    }
}
