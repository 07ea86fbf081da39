// What 'pickerctl doctor' has found out: one thing each, whether it is as it should be, and what to do if not.
//
// The texts are raw: they contain names from the daemon and from disk, and are escaped where they are printed.

package import JSONText
internal import TerminalCells

/// One finding.
package struct Check: Hashable, Sendable {
    /// How it is.
    package enum State: String, Hashable, Sendable {
        /// As it should be.
        case ok
        /// Worth knowing, and no fault.
        case note
        /// A fault.
        case problem
    }

    /// A stable word for what was looked at, such as `socket`.
    package let name: String
    package let state: State
    /// What was found, and of what.
    package let text: String
    /// What to do, a step on each line; empty if nothing.
    package let next: [String]

    package init(_ name: String, _ state: State, _ text: String, next: [String] = []) {
        self.name = name
        self.state = state
        self.text = text
        self.next = next
    }
}

extension Check {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("state", state.rawValue)
            writer.member("text", text)
            if !next.isEmpty { writer.member("next", next.joined(separator: "\n")) }
        }
    }
}

/// All findings, in the order in which they are shown.
package struct CheckReport: Hashable, Sendable {
    package let checks: [Check]

    package init(_ checks: [Check]) { self.checks = checks }

    package var problemCount: Int { checks.count { $0.state == .problem } }

    /// An object with all checks.
    package var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member(array: "checks") { writer in
                for check in checks { check.write(to: &writer) }
            }
        }
        return String(decoding: writer.finish(), as: UTF8.self)
    }

    /// The lines for people. If there is a `limit` of columns, texts are broken at blanks; the steps are not, because
    /// they are to be copied.
    package func lines(_ palette: Palette, limit: Int? = nil) -> [String] {
        let nameWidth = checks.map { DisplayWidth.of($0.name) }.max() ?? 0
        let indent = Self.markWidth + 2 + nameWidth + 2
        var lines: [String] = []
        for check in checks {
            let word = check.state.rawValue
            let mark = Self.paint(check.state, palette)(word)
            let blanks = { (count: Int) in String(repeating: " ", count: max(0, count)) }
            var head =
                mark + blanks(Self.markWidth - word.count + 2) + check.name
                + blanks(nameWidth - DisplayWidth.of(check.name) + 2)
            let text = VisibleText.escaping(check.text)
            for part in limit.map({ Self.broken(text, to: $0 - indent) }) ?? [text] {
                lines.append(head + part)
                head = blanks(indent)
            }
            for step in check.next {
                lines.append(blanks(indent) + "-> " + palette.bold(VisibleText.escaping(step)))
            }
        }
        lines.append("")
        switch problemCount {
        case 0: lines.append("No problem was found.")
        case 1: lines.append("1 problem was found; '->' says what to do.")
        case let count: lines.append("\(count) problems were found; '->' says what to do.")
        }
        return lines
    }

    private static let markWidth = Check.State.problem.rawValue.count
    /// Texts are not broken into narrower pieces.
    private static let narrowest = 20

    private static func paint(_ state: Check.State, _ palette: Palette) -> (String) -> String {
        switch state {
        case .ok: palette.green
        case .note: palette.cyan
        case .problem: palette.yellow
        }
    }

    /// The text in pieces of at most `columns`, except for words that are longer.
    private static func broken(_ text: String, to columns: Int) -> [String] {
        let columns = max(columns, narrowest)
        var pieces: [String] = []
        var piece = ""
        var width = 0
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let added = DisplayWidth.of(String(word))
            if !piece.isEmpty, width + 1 + added > columns {
                pieces.append(piece)
                piece = ""
                width = 0
            }
            if !piece.isEmpty {
                piece += " "
                width += 1
            }
            piece += word
            width += added
        }
        return pieces + [piece]
    }
}
