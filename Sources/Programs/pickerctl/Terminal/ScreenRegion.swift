// The last lines of a terminal, rewritten in place.
//
// Remembers the shown lines and writes only the lines that differ, so that nothing flickers and earlier
// output stays above. Lines must be narrower than the terminal, and there must not be more of them than it
// has rows. The cursor stays on the last line.

internal import TerminalCells

package struct ScreenRegion {
    private var shown: [String] = []
    private var row = 0

    package init() {}

    /// The output that makes the terminal show `lines`; empty if it already does.
    /// - Complexity: O(lines).
    package mutating func update(to lines: [String]) -> String {
        if lines == shown { return "" }
        var out = ""
        for (index, line) in lines.enumerated() {
            if index < shown.count, shown[index] == line { continue }
            move(to: index, &out)
            out += "\r\(line)\u{1b}[K"
        }
        if lines.count < shown.count {
            move(to: lines.count, &out)
            out += "\r\u{1b}[J"
        }
        let last = max(0, lines.count - 1)
        shown = lines
        move(to: last, &out)
        return out
    }

    /// The output after a change of the terminal's width: clears the region, whose lines the terminal may
    /// have wrapped. The next update writes all lines again.
    package mutating func clear(columns: Int) -> String {
        let above = shown.prefix(row).reduce(0) { $0 + Self.height($1, columns) }
        let here = row < shown.count ? Self.height(shown[row], columns) - 1 : 0
        shown = []
        row = 0
        return (above + here > 0 ? "\u{1b}[\(above + here)A" : "") + "\r\u{1b}[J"
    }

    /// The output that leaves the region as it is and continues below it.
    package mutating func leave() -> String {
        var out = ""
        if !shown.isEmpty {
            move(to: shown.count - 1, &out)
            out += "\r\n"
        }
        shown = []
        row = 0
        return out
    }

    private mutating func move(to target: Int, _ out: inout String) {
        if target < row {
            out += "\u{1b}[\(row - target)A"
        } else if target > row {
            // Line feeds, because they also work when the terminal has to scroll.
            out += String(repeating: "\n", count: target - row)
        }
        row = target
    }

    /// The number of rows of a wrapped line.
    private static func height(_ line: String, _ columns: Int) -> Int {
        var width = 0
        var isSequence = false
        for character in line {
            if isSequence {
                isSequence = !character.isLetter
            } else if character == "\u{1b}" {
                isSequence = true
            } else {
                width += DisplayWidth.of(String(character))
            }
        }
        return max(1, (width + columns - 1) / max(1, columns))
    }
}
