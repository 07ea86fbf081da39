// What is wrong with a pattern of a setting, for people.

extension IgnorePatterns {
    /// Why a pattern of a setting does not do what was meant, and what would be right; nil if nothing
    /// is wrong with it. A part of a sentence that follows the pattern, such as "is empty".
    package static func fault(in pattern: String) -> String? {
        let bytes = Array(pattern.utf8)
        if bytes.contains(0) { return "has a NUL, which no name has" }
        if bytes.contains(UInt8(ascii: "\n")) || bytes.contains(UInt8(ascii: "\r")) {
            return "has a line break: write each pattern as an entry of its own"
        }
        if bytes.count > maxPatternLength {
            return "has \(bytes.count) bytes, and \(maxPatternLength) is the most"
        }
        if bytes.first == UInt8(ascii: "#") {
            return "is a comment: write '\\#' for a name that begins with '#'"
        }
        do throws(PatternFault) {
            _ = try ParsedPattern(withoutTrailingSpaces(bytes[...]))
            return nil
        } catch {
            return error.description
        }
    }
}

extension PatternFault: CustomStringConvertible {
    var description: String {
        switch self {
        case .empty:
            return "is empty: leave it out, or write '*' for all names"
        case .onlySlashes:
            return "has only slashes: write '*' for all names, '*/' for all folders"
        case .onlyExclamationMark:
            return #"has nothing after '!': write what to keep, or '\!' for a name with '!'"#
        case .emptyName:
            return "matches nothing, since it has two slashes in a row: write one"
        case .dotName:
            return "matches nothing, since no name is '.' or '..': write '/a' for 'a' in the root"
        case .finalBackslash:
            return #"matches nothing, since it ends with a backslash: write '\\' for a backslash"#
        case .unclosedBracket:
            return #"matches nothing, since a '[' has no ']': write '\[' for a bracket"#
        case .unknownClass(let name):
            return "matches nothing, since there is no class '[:\(ShownBytes.text(name)):]': write "
                + "one such as '[:digit:]'"
        case .emptySet:
            return
                "matches nothing, since no name has the bytes in its brackets: write '/' without them"
        }
    }
}
