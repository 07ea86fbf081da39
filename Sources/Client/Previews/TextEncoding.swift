/// How the bytes of a file are text.
enum TextEncoding: Hashable, Sendable {
    /// Also of files that are not quite UTF-8: see `decode`.
    case utf8
    case utf16LittleEndian
    case utf16BigEndian

    /// So many bytes of a file are looked at to tell whether it is text.
    static let bytesLookedAt = 8 << 10

    /// Told by a byte order mark; without one it is UTF-8. Nil if a NUL is near the start: no text has one.
    init?(of bytes: [UInt8]) {
        let mark = bytes.prefix(4)
        // A mark of UTF-32 begins with that of UTF-16.
        if mark.elementsEqual([0xFF, 0xFE, 0, 0]) { return nil }
        switch (mark.first, mark.dropFirst().first) {
        case (0xFF, 0xFE): self = .utf16LittleEndian
        case (0xFE, 0xFF): self = .utf16BigEndian
        default:
            if bytes.prefix(Self.bytesLookedAt).contains(0) { return nil }
            self = .utf8
        }
    }

    /// - Parameters:
    ///   - bytes: A text, from its start.
    ///   - isCut: Whether more follows: then a character that is not whole at the end is left out.
    /// - Returns: The text in UTF-8, without the mark. Bytes in UTF-8 stay as they are, valid or not; what is no UTF-16
    ///   is U+FFFD.
    func decode(_ bytes: [UInt8], isCut: Bool) -> [UInt8] {
        switch self {
        case .utf8:
            let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
            return Array(isCut ? Self.withoutPart(text) : text)
        case .utf16LittleEndian: return Self.decode(bytes, isCut) { $0 | $1 << 8 }
        case .utf16BigEndian: return Self.decode(bytes, isCut) { $0 << 8 | $1 }
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ isCut: Bool, _ unit: (UInt16, UInt16) -> UInt16
    ) -> [UInt8] {
        var units = stride(from: 2, to: bytes.count - 1, by: 2).map {
            unit(UInt16(bytes[$0]), UInt16(bytes[$0 + 1]))
        }
        if isCut {
            if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        } else if bytes.count % 2 == 1 {
            // Half a unit is an error like half a pair.
            units.append(0xFFFD)
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// Bytes of UTF-8 without the first bytes of a character at their end.
    static func withoutPart(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        for index in bytes.indices.suffix(3).reversed() {
            let byte = bytes[index]
            if byte & 0xC0 == 0x80 { continue }
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return index + length > bytes.endIndex ? bytes[..<index] : bytes
        }
        return bytes
    }
}
