/// The limits of what a plugin tells.
enum Limits {
    /// The longest line, either way, without its end.
    static let line = 1 << 20
    /// The longest manifest.
    static let manifest = 64 << 10
    /// The most attributes of one plugin.
    static let attributes = 64
    /// The longest text of an attribute; a longer one is cut at a character.
    static let text = 1024
    /// The longest error of a file; a longer one is cut at a character.
    static let error = 200
    /// The longest message of a refusal; a longer one is cut at a character.
    static let message = 4096
    /// The most requests that wait; a further one is refused as `overloaded`.
    static let waiting = 256
    /// The most requests that are handled within each other, each while the one before waits for the daemon.
    static let nested = 8
    /// The most events on their way; `publish` waits until there are fewer.
    static let published = 64
    /// The longest change of a source.
    static let change = 256 << 10
    /// The most changes of a source that the daemon has not confirmed yet.
    static let changes = 4
    /// The longest item of a source.
    static let item = 64 << 10
    /// The most items of one source.
    static let items = 1_000_000
    /// The documents that one request names of which values have changed.
    static let changed = 1000
    /// The longest identifier of an item.
    static let identifier = 1024
    /// The changed items that a source remembers, for a daemon that comes back.
    static let remembered = 10_000
    /// The faults that are printed.
    static let faults = 20
}

extension String {
    /// The text, cut at a character to at most so many bytes of UTF-8.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit)
        while end > startIndex, String.Index(end, within: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }

    /// The first bytes in one line, with single spaces.
    func inOneLine(atMost limit: Int) -> String {
        cut(to: 4 * limit).split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
            .cut(to: limit)
    }
}
