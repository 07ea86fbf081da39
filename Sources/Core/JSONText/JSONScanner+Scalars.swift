import Glibc

// Strings and numbers, where most of the time of a hostile text is spent.

extension JSONScanner {
    /// Scans a string whose opening quote is at `position`.
    @inline(__always)
    mutating func scanString(_ bytes: Span<UInt8>) throws(JSONError) -> JSONStringToken {
        let start = position &+ 1
        // Most strings are a few plain characters.
        let end = endOfShortText(bytes, from: start)
        guard end >= 0, !notesExact else { return try scanAnyString(bytes) }
        position = end &+ 1
        return JSONStringToken(range: start..<end, isPlain: true, holdsZero: false)
    }

    /// The general case of `scanString`.
    @inline(never)
    private mutating func scanAnyString(_ bytes: Span<UInt8>) throws(JSONError) -> JSONStringToken {
        let opening = position
        let start = position &+ 1
        let count = bytes.count
        var at = start
        var isPlain = true
        var holdsZero = false
        var hasPair = false
        // A view of the same bytes for wide loads; the bytes may have any value.
        let raw = unsafe bytes.bytes
        scanning: while true {
            while at &+ 8 <= count {
                // The eight bytes lie within the span, checked above; any bits make a UInt64.
                let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
                let stops = bytesToCheck(UInt64(littleEndian: word))
                guard stops == 0 else {
                    at &+= stops.trailingZeroBitCount >> 3
                    break
                }
                at &+= 8
                if at == start &+ 24, let end = endOfPlainText(bytes, from: at) {
                    at = end
                    break
                }
            }
            guard at < count else {
                throw JSONError(.syntax, at: opening, "string without closing quote")
            }
            switch bytes[at] {
            case UInt8(ascii: "\""):
                position = at &+ 1
                if notesExact {
                    if hasPair {
                        exactStrings.append(ExactScalar(ordinal: stringCount, range: start..<at))
                    }
                    stringCount += 1
                }
                return JSONStringToken(
                    range: start..<at, isPlain: isPlain, holdsZero: holdsZero)
            case UInt8(ascii: "\\"):
                isPlain = false
                let next = try scanEscape(bytes, at, &holdsZero)
                // Only the escape of a surrogate pair is this long.
                if next - at == 12 { hasPair = true }
                at = next
            case 0x00..<0x20:
                throw JSONError(.syntax, at: at, "control character in a string: escape it")
            case 0x20..<0x80:
                at += 1
            default:
                let length = lengthOfScalar(bytes, at)
                guard length > 0 else {
                    throw JSONError(.encoding, at: at, "not UTF-8")
                }
                at += length
            }
        }
    }

    private func scanEscape(
        _ bytes: Span<UInt8>, _ at: Int, _ holdsZero: inout Bool
    ) throws(JSONError) -> Int {
        guard at + 1 < bytes.count else {
            throw JSONError(.syntax, at: at, "string without closing quote")
        }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            guard let unit = hexUnit(bytes, at + 2) else {
                throw JSONError(.syntax, at: at, "expected four hex digits after '\\u'")
            }
            if unit == 0 { holdsZero = true }
            guard unit & 0xF800 == 0xD800 else { return at + 6 }
            guard unit < 0xDC00, at + 7 < bytes.count, bytes[at + 6] == UInt8(ascii: "\\"),
                bytes[at + 7] == UInt8(ascii: "u"), let low = hexUnit(bytes, at + 8),
                low & 0xFC00 == 0xDC00
            else { throw JSONError(.encoding, at: at, "half of a surrogate pair") }
            return at + 12
        default:
            throw JSONError(.syntax, at: at, "unknown escape in a string")
        }
    }

    /// Scans a number that begins at `position`.
    mutating func scanNumber(_ bytes: Span<UInt8>) throws(JSONError) {
        let start = position
        var at = start
        if bytes[at] == UInt8(ascii: "-") { at += 1 }
        let whole = at
        at = try scanDigits(bytes, at)
        if bytes[whole] == UInt8(ascii: "0"), at > whole + 1 {
            throw JSONError(.syntax, at: whole, "number with a leading zero")
        }
        var isInteger = true
        var hasExponent = false
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            isInteger = false
            at = try scanDigits(bytes, at + 1)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            hasExponent = true
            at += 1
            if at < bytes.count,
                bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-")
            {
                at += 1
            }
            at = try scanDigits(bytes, at)
        }
        position = at
        guard notesExact else { return }
        let range = start..<at
        // json-c represents a short number without exponent exactly, except that it drops the sign of zero.
        let isNegativeZero = isInteger && whole > start && bytes[whole] == UInt8(ascii: "0")
        if range.count > 17 || hasExponent || isNegativeZero {
            switch numberValue(bytes, range) {
            case .integer: break
            case .double where !isInteger: break
            default: exactNumbers.append(ExactScalar(ordinal: numberCount, range: range))
            }
        }
        numberCount += 1
    }

    private func scanDigits(_ bytes: Span<UInt8>, _ from: Int) throws(JSONError) -> Int {
        var at = from
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        guard at > from else { throw JSONError(.syntax, at: at, "expected a digit") }
        return at
    }
}

