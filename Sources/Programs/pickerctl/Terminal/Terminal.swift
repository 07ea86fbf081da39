import Glibc
import SystemInterface

/// The terminal of a descriptor, if any.
struct Terminal {
    let descriptor: Int32

    static let output = Terminal(descriptor: 1)

    /// Whether it is a terminal.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// The sort of the terminal that this program has; empty if that is not known.
    static var kind: String { CurrentProcess.environment("TERM") ?? "" }

    /// Whether the cursor can be moved on terminals of this sort.
    static var kindCanRedraw: Bool { !["", "dumb"].contains(kind) }

    /// Whether it is a terminal on which the cursor can be moved.
    var canRedraw: Bool { isTerminal && Self.kindCanRedraw }

    /// Whether it is such a terminal, and the one whose keys are for this program.
    var canShowScreens: Bool { canRedraw && tcgetpgrp(descriptor) >= 0 }

    /// Whether it supports colour, and the user allows it.
    var wantsColor: Bool {
        canRedraw && (CurrentProcess.environment("NO_COLOR") ?? "").isEmpty
    }

    /// Rows and columns; 24 by 80 if unknown.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        // The call fills in the local variable.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}

/// Colours, or none.
package struct Palette {
    let isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    package func dim(_ text: String) -> String { paint(text, "2") }
    package func bold(_ text: String) -> String { paint(text, "1") }
    package func green(_ text: String) -> String { paint(text, "32") }
    package func yellow(_ text: String) -> String { paint(text, "33") }
    package func cyan(_ text: String) -> String { paint(text, "36") }

    private func paint(_ text: String, _ code: String) -> String {
        isOn && !text.isEmpty ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
