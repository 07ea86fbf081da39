import Glibc
import PickerClient
import SystemInterface

// From what people type to documents: a path is relative to where the program runs, or absolute, or else
// relative to one of the folders that the daemon watches, in that order. Which folders those are is the daemon's
// to say, and whether a document is there, too: nothing is looked up on disk but by which names the folders
// go. Where two watched folders both have a document, nobody is guessed for.

/// Finds documents by paths.
package struct DocumentFinder {
    /// The most that are asked for at once, and that one request names.
    static let mostAtOnce = 1000

    /// A watched folder, as the daemon calls it, and all names that it is known to go by.
    package struct Root {
        let path: [UInt8]
        let names: [[UInt8]]

        package init(_ path: String, alsoCalled others: [[UInt8]] = []) {
            self.path = Array(path.utf8)
            names = [self.path] + others.filter { $0 != Array(path.utf8) }
        }
    }

    private let roots: [Root]
    /// Where the program runs, by its names.
    private let folders: [[UInt8]]

    package init(roots: [Root], folders: [[UInt8]]) {
        self.roots = roots
        self.folders = folders
    }

    /// One that knows the daemon's folders.
    init(on connection: PickerConnection) throws(ClientError) {
        let roots = try connection.info().wait().roots.map { root in
            Root(root.path, alsoCalled: Self.realPath(Array(root.path.utf8)).map { [$0] } ?? [])
        }
        self.init(roots: roots, folders: Self.workingFolders())
    }

    // MARK: Where a path may lead

    /// Absolute paths below watched folders that `path` may mean: each group counts before the next.
    package func candidates(for path: [UInt8]) -> [[[UInt8]]] {
        guard path.first != Self.slash else { return [placed(path)] }
        let here = Self.distinct(folders.flatMap { placed($0 + [Self.slash] + path) })
        let inRoots = Self.normalized(path).map { relative in
            roots.map { Self.joined($0.path, relative) }
        }
        return [here, inRoots ?? []]
    }

    /// The absolute path as the daemon would call it, once for each watched folder that it lies in.
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

    /// Without a slash at either end, `.` and `..`; nil if it leads up and out.
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

    /// The document of each path. If one is not there, none is had.
    func find(
        _ paths: [String], on connection: PickerConnection
    ) throws -> [RemoteDocument] {
        var found: [RemoteDocument] = []
        var rest = paths[...]
        while !rest.isEmpty {
            // What is sent at once stays far below what a connection keeps.
            let part = rest.prefix(max(1, Self.mostAtOnce / (roots.count + 1)))
            rest = rest.dropFirst(part.count)
            let asked = part.map { path in
                (
                    path,
                    candidates(for: RawArguments.bytes(of: path)).map { group in
                        group.map { ($0, connection.document(pathBytes: $0)) }
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

    /// As the shell calls it, if that is right, and as the kernel does.
    private static func workingFolders() -> [[UInt8]] {
        guard let real = realPath([UInt8(ascii: ".")]) else { return [] }
        let told = CurrentProcess.environment("PWD").map { Array($0.utf8) } ?? []
        let isTrue = told.first == slash && realPath(told) == real
        return distinct((isTrue ? [told] : []) + [real])
    }

    private static func realPath(_ path: [UInt8]) -> [UInt8]? {
        // The C string lives for the call; what comes back is ours to free.
        unsafe (path + [0]).withUnsafeBufferPointer { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress, let found = unsafe realpath(start, nil) else {
                    return nil
                }
                defer { unsafe free(found) }
                return unsafe Array(
                    UnsafeRawBufferPointer(start: found, count: strlen(found)))
            }
        }
    }
}
