internal import PickerPlugin
internal import SystemInterface

/// The programs that make thumbnails, by the types of files: `thumbnailers/*.thumbnailer` in the folders of data.
struct ThumbnailPrograms {
    /// A program and its arguments, with `%s` for the size, `%u` for the URI of the file, `%i` for its path, and `%o`
    /// for the path of the thumbnail.
    struct Program: Equatable {
        let words: [String]

        /// How long one may run.
        private static let limit = Duration.seconds(20)

        func tool(size: Int, output: RawPath) -> Tool {
            let arguments = words.dropFirst().map { word in
                var filled = ""
                var isSign = false
                for character in word {
                    guard isSign else {
                        isSign = character == "%"
                        if !isSign { filled.append(character) }
                        continue
                    }
                    isSign = false
                    switch character {
                    case "s": filled += String(size)
                    case "u": filled += "file://" + Tool.file
                    case "i": filled += Tool.file
                    case "o": filled += output.description
                    case "O": filled += output.description.dropLast(".png".count)
                    default: filled.append(character)
                    }
                }
                return filled
            }
            var environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
            for name in ["HOME", "TMPDIR", "XDG_DATA_DIRS", "XDG_DATA_HOME"] {
                environment[name] = CurrentProcess.environment(name)
            }
            return Tool(words[0], arguments, environment: environment, limit: Self.limit)
        }
    }

    private var programs: [String: Program] = [:]

    private static let mostEntries = 256
    private static let mostBytes = 64 << 10
    private static let pathFolders = ["/usr/local/bin", "/usr/bin", "/bin"]

    func program(for type: String) -> Program? { programs[type] }

    /// Those that are installed: of several for a type, the first in the order of the folders.
    static func installed() -> ThumbnailPrograms {
        var found = ThumbnailPrograms()
        let home = CurrentProcess.environment("HOME") ?? ""
        let own = CurrentProcess.environment("XDG_DATA_HOME") ?? home + "/.local/share"
        let others = CurrentProcess.environment("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        for folder in [own] + others.split(separator: ":").map(String.init)
        where folder.hasPrefix("/") {
            found.read(folder + "/thumbnailers")
        }
        // Poppler's own program draws the first page.
        if let pdftoppm = resolved("pdftoppm"), found.programs["application/pdf"] == nil {
            found.programs["application/pdf"] = Program(
                words: [
                    pdftoppm, "-png", "-singlefile", "-f", "1", "-l", "1", "-scale-to", "%s", "%i",
                    "%O",
                ])
        }
        return found
    }

    private mutating func read(_ folder: String) {
        let ending = Array(".thumbnailer".utf8)
        let entries = Self.names(in: folder).filter { $0.suffix(ending.count) == ending[...] }
            .sorted { $0.lexicographicallyPrecedes($1) }
        for name in entries.prefix(Self.mostEntries) {
            let path = "\(folder)/\(String(decoding: name, as: UTF8.self))"
            if let bytes = try? PrivateFile.contents(of: RawPath(path), limit: Self.mostBytes),
                bytes.count <= Self.mostBytes
            {
                take(String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// The names in a folder, as far as they can be read.
    private static func names(in folder: String) -> [[UInt8]] {
        guard var reader = try? DirectoryReader(opening: RawPath(folder)) else { return [] }
        var names: [[UInt8]] = []
        while names.count < 10 * mostEntries,
            (try? reader.readBatch({ names.append($0.name) })) == true
        {}
        return names
    }

    /// Takes an entry; one that can't be used is passed over.
    private mutating func take(_ entry: String) {
        var values: [Substring: Substring] = [:]
        var isInGroup = false
        for line in entry.split(separator: "\n") {
            if line.hasPrefix("[") { isInGroup = line == "[Thumbnailer Entry]" }
            guard isInGroup, let equals = line.firstIndex(of: "=") else { continue }
            values[line[..<equals]] = line[line.index(after: equals)...]
        }
        var words = Self.words(values["Exec"] ?? "")
        guard let first = words.first, let program = Self.resolved(first),
            words.contains(where: { $0.contains("%o") })
        else { return }
        if let needed = values["TryExec"], Self.resolved(String(needed)) == nil { return }
        words[0] = program
        for type in values["MimeType"]?.split(separator: ";") ?? [] {
            let type = String(type)
            if programs[type] == nil { programs[type] = Program(words: words) }
        }
    }

    /// The words of a command: blanks separate them, but within double quotes.
    private static func words(_ command: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in command {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }

    /// The path of a program that is a file.
    private static func resolved(_ program: String) -> String? {
        let candidates =
            program.hasPrefix("/") ? [program] : pathFolders.map { "\($0)/\(program)" }
        return candidates.first {
            (try? FileStatus.of(RawPath($0), followingLinks: true).kind) == .regular
        }
    }
}
