// Random folders with .gitignore files, whose patterns match often.

import TestSupport

/// The paths of a random tree, a folder before what is in it, and the ignore files of its folders.
struct RandomTree {
    struct Entry {
        let path: [UInt8]
        let isFolder: Bool
    }

    private(set) var entries: [Entry] = []
    /// By the path of the folder, which is empty for the root.
    private(set) var ignoreFiles: [[UInt8]: [UInt8]] = [:]

    init(_ random: inout SeededRandom) {
        addFolder([], depth: 0, &random)
        let folders = [[]] + entries.filter(\.isFolder).map(\.path)
        for folder in folders where folder.isEmpty || random.chance(0.3) {
            let inside = entries.map(\.path).filter {
                folder.isEmpty || $0.starts(with: folder + "/".utf8)
            }
            let paths = inside.map { Array($0.dropFirst(folder.isEmpty ? 0 : folder.count + 1)) }
            ignoreFiles[folder] = Self.file(matching: paths, &random)
        }
    }

    private mutating func addFolder(_ path: [UInt8], depth: Int, _ random: inout SeededRandom) {
        var used: Set<[UInt8]> = []
        for _ in 0..<Int.random(in: 2...6, using: &random) {
            let name = Self.name(&random)
            guard used.insert(name).inserted else { continue }
            let full = path.isEmpty ? name : path + "/".utf8 + name
            let isFolder = depth < 4 && random.chance(0.5)
            entries.append(Entry(path: full, isFolder: isFolder))
            if isFolder { addFolder(full, depth: depth + 1, &random) }
        }
    }

    private static let parts: [[UInt8]] =
        [
            "a", "b", "c", "ab", "B", "1", ".", "-", " ", "!", "#", "[", "]", "\\", "*", "\t", "é",
            "\n", "\r",
        ]
        .map { Array($0.utf8) } + [[0xFF], [0x80]]

    private static func name(_ random: inout SeededRandom) -> [UInt8] {
        var name: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            name +=
                random.chance(0.6)
                ? parts[Int.random(in: 0..<3, using: &random)] : any(parts, &random)
        }
        return [Array(".".utf8), Array("..".utf8)].contains(name) ? Array("a".utf8) : name
    }

    private static func any(_ parts: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        parts[Int.random(in: 0..<parts.count, using: &random)]
    }

    // MARK: Patterns

    private static func file(matching paths: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        var text: [UInt8] = random.chance(0.1) ? [0xEF, 0xBB, 0xBF] : []
        let ending = Array((random.chance(0.2) ? "\r\n" : "\n").utf8)
        let count = Int.random(in: 1...10, using: &random)
        for number in 1...count {
            if random.chance(0.1) {
                text += Array(
                    ["", "# a", "   ", "!", "/", "\0a", "\r"].randomElement(using: &random)?.utf8
                        ?? "".utf8)
            } else {
                text += line(matching: paths, &random)
            }
            if number < count || random.chance(0.7) { text += ending }
        }
        return text
    }

    private static func line(matching paths: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        var pattern: [UInt8]
        repeat {
            if random.chance(0.75), let path = paths.randomElement(using: &random) {
                pattern = Self.pattern(from: path, &random)
            } else {
                pattern = []
                for _ in 0..<Int.random(in: 1...5, using: &random) {
                    pattern += any(pieces, &random)
                }
            }
            if random.chance(0.2) { pattern.insert(UInt8(ascii: "/"), at: 0) }
            if random.chance(0.2) { pattern.append(UInt8(ascii: "/")) }
            if random.chance(0.3) { pattern.insert(UInt8(ascii: "!"), at: 0) }
        } while meetsGitFault(pattern)
        if random.chance(0.1) {
            pattern += any(["  ", "\\ ", "\\  ", "\t", "\0b"].map { Array($0.utf8) }, &random)
        }
        return pattern
    }

    private static let pieces: [[UInt8]] =
        [
            "a", "b", "c", ".", "/", "*", "**", "**/", "/**/", "/**", "?", "[ab]", "[!a]", "[^b-c]",
            "[a-", "[]]", "[]-a]", "[[:alpha:]]", "[![:punct:]]", "[[:space:]]", "[[:foo:]]",
            "[[:]",
            "[[:a]", "[[::]]", #"\"#, #"\a"#, #"\*"#, #"\/"#, "**\\/", " ", #"\ "#, "!", "#", "\\#",
            #"[\]]"#, #"[\a-c]"#, #"[a-\c]"#, "[/]", "[a/b]", "[b-a]", "[!b-a]", "[a-c-z]", "[--0]",
            "[a-[:digit:]]", "é", "***", "[", "]",
        ].map { Array($0.utf8) } + [[0xFF], [0x5B, 0x80, 0x2D, 0xFF, 0x5D]]

    /// A pattern made of a path, with some of its parts replaced.
    private static func pattern(from path: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var names = path.split(separator: UInt8(ascii: "/")).map(Array.init)
        if random.chance(0.5), let last = names.last { names = [last] }
        if names.count > 1, random.chance(0.3) {
            names[Int.random(in: 0..<names.count, using: &random)] = Array("**".utf8)
        }
        if random.chance(0.1) {
            names.insert(Array("**".utf8), at: Int.random(in: 0...names.count, using: &random))
        }
        return Array(
            names.map { name in
                if name == Array("**".utf8) { return name }
                if random.chance(0.15) { return Array("*".utf8) }
                var pattern: [UInt8] = []
                for byte in name {
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0: pattern.append(UInt8(ascii: "?"))
                    case 1: pattern.append(UInt8(ascii: "*"))
                    case 2: pattern += [UInt8(ascii: "\\"), byte]
                    case 3: pattern += Array("[".utf8) + [byte] + Array("-z]".utf8)
                    default: pattern.append(byte)
                    }
                }
                return pattern
            }.joined(separator: "/".utf8))
    }

    /// Whether git, before 2.53, misreads a pattern: it compares the plain beginning of a pattern with slashes by itself,
    /// and then takes two stars that follow a part of a name for the beginning of a segment.
    private static func meetsGitFault(_ pattern: [UInt8]) -> Bool {
        var body = pattern[...]
        if body.first == UInt8(ascii: "!") { body = body.dropFirst() }
        if body.last == UInt8(ascii: "/") { body = body.dropLast() }
        guard body.contains(UInt8(ascii: "/")) else { return false }
        if body.first == UInt8(ascii: "/") { body = body.dropFirst() }
        let specials = Array("*?[\\".utf8)
        guard let special = body.firstIndex(where: { specials.contains($0) }),
            special > body.startIndex
        else { return false }
        return body[special...].starts(with: "**".utf8) && body[special - 1] != UInt8(ascii: "/")
    }
}
