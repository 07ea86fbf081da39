// Text for a terminal of which parts are marked, such as those of a name that a search has found. A character is
// marked as a whole, because an escape sequence inside would tear it apart.

internal import TerminalCells

/// Visible text with marked characters.
package struct MarkedText {
    package let text: String
    /// Whether each character is marked; empty if none is.
    private let isMarked: [Bool]

    /// A visible text without marks.
    package init(_ text: String) {
        self.text = text
        isMarked = []
    }

    /// A text made visible, with these ascending ranges of its bytes in UTF-8 marked.
    /// - Complexity: O(n).
    package init(escaping text: String, marking ranges: [Range<Int>]) {
        self.text = VisibleText.escaping(text)
        guard !ranges.isEmpty else {
            isMarked = []
            return
        }
        // A scalar may be escaped to several, all of which are marked like it.
        var marks: [Bool] = []
        var place = 0
        var rest = ranges[...]
        for scalar in text.unicodeScalars {
            let end = place + UTF8.width(scalar)
            while let range = rest.first, range.upperBound <= place { rest.removeFirst() }
            let isInside = rest.first.map { $0.lowerBound < end && !$0.isEmpty } ?? false
            let count = VisibleText.escaping(String(scalar)).unicodeScalars.count
            marks.append(contentsOf: repeatElement(isInside, count: count))
            place = end
        }
        var next = marks[...]
        isMarked = self.text.map { character in
            let count = character.unicodeScalars.count
            defer { next = next.dropFirst(count) }
            return next.prefix(count).contains(true)
        }
    }

    /// The text as it is shown, whole or truncated by `DisplayWidth`, with its marked parts painted by `mark` and
    /// the others by `paint`.
    package func painting(
        _ shown: String, _ paint: (String) -> String, mark: (String) -> String
    ) -> String {
        if isMarked.isEmpty { return paint(shown) }
        // The sign for what is left out is no part of the text.
        let count = shown == text ? isMarked.count : shown.count - 1
        var result = ""
        var run = ""
        var isRunMarked = false
        for (index, character) in shown.enumerated() {
            let isHit = index < count && isMarked[index]
            if isHit != isRunMarked {
                result += isRunMarked ? mark(run) : paint(run)
                run = ""
                isRunMarked = isHit
            }
            run.append(character)
        }
        return result + (isRunMarked ? mark(run) : paint(run))
    }
}
