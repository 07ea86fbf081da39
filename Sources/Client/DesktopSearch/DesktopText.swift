import TerminalCells

/// Texts as D-Bus and a desktop take them.
package enum DesktopText {
    /// The text without characters that are not shown, or that D-Bus does not take: the former are spelled out, the
    /// latter are U+FFFD.
    package static func shown(_ text: String) -> String {
        // A backslash alone is shown as it is.
        let plain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
        return plain ? text : valid(VisibleText.escaping(text))
    }

    /// The text with U+FFFD for the scalars that are no characters, at which a bus ends connections.
    package static func valid(_ text: String) -> String {
        if text.unicodeScalars.allSatisfy(isCharacter) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            result.unicodeScalars.append(isCharacter(scalar) ? scalar : "\u{FFFD}")
        }
        return result
    }

    private static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        return value != 0 && !(0xFDD0...0xFDEF).contains(value) && value & 0xFFFE != 0xFFFE
    }
}
