extension JSONWriter {
    /// A string, with escapes for quotes, backslashes and control characters only.
    package mutating func string(_ text: String) {
        separate()
        // Native Swift strings are contiguous; the buffer is used within the call only.
        let direct: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { source in
            unsafe escaped(source)
        }
        if direct == nil {
            var copy = text
            copy.withUTF8 { source in unsafe escaped(source) }
        }
    }

    /// The same for valid UTF-8 that is no `String`.
    package mutating func string(_ text: UTF8Span) {
        separate()
        // The buffer is used within the call only.
        unsafe text.span.withUnsafeBufferPointer { source in unsafe escaped(source) }
    }

    /// Bytes as a string in Base64, with padding.
    package mutating func base64(_ bytes: [UInt8]) {
        separate()
        reserve((bytes.count + 2) / 3 * 4 + 2)
        put(UInt8(ascii: "\""))
        Base64.encode(bytes) { put($0) }
        put(UInt8(ascii: "\""))
    }

    package mutating func integer(_ value: Int) {
        separate()
        reserve(24)
        if value < 0 { put(UInt8(ascii: "-")) }
        digits(UInt64(value.magnitude))
    }

    package mutating func integer(_ value: UInt64) {
        separate()
        reserve(24)
        digits(value)
    }

    package mutating func integer(_ value: Int64) { integer(Int(value)) }

    /// The shortest text that parses to the same number; null if it is not finite.
    ///
    /// A whole number has no fraction, so that layouts and sizes stay short.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        if value.magnitude < 9_007_199_254_740_992, value.rounded(.towardZero) == value,
            value != 0 || value.sign == .plus
        {
            return integer(Int(value))
        }
        if millionths(value) { return }
        separate()
        var text = value.description
        // The buffer is used within the call only.
        text.withUTF8 { source in unsafe copy(source) }
    }

    /// Writes a number that is a whole number of millionths, as most times are, and returns whether it was one.
    ///
    /// Below 2^53 millionths, each has a Double of its own, and no shorter text parses to it.
    private mutating func millionths(_ value: Double) -> Bool {
        guard value.magnitude < 9_007_199_254.740992, value.magnitude >= 0.0001 else {
            return false
        }
        let scaled = (value.magnitude * 1_000_000).rounded()
        guard scaled / 1_000_000 == value.magnitude else { return false }
        let whole = UInt64(scaled) / 1_000_000
        var rest = UInt32(truncatingIfNeeded: UInt64(scaled) &- whole &* 1_000_000)
        separate()
        reserve(32)
        if value < 0 { put(UInt8(ascii: "-")) }
        digits(whole)
        put(UInt8(ascii: "."))
        // The six digits, without trailing zeros.
        let end = count &+ 6
        var length = 6
        while length > 0 {
            length &-= 1
            let tenth = rest / 10
            // Room for 32 bytes was reserved; the whole number has ten at the most.
            unsafe memory[count &+ length] =
                UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest &- tenth &* 10)
            rest = tenth
        }
        count = end
        while unsafe memory[count &- 1] == UInt8(ascii: "0") { count &-= 1 }
        return true
    }

    /// Writes the decimal digits of `value`; 20 bytes are reserved.
    private mutating func digits(_ value: UInt64) {
        var length = 1
        var power: UInt64 = 10
        while length < 20, value >= power {
            length &+= 1
            power = power &* 10
        }
        // No UInt64 has more than the 20 digits that were reserved.
        var out = unsafe memory + count + length
        var rest = value
        while rest >= 10 {
            let hundreds = rest / 100
            let pair = UInt32(truncatingIfNeeded: rest &- hundreds &* 100)
            rest = hundreds
            let tens = pair / 10
            unsafe out -= 2
            unsafe out[0] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: tens)
            unsafe out[1] =
                UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: pair &- tens &* 10)
        }
        // With an odd number of digits, the first is left.
        if length & 1 == 1 { unsafe out[-1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest) }
        count += length
    }

    /// Writes a string of valid UTF-8 in quotes.
    private mutating func escaped(_ source: UnsafeBufferPointer<UInt8>) {
        // Two quotes, and up to seven bytes that the copy in words of eight may write beyond the end.
        reserve(source.count + 10)
        put(UInt8(ascii: "\""))
        var from = 0
        while true {
            from = unsafe copyPlain(source, from)
            guard from < source.count else { break }
            unsafe escape(source[from])
            from += 1
            reserve(source.count - from + 10)
        }
        put(UInt8(ascii: "\""))
    }

    /// Copies up to the next byte that needs an escape, and returns its index or the count.
    private mutating func copyPlain(
        _ source: UnsafeBufferPointer<UInt8>, _ start: Int
    ) -> Int {
        guard let from = source.baseAddress else { return 0 }
        let end = source.count
        var at = start
        let out = unsafe memory + count - start
        defer { count += at - start }
        // Reads stay below `end`; writes stay within what `escaped` reserved: the rest and ten bytes.
        while at + 8 <= end {
            let word = unsafe UnsafeRawPointer(from + at).loadUnaligned(as: UInt64.self)
            unsafe UnsafeMutableRawPointer(out + at).storeBytes(of: word, as: UInt64.self)
            let stops = bytesToEscape(UInt64(littleEndian: word))
            if stops != 0 {
                at += stops.trailingZeroBitCount >> 3
                return at
            }
            at += 8
        }
        while at < end {
            let byte = unsafe from[at]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
            unsafe out[at] = byte
            at += 1
        }
        return at
    }

    private mutating func escape(_ byte: UInt8) {
        reserve(6)
        put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
        case 0x08: put(UInt8(ascii: "b"))
        case 0x09: put(UInt8(ascii: "t"))
        case 0x0A: put(UInt8(ascii: "n"))
        case 0x0C: put(UInt8(ascii: "f"))
        case 0x0D: put(UInt8(ascii: "r"))
        default:
            put(UInt8(ascii: "u"))
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "0") + byte >> 4)
            let low = byte & 0xF
            put(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
