/// Characters of bytes that come one by one.
struct UTF8Reader {
    enum Step: Equatable {
        case scalar(Unicode.Scalar)
        /// More is to come.
        case incomplete
        /// What came is no UTF-8, with this byte.
        case invalid
        /// What came before this byte is no UTF-8. The byte is not read: it is to be given again.
        case cut
    }

    private var value: UInt32 = 0
    private var missing = 0
    /// The least scalar that needs so many bytes.
    private var least: UInt32 = 0

    mutating func take(_ byte: UInt8) -> Step {
        if missing == 0 { return start(byte) }
        guard byte & 0xC0 == 0x80 else {
            missing = 0
            return .cut
        }
        value = value << 6 | UInt32(byte & 0x3F)
        missing -= 1
        if missing > 0 { return .incomplete }
        guard value >= least, let scalar = Unicode.Scalar(value) else { return .invalid }
        return .scalar(scalar)
    }

    private mutating func start(_ byte: UInt8) -> Step {
        switch byte {
        case 0..<0x80: return .scalar(Unicode.Scalar(byte))
        case 0xC2...0xDF: (missing, least, value) = (1, 0x80, UInt32(byte & 0x1F))
        case 0xE0...0xEF: (missing, least, value) = (2, 0x800, UInt32(byte & 0x0F))
        case 0xF0...0xF4: (missing, least, value) = (3, 0x10000, UInt32(byte & 0x07))
        default: return .invalid
        }
        return .incomplete
    }
}
