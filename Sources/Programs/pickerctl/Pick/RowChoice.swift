/// What a line says that is typed below numbered rows.
package enum RowChoice: Equatable {
    /// The places of rows, from 0, in the order in which they are named.
    case rows([Int])
    /// Numbers, but not of these rows: why.
    case wrong(String)
    /// A text that is to be searched for.
    case search(String)
    /// Nothing.
    case empty
    case quit

    /// Reads a line. Several numbers, as in `1,3-5`, are a choice only if there may be several. What begins with a slash is
    /// a text, whatever comes then.
    package init(_ line: String, rows count: Int, isMulti: Bool) {
        let text = Self.trimmed(line)
        if text.isEmpty {
            self = .empty
        } else if text == "q" {
            self = .quit
        } else if text.hasPrefix("/") {
            self = .search(String(text.dropFirst()))
        } else if let ranges = Self.ranges(text, isMulti: isMulti) {
            self = Self.choice(of: ranges, count)
        } else {
            self = .search(text)
        }
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    /// The first and the last number of each part; nil if the text is something else.
    private static func ranges(_ text: String, isMulti: Bool) -> [(Int, Int)]? {
        guard isMulti else { return number(text).map { [($0, $0)] } }
        var ranges: [(Int, Int)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(
                separator: "-", maxSplits: 1, omittingEmptySubsequences: false
            ).map { number(trimmed($0)) }
            guard let first = ends[0], let last = ends[ends.count - 1] else { return nil }
            ranges.append((first, last))
        }
        return ranges
    }

    /// A number that is too large for any rows is one, too.
    private static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text) ?? .max
    }

    private static func choice(of ranges: [(Int, Int)], _ count: Int) -> RowChoice {
        var places: [Int] = []
        var seen: Set<Int> = []
        for (first, last) in ranges {
            guard first >= 1, first <= last, last <= count else {
                return .wrong(
                    count == 0
                        ? "there are no rows; a slash before it searches for a number"
                        : "the rows are 1 to \(count); a slash before it searches for a number")
            }
            for place in (first - 1)..<last where seen.insert(place).inserted {
                places.append(place)
            }
        }
        return .rows(places)
    }
}
