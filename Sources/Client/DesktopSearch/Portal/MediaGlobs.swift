import SystemInterface

// From a media type to the names of its files: the other way round than the daemon, from the same lists.

/// The patterns of names by media type, from the lists of shared-mime-info.
package struct MediaGlobs: Sendable {
    private static let mostBytes = 4 << 20
    private static let octets = "application/octet-stream"

    private var globs: [String: Set<String>] = [:]
    private var aliases: [String: String] = [:]
    /// The types that are special cases of another one.
    private var children: [String: Set<String>] = [:]

    /// Reads the contents of files: `globs2`, `aliases` and `subclasses`.
    package init(globs: [[UInt8]], aliases: [[UInt8]] = [], subclasses: [[UInt8]] = []) {
        for words in Self.lines(globs, " ") {
            let fields = words[0].split(separator: ":", maxSplits: 3)
            guard fields.count > 2, fields[2] != "__NOGLOBS__" else { continue }
            self.globs[String(fields[1]), default: []].insert(fields[2].lowercased())
        }
        for words in Self.lines(aliases, " ") where words.count == 2 {
            self.aliases[String(words[0])] = String(words[1])
        }
        for words in Self.lines(subclasses, " ") where words.count == 2 {
            children[String(words[1]), default: []].insert(String(words[0]))
        }
    }

    private static func lines(_ files: [[UInt8]], _ separator: Character) -> [[Substring]] {
        files.flatMap { file in
            String(decoding: file.prefix(mostBytes), as: UTF8.self).split(separator: "\n")
                .filter { !$0.hasPrefix("#") }.map { $0.split(separator: separator) }
                .filter { !$0.isEmpty }
        }
    }

    /// Reads the lists of the user and of the system. A list that is not there is none.
    package static func installed(_ environment: [String: String]) -> MediaGlobs {
        func named(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let own = named("XDG_DATA_HOME") ?? named("HOME").map { $0 + "/.local/share" }
        let shared = named("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        let folders = ([own ?? ""] + shared.split(separator: ":").map { String($0) })
            .filter { $0.hasPrefix("/") }
        func read(_ name: String) -> [[UInt8]] {
            folders.compactMap {
                try? PrivateFile.contents(of: RawPath("\($0)/mime/\(name)"), limit: mostBytes)
            }
        }
        return MediaGlobs(
            globs: read("globs2"), aliases: read("aliases"), subclasses: read("subclasses"))
    }

    /// The patterns of a type and of its special cases, in small letters, by which any file of it is known; nil if
    /// files of it may have other names.
    package func patterns(of type: String) -> Set<String>? {
        let type = type.lowercased()
        let wanted = aliases[type] ?? type
        // All files are octets; all texts are plain ones, and many have names of their own.
        if wanted == Self.octets || wanted == "text/plain" || wanted.hasPrefix("*") { return nil }
        if wanted.hasSuffix("/*") {
            let start = wanted.dropLast()
            let found = globs.filter { $0.key.hasPrefix(start) }.values
            return found.isEmpty || start == "text/"
                ? nil : found.reduce(into: []) { $0.formUnion($1) }
        }
        var seen: Set<String> = []
        var open = [wanted]
        var found: Set<String> = []
        while let next = open.popLast() {
            guard seen.insert(next).inserted else { continue }
            found.formUnion(globs[next] ?? [])
            open += children[next] ?? []
        }
        return found.isEmpty ? nil : found
    }
}
