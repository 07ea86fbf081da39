/// The first line of a TOML file, counted from 1, with a NUL byte or a string with an escaped NUL; nil if
/// there is none.
///
/// The parser returns C strings, which end at the first NUL: it would silently drop the rest of a folder's
/// name, of a key, or of the file.
///
/// - Complexity: O(bytes).
func lineOfNUL(inTOML text: String) -> Int? {
    guard text.utf8.contains(0) || text.contains("\\u0000") || text.contains("\\U00000000") else {
        return nil
    }
    var search = NULSearch(bytes: Array(text.utf8))
    return search.line()
}

/// Scans a TOML file and distinguishes strings with escapes from comments and literal strings, in which a
/// backslash is literal.
private struct NULSearch {
    private enum Place {
        case outside, comment
        /// In a string that ends with one or three `quote`s.
        case string(quote: UInt8, isLong: Bool)
    }

    private static let escapes = [Array("\\u0000".utf8), Array("\\U00000000".utf8)]
    private static let quote = UInt8(ascii: "\"")
    private static let apostrophe = UInt8(ascii: "'")
    private static let lineEnd = UInt8(ascii: "\n")

    private let bytes: [UInt8]
    private var index = 0
    private var place = Place.outside

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func line() -> Int? {
        var number = 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == 0 { return number }
            if byte == Self.lineEnd {
                number += 1
                endLine()
                continue
            }
            switch place {
            case .outside: passOutside(byte)
            case .comment: index += 1
            case .string(Self.quote, _) where byte == UInt8(ascii: "\\"):
                if Self.escapes.contains(where: { bytes[index...].starts(with: $0) }) {
                    return number
                }
                // The escaped byte may be a quote; the end of a line is handled as usual.
                index += 1
                if index < bytes.count, bytes[index] != Self.lineEnd { index += 1 }
            case .string(let quote, let isLong):
                if byte == quote { passQuotes(quote, isLong) } else { index += 1 }
            }
        }
        return nil
    }

    private mutating func endLine() {
        index += 1
        if case .string(_, isLong: true) = place { return }
        place = .outside
    }

    private mutating func passOutside(_ byte: UInt8) {
        guard byte == Self.quote || byte == Self.apostrophe else {
            if byte == UInt8(ascii: "#") { place = .comment }
            index += 1
            return
        }
        let count = quotes(byte)
        // Two quotes are an empty string.
        index += min(count, 3)
        if count != 2 { place = .string(quote: byte, isLong: count >= 3) }
    }

    /// Skips quotes in a string, which may end it.
    private mutating func passQuotes(_ quote: UInt8, _ isLong: Bool) {
        guard isLong else {
            index += 1
            place = .outside
            return
        }
        // Up to two quotes before the final three are text.
        let count = quotes(quote)
        index += min(count, 5)
        if count >= 3 { place = .outside }
    }

    private func quotes(_ quote: UInt8) -> Int {
        bytes[index...].prefix { $0 == quote }.count
    }
}
