// The sort key of a name, byte by byte from its folded text.
//
// `SortKeyBuilder` makes the same bytes; `FoldedName` describes them. Reading them from the text that search scans
// saves a second text for each document.

internal import CDocumentKernels

/// Reads the sort key of a folded text.
struct SortKeyReader {
    /// Where the next byte comes from.
    private enum State {
        case text
        /// The count of a number's digits, then the digits.
        case count(left: Int)
        case digits(left: Int)
    }

    private var state = State.text
    private var place = 0
    /// The first digit of a number that counts, and the number of them.
    private var firstDigit = 0
    private var digitCount = 0

    /// The next byte; nil at the end. The same text must be given each time.
    /// - Complexity: O(1), O(n) at the start of a number with n digits.
    @inline(__always)
    mutating func next(in text: borrowing Span<UInt8>) -> UInt8? {
        if case .text = state, place < text.count {
            let byte = text[place]
            // Neither a digit nor the first byte of one.
            if byte < 0x30 || 0x3A...0xD8 ~= byte {
                place += 1
                return byte
            }
        }
        return slowNext(in: text)
    }

    private mutating func slowNext(in text: borrowing Span<UInt8>) -> UInt8? {
        switch state {
        case .text:
            guard place < text.count else { return nil }
            let byte = text[place]
            guard Self.digit(in: text, at: place) != nil else {
                place += 1
                return byte
            }
            scanNumber(in: text)
            state = .count(left: digitCount)
            return 0x30
        case .count(let left) where left >= 255:
            state = .count(left: left - 255)
            return 255
        case .count(let left):
            beginDigits(in: text)
            return UInt8(left)
        case .digits(let left):
            guard let (value, length) = Self.digit(in: text, at: place) else {
                preconditionFailure("the text has changed")
            }
            place += length
            state = left > 1 ? .digits(left: left - 1) : .text
            return 0x30 + value
        }
    }

    /// Finds the digits of the number at `place`; leading zeros do not count.
    private mutating func scanNumber(in text: borrowing Span<UInt8>) {
        digitCount = 0
        while let (value, length) = Self.digit(in: text, at: place) {
            if value != 0 || digitCount > 0 {
                if digitCount == 0 { firstDigit = place }
                digitCount += 1
            }
            place += length
        }
    }

    /// The state after the count: without digits, the number's zeros have been passed.
    private mutating func beginDigits(in text: borrowing Span<UInt8>) {
        if digitCount == 0 {
            state = .text
        } else {
            place = firstDigit
            state = .digits(left: digitCount)
        }
    }

    /// The decimal digit at a place, and its length in bytes.
    private static func digit(
        in text: borrowing Span<UInt8>, at place: Int
    ) -> (value: UInt8, length: Int)? {
        guard place < text.count else { return nil }
        let byte = text[place]
        if byte < 0x80 { return 0x30...0x39 ~= byte ? (byte - 0x30, 1) : nil }
        // There are no digits among the scalars of two bytes that begin lower.
        guard byte >= 0xD9 else { return nil }
        let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        guard place + length <= text.count else { return nil }
        var value = UInt32(byte) & (0x7F >> UInt32(length))
        for index in 1..<length { value = value << 6 | UInt32(text[place + index] & 0x3F) }
        guard let scalar = Unicode.Scalar(value), let digit = SortKeyBuilder.digit(scalar) else {
            return nil
        }
        return (digit, length)
    }

    /// Eight bytes of the key from `skipped` on, as a number; a shorter key is padded with zeros. By these numbers a key
    /// comes before those that begin with it, since none goes on with a zero.
    /// - Returns: nil if the key ends before; 0 if it ends there.
    static func word(of text: borrowing Span<UInt8>, after skipped: Int) -> UInt64? {
        var word: UInt64 = 0
        // Reads the bytes of the text only.
        let state = unsafe text.withUnsafeBufferPointer { text in
            unsafe names_key_word(text.baseAddress, text.count, skipped, &word)
        }
        return state < 0 ? slowWord(of: text, after: skipped) : state > 0 ? word : nil
    }

    private static func slowWord(of text: borrowing Span<UInt8>, after skipped: Int) -> UInt64? {
        var reader = SortKeyReader()
        for _ in 0..<skipped where reader.next(in: text) == nil { return nil }
        var word: UInt64 = 0
        var shift: UInt64 = 64
        while shift > 0, let byte = reader.next(in: text) {
            shift -= 8
            word |= UInt64(byte) << shift
        }
        return word
    }

    /// Negative, zero or positive if the first key comes before, with or after the second.
    static func compare(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Int {
        var result: Int32 = 0
        // Reads the bytes of the texts only.
        let isKnown = unsafe left.withUnsafeBufferPointer { left in
            unsafe right.withUnsafeBufferPointer { right in
                unsafe names_compare_keys(
                    left.baseAddress, left.count, right.baseAddress, right.count, &result)
            }
        }
        return isKnown != 0 ? Int(result) : slowCompare(left, right)
    }

    /// The same, byte by byte of the keys.
    static func slowCompare(
        _ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>
    ) -> Int {
        var one = SortKeyReader()
        var other = SortKeyReader()
        while true {
            switch (one.next(in: left), other.next(in: right)) {
            case (nil, nil): return 0
            case (nil, _?): return -1
            case (_?, nil): return 1
            case (let first?, let second?):
                if first != second { return first < second ? -1 : 1 }
            }
        }
    }
}
