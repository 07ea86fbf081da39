/// The forms of names in a manifest.
enum ManifestWords {
    static let longestWord = 32
    /// Of methods, topics and attributes.
    static let longestName = 128
    static let longestArgument = 4096

    static let wordRule = "a word of a-z, 0-9 and '-' that begins with a letter, 32 letters at most"

    /// `[a-z][a-z0-9-]{0,31}`.
    static func isWord(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, isSmall(first) else { return false }
        return text.utf8.count <= longestWord
            && text.utf8.allSatisfy { isSmall($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Two or more words with dots between.
    static func isDottedName(_ text: String) -> Bool {
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= longestName && words.count > 1 && words.allSatisfy { isWord($0) }
    }

    /// `<id>.` and words with dots between, as clients may publish under.
    static func isTopic(_ text: String, of id: String) -> Bool {
        isDottedName(text) && text.hasPrefix(id + ".")
    }

    /// `<id>.` and words with dots between, which may have capitals inside.
    static func isMethod(_ text: String, of id: String) -> Bool {
        guard text.utf8.count <= longestName, text.hasPrefix(id + ".") else { return false }
        let words = text.dropFirst(id.count + 1)
            .split(separator: ".", omittingEmptySubsequences: false)
        return words.allSatisfy { word in
            word.utf8.first.map(isSmall) == true
                && word.utf8.allSatisfy { isSmall($0 | 0x20) || isDigit($0) }
        }
    }

    /// "./x" that stays within the folder.
    static func isPathInFolder(_ text: String) -> Bool {
        guard text.hasPrefix("./") else { return false }
        let names = text.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)
        return names.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Such as `cache/thumbnails`: below the folder of the user's caches.
    static func isPathInCache(_ text: String) -> Bool {
        text.hasPrefix("cache/") && isPathInFolder("./" + text.dropFirst("cache/".count))
    }

    /// Of anything but "/".
    static func isAbsolutePath(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count > 1
    }

    private static func isSmall(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
}
