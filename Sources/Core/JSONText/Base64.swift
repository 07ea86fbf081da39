/// Base64 of RFC 4648, with padding; for bytes that a JSON string cannot represent.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        encode(bytes) { text.append($0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: nil unless `text` is canonical Base64: padded, without blanks, with zero in the unused bits.
    package static func decode(_ text: String) -> [UInt8]? {
        let symbols = Array(text.utf8)
        guard symbols.count.isMultiple(of: 4) else { return nil }
        let padding = symbols.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        bytes.reserveCapacity(symbols.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount = 0
        for symbol in symbols.dropLast(padding) {
            guard let sextet = sextet(symbol) else { return nil }
            bits = bits << 6 | UInt32(sextet)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= (1 << UInt32(bitCount)) - 1
            }
        }
        return bits == 0 ? bytes : nil
    }

    @inline(__always)
    static func encode(_ bytes: [UInt8], _ put: (UInt8) -> Void) {
        var at = 0
        while at < bytes.count {
            let second = at + 1 < bytes.count ? bytes[at + 1] : 0
            let third = at + 2 < bytes.count ? bytes[at + 2] : 0
            put(symbol(bytes[at] >> 2))
            put(symbol((bytes[at] & 0x03) << 4 | second >> 4))
            put(at + 1 < bytes.count ? symbol((second & 0x0F) << 2 | third >> 6) : padding)
            put(at + 2 < bytes.count ? symbol(third & 0x3F) : padding)
            at += 3
        }
    }

    private static let padding = UInt8(ascii: "=")

    private static func symbol(_ sextet: UInt8) -> UInt8 {
        switch sextet {
        case 0..<26: UInt8(ascii: "A") + sextet
        case 26..<52: UInt8(ascii: "a") + sextet - 26
        case 52..<62: UInt8(ascii: "0") + sextet - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func sextet(_ symbol: UInt8) -> UInt8? {
        switch symbol {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): symbol - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): symbol - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): symbol - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
