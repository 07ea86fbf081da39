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
        if text.isPrintableASCII(without: UInt8(ascii: "\\")) { return text }
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
        if scalar.value < 0x300 { return isControl(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // All but the joiners, which some scripts and emoji require.
        case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
        default: return false
        }
    }

    /// Whether one of the first 0x300 scalars is a control character or the soft hyphen, as none other of them is not shown.
    static func isControl(_ scalar: UInt32) -> Bool {
        scalar < 0x20 || 0x7F..<0xA0 ~= scalar || scalar == 0xAD
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

extension String {
    /// Whether it is of nothing but printable characters of ASCII, which take one byte and one column each, and has none of
    /// those that are `byte`. Most text is.
    func isPrintableASCII(without byte: UInt8 = 0) -> Bool {
        let bytes = utf8Span.span
        for index in bytes.indices {
            let next = bytes[index]
            if next &- 0x20 >= 0x5F || next == byte { return false }
        }
        return true
    }
}
