// Makes untrusted text safe for a terminal: file names may contain newlines, escape sequences and marks for
// the direction of writing, and none of them may take effect.

package enum VisibleText {
    /// `text` with everything that is not displayed as itself escaped: `\n`, `\t`, `\x1b`, `\u{202e}`. A
    /// backslash is doubled, so that escapes are unambiguous.
    package static func escaping(_ text: String) -> String {
        escaping(text) { needsEscape($0) || $0 == "\\" }
    }

    /// The same for JSON, whose backslashes stay.
    package static func escaping(json text: String) -> String {
        escaping(text) { needsEscape($0) }
    }

    /// JSON with control characters of terminals escaped as JSON.
    package static func escaped(json text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x7F, needsEscape(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func escaping(
        _ text: String, where needsEscape: (Unicode.Scalar) -> Bool
    ) -> String {
        if text.unicodeScalars.allSatisfy({ !needsEscape($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if needsEscape(scalar) {
                result += spelledOut(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // All but the joiners, which some scripts and emoji require.
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
    }

    private static func spelledOut(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "\\": return "\\\\"
        default:
            let digits = String(scalar.value, radix: 16)
            if scalar.value < 0x100 { return "\\x" + (digits.count == 1 ? "0" : "") + digits }
            return "\\u{\(digits)}"
        }
    }
}
