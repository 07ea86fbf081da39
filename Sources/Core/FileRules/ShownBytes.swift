// Bytes of names and patterns, made fit for people to read.

enum ShownBytes {
    /// The most characters that are shown.
    static let maxLength = 200

    /// The text of the bytes: U+FFFD where they are not UTF-8, control and format characters as
    /// escapes, and not more than `maxLength` of them.
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        var count = 0
        for scalar in String(decoding: Array(bytes), as: UTF8.self).unicodeScalars {
            if count == maxLength { return text + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                text += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
