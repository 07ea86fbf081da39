import PickerClient
import SystemInterface

// Resolves typed paths to documents: a path is relative to the current folder, absolute, or else relative
// to a watched folder, in that order. The daemon decides which folders are watched and which documents
// exist; the disk is read only for the alternative names of folders. If two watched folders have the
// document, neither is chosen.

/// Finds documents by paths.
package struct DocumentFinder {
    /// The most paths requested at once, and in one request.
    static let mostAtOnce = 1000

    /// A watched folder with the daemon's path and all other known paths of it.
    package struct Root {
        let path: [UInt8]
        let names: [[UInt8]]

        package init(_ path: String, alsoCalled others: [[UInt8]] = []) {
            self.path = Array(path.utf8)
            names = [self.path] + others.filter { $0 != Array(path.utf8) }
        }
    }

    private let roots: [Root]
    /// The current folder, by all its paths.
    private let folders: [[UInt8]]

    package init(roots: [Root], folders: [[UInt8]]) {
        self.roots = roots
        self.folders = folders
    }

    /// Creates a finder with the daemon's folders.
    init(on connection: PickerConnection) throws(ClientError) {
        self.init(
            rootsOf: try connection.send(.info).wait(), folders: Self.workingFolders())
    }

    /// Creates a finder with the folders that a daemon has told, and the current folder by all its paths.
    init(rootsOf info: DaemonStatus, folders: [[UInt8]]) {
        let roots = info.roots.map { root in
            Root(root.path, alsoCalled: Self.realPath(Array(root.path.utf8)).map { [$0] } ?? [])
        }
        self.init(roots: roots, folders: folders)
    }

    // MARK: Where a path may lead

    /// The absolute paths below watched folders that `path` may mean; earlier groups take precedence.
    package func candidates(for path: [UInt8]) -> [[[UInt8]]] {
        guard path.first != Self.slash else { return [placed(path)] }
        let here = Self.distinct(folders.flatMap { placed($0 + [Self.slash] + path) })
        let inRoots = Self.normalized(path).map { relative in
            roots.map { Self.joined($0.path, relative) }
        }
        return [here, inRoots ?? []]
    }

    /// The absolute path of what may not be a document: in the daemon's terms if it is in a watched folder. A relative
    /// one is relative to the current folder.
    func absolute(_ path: [UInt8]) -> [UInt8] {
        let here = folders.first ?? [Self.slash]
        let whole = path.first == Self.slash ? path : here + [Self.slash] + path
        return placed(whole).first ?? [Self.slash] + (Self.normalized(whole) ?? [])
    }

    /// Whether a folder is a watched one, or below one, or has one below it. The path is absolute.
    package func leadsToDocuments(_ folder: [UInt8]) -> Bool {
        guard let parts = Self.normalized(folder) else { return !roots.isEmpty }
        let path = [Self.slash] + parts + [Self.slash]
        return roots.contains { root in
            root.names.contains { name in
                let name = name.last == Self.slash ? name : name + [Self.slash]
                return path.starts(with: name) || name.starts(with: path)
            }
        }
    }

    /// The absolute path in the daemon's terms, for each watched folder that contains it.
    private func placed(_ path: [UInt8]) -> [[UInt8]] {
        guard let parts = Self.normalized(path) else { return [] }
        let path = [Self.slash] + parts
        return Self.distinct(
            roots.flatMap { root in
                root.names.compactMap { name in
                    let folder = name.last == Self.slash ? name : name + [Self.slash]
                    guard path.starts(with: folder) else { return nil }
                    return Self.joined(root.path, Array(path.dropFirst(folder.count)))
                }
            })
    }

    private static let slash = UInt8(ascii: "/")

    private static func joined(_ folder: [UInt8], _ path: [UInt8]) -> [UInt8] {
        (folder.last == slash ? folder : folder + [slash]) + path
    }

    private static func distinct(_ paths: [[UInt8]]) -> [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return paths.filter { seen.insert($0).inserted }
    }

    /// Without slashes at the ends, `.` and `..`; nil if it leads out of the folder.
    private static func normalized(_ path: [UInt8]) -> [UInt8]? {
        var parts: [ArraySlice<UInt8>] = []
        for part in path.split(separator: slash) where part != [UInt8(ascii: ".")] {
            if part == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                if parts.popLast() == nil { return nil }
            } else {
                parts.append(part)
            }
        }
        return parts.isEmpty ? nil : Array(parts.joined(separator: [slash]))
    }

    // MARK: Asking

    /// The document of each path. Throws if any of them does not exist.
    func find(
        _ paths: [String], on connection: PickerConnection
    ) throws -> [RemoteDocument] {
        var found: [RemoteDocument] = []
        var rest = paths[...]
        while !rest.isEmpty {
            // The requests sent at once stay far below the queue limit of a connection.
            let part = rest.prefix(max(1, Self.mostAtOnce / (roots.count + 1)))
            rest = rest.dropFirst(part.count)
            let asked = part.map { path in
                (
                    path,
                    candidates(for: RawArguments.bytes(of: path)).map { group in
                        group.map { ($0, connection.send(.document(pathBytes: $0))) }
                    }
                )
            }
            for (path, groups) in asked { found.append(try choose(path, groups)) }
        }
        return found
    }

    private func choose(
        _ path: String, _ groups: [[([UInt8], Reply<RemoteDocument>)]]
    ) throws -> RemoteDocument {
        for group in groups {
            var found: [(path: [UInt8], document: RemoteDocument)] = []
            for (candidate, reply) in group {
                do throws(ClientError) {
                    let document = try reply.wait()
                    if !found.contains(where: { $0.document.key == document.key }) {
                        found.append((candidate, document))
                    }
                } catch {
                    guard error.isRefusal(.noSuchItem) else { throw error }
                }
            }
            if found.count > 1 {
                let places = found.map { "'\(Self.text($0.path))'" }.joined(separator: " and ")
                throw CommandError(
                    "'\(RawArguments.shown(path))' is \(places): give the one that is meant")
            }
            if let only = found.first { return only.document }
        }
        throw CommandError(nothing(at: path))
    }

    private func nothing(at path: String) -> String {
        let shown = RawArguments.shown(path)
        let watched = roots.map { "'\(Self.text($0.path))'" }.joined(separator: " or ")
        if path.hasPrefix("/") {
            return "there is no document at '\(shown)'; pickerd has those below \(watched)"
        }
        let here = folders.first.map { "in '\(Self.text($0))', " } ?? ""
        return "there is no document at '\(shown)': neither \(here)nor below \(watched)"
    }

    private static func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

    // MARK: Where the program runs

    /// The shell's path, if it is valid, and the kernel's.
    static func workingFolders() -> [[UInt8]] {
        guard let real = realPath([UInt8(ascii: ".")]) else { return [] }
        let told = CurrentProcess.environment("PWD").map { Array($0.utf8) } ?? []
        let isTrue = told.first == slash && realPath(told) == real
        return distinct((isTrue ? [told] : []) + [real])
    }

    private static func realPath(_ path: [UInt8]) -> [UInt8]? {
        try? RawPath(bytes: path)?.resolved().bytes
    }
}
