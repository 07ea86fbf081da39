package import PickerClient

/// How well documents match, as a number from 0 to 1 that other programs' results are compared with.
///
/// The daemon's order is by its score of the whole query, which it does not tell. So what is found in a name says how
/// good the match is, and no document is above one that comes before it.
package enum MatchRelevance {
    /// Of rows in their order: none is larger than the one before.
    package static func values(of items: [ListItem]) -> [Double] {
        var last = 1.0
        return items.map { item in
            // Equal ones would be sorted by something else.
            last = max(0.01, min(last - 0.001, quality(of: item)))
            return last
        }
    }

    /// Whether what was found is the whole name, with or without its suffix.
    package static func isExact(_ item: ListItem) -> Bool {
        guard let name = item.name, let range = item.matches?.first, item.matches?.count == 1,
            item.folderMatches == nil, range.lowerBound == 0
        else { return false }
        return range.upperBound == name.utf8.count || range.upperBound == stem(of: name)
    }

    /// Of one row by itself.
    static func quality(of item: ListItem) -> Double {
        guard let matches = item.matches, let first = matches.first, let last = matches.last
        else { return 0.3 }
        if isExact(item) { return 1 }
        let isAtStart = first.lowerBound == 0
        if matches.count == 1 { return item.folderMatches == nil ? isAtStart ? 0.9 : 0.8 : 0.6 }
        // The closer together, the better.
        let found = matches.reduce(0) { $0 + $1.count }
        let span = max(1, last.upperBound - first.lowerBound)
        return 0.4 + 0.3 * Double(found) / Double(span)
    }

    private static func stem(of name: String) -> Int {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return name.utf8.count }
        return name.utf8.distance(from: name.utf8.startIndex, to: dot)
    }
}
