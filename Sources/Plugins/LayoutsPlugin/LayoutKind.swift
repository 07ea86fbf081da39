internal import Layouts
internal import WireProtocol

/// The kinds of layouts that clients can open.
enum LayoutKind: String, CaseIterable {
    case list, grid, flow, force

    /// - Throws: invalidParams at "kind".
    init(reading params: ParameterReader) throws(ProtocolError) {
        let text = try params.string("kind")
        guard let kind = LayoutKind(rawValue: text) else {
            let names = Self.allCases.map(\.rawValue)
            throw .invalidParams(
                at: "kind",
                "'kind' must be one of \(names.joined(separator: ", ")), not "
                    + ProtocolError.quoted(text) + KnownNames.hint(for: text, among: names))
        }
        self = kind
    }

    /// What its options are called.
    var optionNames: [String] {
        switch self {
        case .list: ["rowHeight", "spacing", "insets"]
        case .grid: ["cell", "minWidth", "spacing", "insets"]
        case .flow: ["spacing", "insets", "align", "estimated"]
        case .force:
            [
                "stiffness", "charge", "cell", "threshold", "start", "seed", "intervalMs", "mode",
                "avoidOverlaps",
            ]
        }
    }
}

/// Which of some names a wrong one was meant to be.
enum KnownNames {
    /// A longer word is nobody's slip.
    private static let longestWord = 40

    /// "; did you mean 'charge'?", or nothing if no name is close.
    static func hint(for word: String, among names: [String]) -> String {
        guard word.utf8.count <= longestWord else { return "" }
        let close = names.map { (name: $0, slips: slips(from: word, to: $0)) }
            .min { $0.slips < $1.slips }
        guard let close, close.slips <= max(1, close.name.utf8.count / 3) else { return "" }
        return "; did you mean '\(close.name)'?"
    }

    /// The fewest letters to put in, take out, exchange, or swap with the next, whatever their case.
    private static func slips(from word: String, to name: String) -> Int {
        let word = Array(word.lowercased().utf8)
        let name = Array(name.lowercased().utf8)
        // By how much of the word, then by how much of the name.
        var lines = [Array(0...name.count)]
        for (row, letter) in word.enumerated() {
            var line = [row + 1]
            for (column, other) in name.enumerated() {
                let exchanged = lines[row][column] + (letter == other ? 0 : 1)
                var least = min(exchanged, lines[row][column + 1] + 1, line[column] + 1)
                if row > 0, column > 0, letter == name[column - 1], word[row - 1] == other {
                    least = min(least, lines[row - 1][column - 1] + 1)
                }
                line.append(least)
            }
            lines.append(line)
        }
        return lines[word.count][name.count]
    }
}
