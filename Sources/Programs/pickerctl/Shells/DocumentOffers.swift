import PickerClient
import SystemInterface

// Documents for a path that is being typed. A folder is read from the disk, and the daemon is asked only which of the
// files in it that begin so are documents: that costs no more with a million documents elsewhere. If none begins so,
// the documents anywhere are offered whose names do.

/// The documents that a path may become.
struct DocumentOffers {
    enum Outcome: Equatable {
        /// Paths that begin with what is typed; folders have a slash at the end.
        case paths([[UInt8]])
        /// Paths that take its place.
        case elsewhere([[UInt8]])
        /// The daemon does not answer, or there is too much to ask.
        case unknown
    }

    /// The most entries of a folder that are read, and the most files of which the daemon is asked.
    private static let mostEntries = 50_000
    private static let mostFiles = 1000
    /// The most documents that are offered by their names.
    private static let mostElsewhere = 50

    private let daemon: CompletionDaemon
    private let finder: DocumentFinder
    private let folders: [[UInt8]]
    private let areDropped: Bool

    /// Nil if the daemon does not answer.
    init?(_ daemon: CompletionDaemon, areDropped: Bool) {
        guard let info = daemon.ask(.info) else { return nil }
        self.daemon = daemon
        self.areDropped = areDropped
        folders = DocumentFinder.workingFolders()
        finder = DocumentFinder(rootsOf: info, folders: folders)
    }

    func outcome(for typed: [UInt8]) -> Outcome {
        let split = typed.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0
        let folder = Array(typed[..<split])
        let piece = typed[split...]
        guard let entries = entries(of: folder, beginningWith: piece) else { return .unknown }
        var found: [[UInt8]] = []
        var files: [[UInt8]] = []
        for entry in entries {
            let path = absolute(folder + entry.name)
            if entry.isFolder {
                if finder.leadsToDocuments(path) {
                    found.append(folder + entry.name + [Self.slash])
                }
            } else {
                files.append(entry.name)
            }
        }
        guard files.count <= Self.mostFiles, let documents = documents(files, in: folder) else {
            return .unknown
        }
        found += documents.map { folder + $0 }
        // One letter says too little.
        if found.isEmpty, split == 0, piece.count > 1 { return elsewhere(typed) }
        return .paths(found.sorted { $0.lexicographicallyPrecedes($1) })
    }

    private static let slash = UInt8(ascii: "/")

    // MARK: On the disk

    private func entries(
        of folder: [UInt8], beginningWith piece: ArraySlice<UInt8>
    ) -> [(name: [UInt8], isFolder: Bool)]? {
        let showsHidden = piece.first == UInt8(ascii: ".")
        guard let path = RawPath(bytes: absolute(folder)) else { return [] }
        var found: [(name: [UInt8], isFolder: Bool)] = []
        var count = 0
        do throws(SystemError) {
            var reader = try DirectoryReader(opening: path)
            var links: [[UInt8]] = []
            while count <= Self.mostEntries,
                try reader.readBatch({ entry in
                    count += 1
                    guard entry.name.starts(with: piece),
                        showsHidden || entry.name.first != UInt8(ascii: ".")
                    else { return }
                    switch entry.kind {
                    case .directory: found.append((entry.name, true))
                    case .regular: found.append((entry.name, false))
                    case .symbolicLink, nil: links.append(entry.name)
                    case .socket, .other: break
                    }
                })
            {}
            if links.count > Self.mostFiles { return nil }
            for name in links {
                let status = try? FileStatus.of(name, in: reader.folder, followingLinks: true)
                found.append((name, status?.kind == .directory))
            }
        } catch {
            return []
        }
        return count > Self.mostEntries ? nil : found
    }

    /// The path of what is typed; a tilde is one's own folder.
    private func absolute(_ path: [UInt8]) -> [UInt8] {
        if path.first == Self.slash { return path }
        if path.starts(with: "~/".utf8), let home = CurrentProcess.environment("HOME") {
            return Array(home.utf8) + path.dropFirst(1)
        }
        return (folders.first ?? []) + [Self.slash] + path
    }

    // MARK: By the daemon

    /// Those of the files that are documents; nil if the daemon does not answer.
    private func documents(_ names: [[UInt8]], in folder: [UInt8]) -> [[UInt8]]? {
        var asked: [(name: [UInt8], path: [UInt8])] = []
        for name in names {
            asked += finder.candidates(for: absolute(folder + name))[0].map { (name, $0) }
        }
        let answers = daemon.ask(
            asked.map { DaemonRequest<RemoteDocument>.document(pathBytes: $0.path) })
        if daemon.isSilent { return nil }
        var found: [[UInt8]] = []
        for (question, answer) in zip(asked, answers)
        where answer?.isDropped == areDropped && found.last != question.name {
            found.append(question.name)
        }
        return found
    }

    private func elsewhere(_ typed: [UInt8]) -> Outcome {
        let text = String(decoding: typed, as: UTF8.self)
        let pattern = text.map { "*?[]{}\\!".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "*"
        var filter = PickerFilter.match(pattern, ignoringCase: true)
        if areDropped { filter = filter && .dropped }
        let query = ListQuery(
            sort: ["-frecency", "name"], search: text, filter: filter, count: Self.mostElsewhere,
            fields: ["root", "path"])
        guard let answer = daemon.ask(.items(query)) else { return .unknown }
        return .elsewhere(answer.items.compactMap { $0.absolutePathBytes.map { fromHere($0) } })
    }

    /// A path as it is typed here: relative if it is below the present folder.
    private func fromHere(_ path: [UInt8]) -> [UInt8] {
        for folder in folders where folder.last != Self.slash {
            guard path.starts(with: folder + [Self.slash]) else { continue }
            let relative = path.dropFirst(folder.count + 1)
            // No option.
            return (relative.first == UInt8(ascii: "-") ? Array("./".utf8) : []) + relative
        }
        return path
    }
}
