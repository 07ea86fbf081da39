/// Text between the sequences that begin and end a paste.
struct PastedText {
    private var bytes: [UInt8] = []
    /// How many bytes of the end have come.
    private var matched = 0
    private var wasCut = false

    /// The most bytes of a pasted text; the rest is dropped.
    static let mostBytes = 64 * 1024
    private static let end: [UInt8] = [0x1B] + "[201~".utf8

    var count: Int { bytes.count }

    /// - Returns: the text, if the byte is its last one.
    mutating func take(_ byte: UInt8) -> TerminalInput? {
        if byte == Self.end[matched] {
            matched += 1
            return matched == Self.end.count ? .paste(text, wasCut: wasCut) : nil
        }
        // It was no end. Only its first byte can begin another one.
        for index in 0..<matched { append(Self.end[index]) }
        matched = 0
        if byte == Self.end[0] { matched = 1 } else { append(byte) }
        return nil
    }

    private mutating func append(_ byte: UInt8) {
        if bytes.count < Self.mostBytes { bytes.append(byte) } else { wasCut = true }
    }

    /// The text, with blanks for control characters; what is no UTF-8 is left out.
    private var text: String {
        var text = ""
        var utf8 = UTF8Reader()
        for byte in bytes {
            var step = utf8.take(byte)
            if step == .cut { step = utf8.take(byte) }
            guard case .scalar(let scalar) = step else { continue }
            let isControl = scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}
