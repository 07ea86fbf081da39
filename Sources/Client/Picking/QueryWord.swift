internal import PickerClient

/// A word of the line that can be completed.
struct QueryWord {
    /// The characters of the line that are replaced.
    let range: Range<Int>
    /// What can stand there, the likeliest first.
    let candidates: [String]

    private static let keys = [
        "type:", "modified:", "size:", "name:", "path:", "ext:", "liked:", "hidden:", "is:",
        "sort:", "limit:", "match:", "imatch:", "suffix:",
    ]
    private static let values: [String: [String]] = [
        "type:": [
            "archive", "audio", "html", "image", "markdown", "pdf", "text", "video",
        ],
        "liked:": ["yes", "no"], "hidden:": ["yes", "no"],
        "is:": ["liked", "dropped", "any"],
        "sort:": ["date", "name", "size", "type", "path", "modified", "liked", "score"],
    ]

    /// The fewest letters that are taken for the start of a key: with fewer, Tab marks more often than it completes.
    private static let fewestLetters = 2

    /// The word at the caret, if there is something that it can become.
    init?(in line: QueryLine, attributes: [String]) {
        let head = line.beforeCaret
        let behind = line.behindCaret.first
        guard behind.map(\.isWhitespace) ?? true else { return nil }
        var word = head.ending { !$0.isWhitespace && $0 != "(" }
        if word.first == "-" { word.removeFirst() }
        if let colon = word.firstIndex(of: ":") {
            let key = String(word[...colon])
            // Only the last of several values is completed, and a sign for the reverse stays.
            let value = word[word.index(after: colon)...].ending { $0 != "," && $0 != "-" }
            guard let values = Self.values[key] else { return nil }
            self.init(value, values + (key == "sort:" ? attributes : []), at: line.caret)
        } else {
            guard word.count >= Self.fewestLetters else { return nil }
            self.init(word, Self.keys + attributes.map { $0 + ":" }, at: line.caret)
        }
    }

    private init?(_ word: Substring, _ known: [String], at caret: Int) {
        candidates = known.filter { $0.hasPrefix(word) && $0.count > word.count }
        if candidates.isEmpty { return nil }
        range = (caret - word.count)..<caret
    }

    /// What all candidates begin with: longer than what is there, or else the first of them.
    var completion: String {
        var common = candidates[0][...]
        for candidate in candidates.dropFirst() {
            common = common.prefix(common.commonPrefix(with: candidate).count)
        }
        return common.count > range.count ? String(common) : candidates[0]
    }

    /// Whether the word in which an error is begins with a key.
    static func isBegun(before error: QueryTextError) -> Bool {
        let word = error.prefix.ending { !$0.isWhitespace && $0 != "(" && $0 != "-" }
        return keys.contains { word.hasPrefix($0) }
    }
}

extension StringProtocol {
    /// The longest end of which all characters are such.
    fileprivate func ending(_ isInside: (Character) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, isInside(self[index(before: start)]) {
            start = index(before: start)
        }
        return self[start...]
    }

    fileprivate func commonPrefix(with other: String) -> SubSequence {
        var end = startIndex
        for (mine, its) in zip(self, other) {
            if mine != its { break }
            end = index(after: end)
        }
        return self[..<end]
    }
}
