/// Some media types, for a filter.
package struct MediaTypeSet: Hashable, Sendable {
    /// A bit for each type of the table.
    private var words: [UInt64]

    /// The types with these texts; `image/*` are all of images. Upper case is as lower case, and a type that no name
    /// has is none.
    /// - Complexity: O(types × texts).
    package init(_ texts: [String]) {
        words = [UInt64](repeating: 0, count: (MediaType.count + 63) / 64)
        let exact = Set(texts.map { $0.lowercased() })
        let kinds = exact.filter { $0.hasSuffix("/*") }.map { $0.dropLast() }
        for number in 0..<UInt16(clamping: MediaType.count) {
            let text = MediaType(knownNumber: number).text
            guard exact.contains(text) || kinds.contains(where: { text.hasPrefix($0) }) else {
                continue
            }
            words[Int(number) / 64] |= 1 << (UInt64(number) % 64)
        }
    }

    /// - Complexity: O(1).
    package func contains(_ type: MediaType) -> Bool {
        words[Int(type.number) / 64] >> (UInt64(type.number) % 64) & 1 == 1
    }

    /// Whether a text has the form of a media type, or of all types of a kind: `image/png`, `image/*`.
    package static func isType(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 255, !parts[0].isEmpty else { return false }
        return isName(parts[0]) && (parts[1] == "*" || isName(parts[1]))
    }

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte
                    || "!#$&-^_.+".utf8.contains(byte)
            }
    }
}
