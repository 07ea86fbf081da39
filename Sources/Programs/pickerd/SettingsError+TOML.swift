internal import PluginInterface
internal import ServiceManager
internal import TOMLKit

// Suggestions for a file that is not TOML. The parser's message names the expected next character, but the
// usual mistake is missing quotes, so that is what the message says.
extension SettingsError {
    /// The fault for the parser's error in `text`.
    init(
        _ error: TOMLParseError, in text: String, file: String, for plugins: [PluginManifest]
    ) {
        let line = error.source.begin.line
        let reason =
            Self.unquotedValue(in: text, line: line, for: plugins)
            ?? "this is no TOML: \(error.description)"
        self.init(file: file, line: line, column: error.source.begin.column, reason: reason)
    }

    /// The fault if the line sets a key to a word without quotes.
    private static func unquotedValue(
        in text: String, line number: Int, for plugins: [PluginManifest]
    ) -> String? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(number - 1),
            let sign = lines[number - 1].firstIndex(of: "=")
        else { return nil }
        let line = lines[number - 1]
        let key = String(trimming(line[..<sign]))
        var value = trimming(line[line.index(after: sign)...])
        let isList = value.first == "["
        if isList { value = trimming(value.dropFirst()) }
        guard !key.isEmpty, let first = value.first, isBeginOfBareText(first, value) else {
            return nil
        }
        switch key {
        case "roots":
            return "'roots' must be a list of folders, each in quotes: roots = [\"~/Documents\"]"
        case "log-level":
            return "'log-level' must be one of \(LogLevel.names), in quotes: log-level = \"info\""
        case "clients", "queue-soft", "queue-hard": return wholeNumber(key)
        default: break
        }
        switch plugins.lazy.flatMap(\.allSettings).first(where: { $0.name == key })?.kind {
        case .integer: return wholeNumber(key)
        case .boolean: return "'\(key)' must be true or false, in small letters and without quotes"
        case nil:
            return "the value of '\(key)' is no number, nor true or false, and has no quotes"
        }
    }

    private static func wholeNumber(_ key: String) -> String {
        "'\(key)' must be a whole number, such as 4096"
    }

    private static func isBeginOfBareText(_ first: Character, _ value: Substring) -> Bool {
        (first.isLetter || "~/.$%".contains(first)) && value != "true" && value != "false"
    }

    private static func trimming(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool {
            character == " " || character == "\t" || character == "\r" || character == "\r\n"
        }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return text
    }
}