/// The end of the string that begins at `start`, if it is plain ASCII of at most 24 bytes; -1 otherwise.
@inline(__always)
func endOfShortText(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = unsafe bytes.bytes
    var at = start
    while at &+ 8 <= bytes.count, at &- start < 24 {
        // The eight bytes lie within the span, checked above; any bits make a UInt64.
        let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
        let stops = bytesToCheck(UInt64(littleEndian: word))
        if stops != 0 {
            at &+= stops.trailingZeroBitCount >> 3
            return bytes[at] == UInt8(ascii: "\"") ? at : -1
        }
        at &+= 8
    }
    return -1
}

/// The end of the string that continues at `start`, if the rest is plain ASCII. For long strings: both searches
/// examine many bytes at a time.
func endOfPlainText(_ bytes: Span<UInt8>, from start: Int) -> Int? {
    guard let end = firstIndex(of: UInt8(ascii: "\""), in: bytes, from: start) else { return nil }
    let count = end - start
    // Read within the call, and each index is below the count.
    return unsafe bytes.extracting(start..<end).withUnsafeBufferPointer { part in
        var others: UInt8 = 0
        var index = 0
        // A loop without branches is compiled to vector instructions.
        while index < count {
            let byte = unsafe part[index]
            others |= byte & 0x80
            others |= byte < 0x20 ? 0x80 : 0
            others |= byte == UInt8(ascii: "\\") ? 0x80 : 0
            index &+= 1
        }
        return others == 0 ? end : nil
    }
}

/// Marks, in each byte's top bit, the bytes that a string scan must examine: quotes, backslashes, control
/// characters, and bytes above ASCII. The lowest mark is always correct; higher ones may be false.
@inline(__always)
func bytesToCheck(_ word: UInt64) -> UInt64 {
    bytesToEscape(word) | (word & 0x8080_8080_8080_8080)
}

/// Like `bytesToCheck`, for bytes that a writer must escape.
@inline(__always)
func bytesToEscape(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ 0x2222_2222_2222_2222
    let slashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
    let controls = (word &- 0x2020_2020_2020_2020) & ~word
    return (controls | ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes))
        & 0x8080_8080_8080_8080
}

/// The length of the UTF-8 sequence at `at` (2 to 4), or 0 if it is invalid.
func lengthOfScalar(_ bytes: Span<UInt8>, _ at: Int) -> Int {
    func follows(_ offset: Int, _ allowed: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
        at + offset < bytes.count && allowed.contains(bytes[at + offset])
    }
    switch bytes[at] {
    case 0xC2...0xDF: return follows(1) ? 2 : 0
    case 0xE0: return follows(1, 0xA0...0xBF) && follows(2) ? 3 : 0
    case 0xED: return follows(1, 0x80...0x9F) && follows(2) ? 3 : 0
    case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : 0
    case 0xF0: return follows(1, 0x90...0xBF) && follows(2) && follows(3) ? 4 : 0
    case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : 0
    case 0xF4: return follows(1, 0x80...0x8F) && follows(2) && follows(3) ? 4 : 0
    default: return 0
    }
}

/// The value of the four hex digits at `at`.
func hexUnit(_ bytes: Span<UInt8>, _ at: Int) -> UInt16? {
    guard at + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for index in at..<(at + 4) {
        let byte = bytes[index]
        let digit: UInt8
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
        default: return nil
        }
        unit = unit << 4 | UInt16(digit)
    }
    return unit
}

/// Whether the bytes have a backslash.
func holdsEscape(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    firstIndex(of: UInt8(ascii: "\\"), in: bytes.extracting(range), from: 0) != nil
}

/// The first index of a byte, at `from` or after it.
package func firstIndex(of byte: UInt8, in bytes: Span<UInt8>, from: Int) -> Int? {
    // memchr gets the start and length of the same bytes, within the call.
    unsafe bytes.extracting(from..<bytes.count).withUnsafeBytes { part in
        guard let start = part.baseAddress, let hit = unsafe memchr(start, Int32(byte), part.count)
        else { return nil }
        return unsafe from + (UnsafeRawPointer(hit) - start)
    }
}

/// The text of a scanned string's bytes between the quotes.
func resolvedText(_ bytes: Span<UInt8>, _ range: Range<Int>, isPlain: Bool) -> String {
    if isPlain {
        // The span outlives the call, and the String copies from it.
        return unsafe bytes.extracting(range).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
    }
    // Fills the String in place; the closure stays within the capacity, because no escape is shorter than its
    // text.
    return unsafe String(unsafeUninitializedCapacity: range.count) { buffer in
        var filled = 0
        var at = range.lowerBound
        func put(_ byte: UInt8) {
            unsafe buffer[filled] = byte
            filled += 1
        }
        while at < range.upperBound {
            guard bytes[at] == UInt8(ascii: "\\") else {
                put(bytes[at])
                at += 1
                continue
            }
            let escape = bytes[at + 1]
            at += 2
            switch escape {
            case UInt8(ascii: "b"): put(0x08)
            case UInt8(ascii: "f"): put(0x0C)
            case UInt8(ascii: "n"): put(0x0A)
            case UInt8(ascii: "r"): put(0x0D)
            case UInt8(ascii: "t"): put(0x09)
            case UInt8(ascii: "u"):
                var code = UInt32(hexUnit(bytes, at) ?? 0xFFFD)
                at += 4
                if code & 0xFC00 == 0xD800, let low = hexUnit(bytes, at + 2) {
                    code = 0x10000 + ((code & 0x3FF) << 10) + UInt32(low & 0x3FF)
                    at += 6
                }
                for byte in UTF8.encode(Unicode.Scalar(code) ?? "\u{FFFD}") ?? .init() {
                    put(byte)
                }
            default: put(escape)
            }
        }
        return filled
    }
}
