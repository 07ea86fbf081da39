/// Builds sort keys; `FoldedName` describes their format.
struct SortKeyBuilder {
    private(set) var bytes: [UInt8] = []
    private var digits: [UInt8] = []
    private var isInNumber = false

    init(capacity: Int) {
        bytes.reserveCapacity(capacity + 4)
    }

    /// The first eight bytes; a shorter key is padded with zeros.
    var prefix: UInt64 {
        var value: UInt64 = 0
        for index in 0..<8 {
            value = value << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0)
        }
        return value
    }

    /// Appends a folded name in UTF-8.
    mutating func append(folded text: [UInt8]) {
        guard !text.allSatisfy({ $0 < 0x80 }) else { return append(ascii: text) }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if let digit = Self.digit(scalar) {
                append(digit: 0x30 + digit)
            } else {
                endNumber()
                bytes.append(utf8Of: scalar.value)
            }
        }
        endNumber()
    }

    private mutating func append(ascii text: [UInt8]) {
        for byte in text {
            if 0x30...0x39 ~= byte {
                append(digit: byte)
            } else {
                endNumber()
                bytes.append(byte)
            }
        }
        endNumber()
    }

    static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        if scalar.value < 0x80 {
            return 0x30...0x39 ~= scalar.value ? UInt8(scalar.value - 0x30) : nil
        }
        // There are no decimal digits below Arabic, nor among Han and Hangul.
        guard scalar.value >= 0x660, !(0x3040...0xA61F ~= scalar.value),
            !(0xAC00...0xFEFF ~= scalar.value),
            scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue
        else { return nil }
        return UInt8(exactly: value)
    }

    private mutating func append(digit: UInt8) {
        isInNumber = true
        if digit != 0x30 || !digits.isEmpty { digits.append(digit) }
    }

    private mutating func endNumber() {
        guard isInNumber else { return }
        isInNumber = false
        bytes.append(0x30)
        var count = digits.count
        while count >= 255 {
            bytes.append(255)
            count -= 255
        }
        bytes.append(UInt8(count))
        bytes.append(contentsOf: digits)
        digits.removeAll(keepingCapacity: true)
    }
}
