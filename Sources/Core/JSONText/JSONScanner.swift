import Glibc

// The validator in front of everything else: one pass over the bytes that accepts exactly the texts of RFC
// 8259, finds the ranges of values, and builds nothing. The rest of this module trusts only validated text, so
// that json-c's leniency has no effect.
//
// Invariant: `position` stays within the bytes. After an error, the scanner must not be reused. Escapes of half
// a surrogate pair are refused, because their text has no UTF-8.

/// A strict JSON scanner. The bytes are passed to each call, so that it stores no pointer.
package struct JSONScanner {
    let limits: JSONLimits
    var position = 0

    /// The members of all objects so far: if json-c's tree has fewer, a key is repeated.
    var memberCount = 0
    /// Whether to record scalars that json-c would alter, to be read from the text.
    let notesExact: Bool
    var numberCount = 0
    /// Numbers that neither Int64 nor Double represents, and negative zero.
    var exactNumbers: [ExactScalar] = []
    var stringCount = 0
    /// Strings, including keys, with escapes of surrogate pairs.
    var exactStrings: [ExactScalar] = []
    var zeroInKey: Int?
    /// The least depth of the objects whose keys are checked for repetition.
    private var doubleKeyDepth = Int.max
    /// Whether repeated keys are found exactly, or only suspected.
    private var isExactOnKeys = false
    /// Whether an object may have a key twice: two of its keys have the same mark.
    package private(set) var maySeeDoubleKey = false
    /// The keys of the open objects that are checked for repetition; those of the innermost object last.
    private var keys: [JSONStringToken] = []
    /// The first key found twice in its object.
    private(set) var doubleKey: JSONStringToken?

    /// Its ordinal among its kind in reading order, and its range; that of a string without quotes.
    struct ExactScalar {
        let ordinal: Int
        let range: Range<Int>
    }

    package init(limits: JSONLimits = .wire) {
        self.limits = limits
        notesExact = false
    }

    init(limits: JSONLimits, notesExact: Bool) {
        self.limits = limits
        self.notesExact = notesExact
    }

    /// Validates that the bytes are one JSON value, surrounded only by blanks.
    /// - Returns: the value's kind and its range, without the blanks.
    /// - Complexity: O(bytes), no allocation.
    mutating func scanText(
        _ bytes: Span<UInt8>
    ) throws(JSONError) -> (kind: JSONKind, range: Range<Int>) {
        try beginText(bytes)
        let start = position
        let kind = try scanValue(bytes, depth: 0)
        let end = position
        try endText(bytes)
        return (kind, start..<end)
    }

    /// Validates that the bytes are one JSON object, and passes each of its members to `visit`.
    ///
    /// The visitor has to find repeated keys. Members are visited before the whole text is validated, so the
    /// visitor's results are valid only once this returns.
    mutating func scanObjectText(
        _ bytes: Span<UInt8>, visit: (JSONMemberToken) -> Void
    ) throws(JSONError) {
        try beginText(bytes, with: UInt8(ascii: "{"))
        try scanMembers(bytes, depth: 0, visit: visit)
        try endText(bytes)
    }

    /// Like `scanObjectText`. If the value of member `name` is an object, its members are passed to `inner`,
    /// before that member itself is visited, in the same pass.
    package mutating func scanObjectText(
        _ bytes: Span<UInt8>, opening name: StaticString,
        inner: (JSONMemberToken) -> Void, visit: (JSONMemberToken) -> Void
    ) throws(JSONError) {
        try beginText(bytes, with: UInt8(ascii: "{"))
        try scanMembers(
            bytes, depth: 0,
            value: { (scanner, key) throws(JSONError) in
                guard scanner.position < bytes.count,
                    bytes[scanner.position] == UInt8(ascii: "{"), key.equals(name, in: bytes)
                else { return try scanner.scanValue(bytes, depth: 1) }
                try scanner.scanMembers(bytes, depth: 1, visit: inner)
                return .object
            }, visit: visit)
        try endText(bytes)
    }

    /// Like `scanObjectText`, for the elements of one array.
    mutating func scanArrayText(
        _ bytes: Span<UInt8>, visit: (JSONKind, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        try beginText(bytes, with: UInt8(ascii: "["))
        try scanElements(bytes, depth: 0, visit: visit)
        try endText(bytes)
    }

    /// Goes to the value of a text, which begins with `opening` if that is given.
    @inline(__always)
    private mutating func beginText(
        _ bytes: Span<UInt8>, with opening: UInt8? = nil
    ) throws(JSONError) {
        guard bytes.count <= limits.bytes else {
            throw JSONError(
                .size, at: limits.bytes, "text is longer than \(limits.bytes) bytes")
        }
        skipBlanks(bytes)
        guard let opening else { return }
        guard position < bytes.count, bytes[position] == opening else {
            throw JSONError(.syntax, at: position, "expected '\(Unicode.Scalar(opening))'")
        }
    }

    /// Checks that nothing but blanks follows the value of a text.
    @inline(__always)
    private mutating func endText(_ bytes: Span<UInt8>) throws(JSONError) {
        skipBlanks(bytes)
        guard position == bytes.count else {
            throw JSONError(.syntax, at: position, "expected the end of the text")
        }
    }

    @inline(__always)
    mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Scans one value; `depth` is the number of containers around it.
    @inline(__always)
    mutating func scanValue(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> JSONKind {
        // Most values are strings.
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            _ = try scanString(bytes)
            return .string
        }
        return try scanAnyValue(bytes, depth: depth)
    }

    /// The general case of `scanValue`.
    @inline(never)
    private mutating func scanAnyValue(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(JSONError) -> JSONKind {
        guard position < bytes.count else {
            throw JSONError(.syntax, at: position, "expected a value, found the end of the text")
        }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            try scanMembers(bytes, depth: depth) { _ in }
            return .object
        case UInt8(ascii: "["):
            try scanElements(bytes, depth: depth) { (_, _) throws(JSONError) in }
            return .array
        case UInt8(ascii: "\""):
            _ = try scanString(bytes)
            return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try scanNumber(bytes)
            return .number
        case UInt8(ascii: "t"):
            try scanWord("true", bytes)
            return .bool
        case UInt8(ascii: "f"):
            try scanWord("false", bytes)
            return .bool
        case UInt8(ascii: "n"):
            try scanWord("null", bytes)
            return .null
        default:
            throw JSONError(.syntax, at: position, "expected a value")
        }
    }

    private mutating func scanWord(
        _ word: StaticString, _ bytes: Span<UInt8>
    ) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        guard position + length <= bytes.count,
            sameBytes(bytes, position..<(position + length), word)
        else { throw JSONError(.syntax, at: position, "expected '\(word)'") }
        position += length
    }

    @inline(__always)
    private func checkDepth(_ depth: Int) throws(JSONError) {
        guard depth < limits.depth else {
            throw JSONError(.depth, at: position, "nested deeper than \(limits.depth) levels")
        }
    }

    @inline(__always)
    private mutating func scanMembers(
        _ bytes: Span<UInt8>, depth: Int, visit: (JSONMemberToken) -> Void
    ) throws(JSONError) {
        try scanMembers(
            bytes, depth: depth,
            value: { (scanner, _) throws(JSONError) in
                try scanner.scanValue(bytes, depth: depth + 1)
            }, visit: visit)
    }

    /// `value` scans the value of the member with the given key.
    @inline(__always)
    private mutating func scanMembers(
        _ bytes: Span<UInt8>, depth: Int,
        value: (inout JSONScanner, JSONStringToken) throws(JSONError) -> JSONKind,
        visit: (JSONMemberToken) -> Void
    ) throws(JSONError) {
        try checkDepth(depth)
        position += 1
        skipBlanks(bytes)
        if position < bytes.count, bytes[position] == UInt8(ascii: "}") {
            position += 1
            return
        }
        let firstKey = keys.count
        var marks: UInt64 = 0
        while true {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw JSONError(.syntax, at: position, "expected a key in quotes")
            }
            let key = try scanString(bytes)
            if key.holdsZero, zeroInKey == nil { zeroInKey = key.range.lowerBound }
            if depth >= doubleKeyDepth { recordKey(key, bytes, &marks) }
            memberCount += 1
            skipBlanks(bytes)
            guard position < bytes.count, bytes[position] == UInt8(ascii: ":") else {
                throw JSONError(.syntax, at: position, "expected ':'")
            }
            position += 1
            skipBlanks(bytes)
            let start = position
            let kind = try value(&self, key)
            visit(JSONMemberToken(key: key, kind: kind, value: start..<position))
            skipBlanks(bytes)
            // The end is like a 0, which no valid text has here.
            switch position < bytes.count ? bytes[position] : 0 {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "}"):
                position += 1
                if keys.count > firstKey { lookForDoubleKey(from: firstKey, bytes) }
                return
            default:
                throw JSONError(.syntax, at: position, "expected ',' or '}'")
            }
        }
    }

    /// Detects repeated keys in all objects from here on.
    mutating func lookForDoubleKeys() {
        doubleKeyDepth = 0
        isExactOnKeys = true
    }

    /// From here on, sets `maySeeDoubleKey` if an object at this depth or deeper may have a key twice. It costs
    /// next to nothing, and has no false negatives.
    package mutating func suspectDoubleKeys(fromDepth depth: Int) {
        doubleKeyDepth = depth
    }

    @inline(__always)
    private mutating func recordKey(
        _ key: JSONStringToken, _ bytes: Span<UInt8>, _ marks: inout UInt64
    ) {
        if isExactOnKeys { return keys.append(key) }
        let mark = key.mark(in: bytes)
        // A key with an escape may equal another key.
        if marks & mark == mark || !key.isPlain { maySeeDoubleKey = true }
        marks |= mark
    }

    /// Checks the keys of a scanned object, and drops them.
    private mutating func lookForDoubleKey(from first: Int, _ bytes: Span<UInt8>) {
        if doubleKey == nil, keys.count - first > 1 {
            doubleKey = firstDouble(keys.count - first, bytes) { keys[first + $0] }
        }
        keys.removeSubrange(first...)
    }

    @inline(__always)
    private mutating func scanElements(
        _ bytes: Span<UInt8>, depth: Int,
        visit: (JSONKind, Range<Int>) throws(JSONError) -> Void
    ) throws(JSONError) {
        try checkDepth(depth)
        position += 1
        skipBlanks(bytes)
        if position < bytes.count, bytes[position] == UInt8(ascii: "]") {
            position += 1
            return
        }
        while true {
            let start = position
            let kind = try scanValue(bytes, depth: depth + 1)
            try visit(kind, start..<position)
            skipBlanks(bytes)
            // The end is like a 0, which no valid text has here.
            switch position < bytes.count ? bytes[position] : 0 {
            case UInt8(ascii: ","):
                position += 1
                skipBlanks(bytes)
            case UInt8(ascii: "]"):
                position += 1
                return
            default:
                throw JSONError(.syntax, at: position, "expected ',' or ']'")
            }
        }
    }
}

/// One scanned member; ranges are relative to the start of the scanned bytes.
package struct JSONMemberToken {
    package let key: JSONStringToken
    package let kind: JSONKind
    package let value: Range<Int>
}

/// A scanned string: the bytes between the quotes, with escapes.
package struct JSONStringToken {
    package let range: Range<Int>
    /// Whether it has no escapes: the bytes are the text.
    package let isPlain: Bool
    /// Whether it has the escape of U+0000.
    package let holdsZero: Bool

    /// A hash with one or two of 64 bits set; equal bytes give equal marks.
    @inline(__always)
    func mark(in bytes: Span<UInt8>) -> UInt64 {
        let count = range.upperBound &- range.lowerBound
        guard count > 0 else { return 1 }
        let mixed =
            UInt32(bytes[range.lowerBound])
            | UInt32(bytes[range.upperBound &- 1]) << 8
            | UInt32(bytes[range.lowerBound &+ count >> 1]) << 16
            | UInt32(truncatingIfNeeded: count) << 24
        let spread = mixed &* 0x9E37_79B1
        return 1 << UInt64(spread >> 26) | 1 << UInt64((spread >> 14) & 63)
    }

    /// Whether the string, with escapes resolved, is `name`.
    @inline(__always)
    package func equals(_ name: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard isPlain else { return sameText(text(in: bytes), "\(name)") }
        return range.count == name.utf8CodeUnitCount && sameBytes(bytes, range, name)
    }

    /// Whether the string, with escapes resolved, has the UTF-8 bytes `name`.
    @inline(__always)
    func equals(_ name: Span<UInt8>, in bytes: Span<UInt8>) -> Bool {
        guard isPlain else { return sameBytes(text(in: bytes).utf8Span.span, name) }
        return sameBytes(bytes.extracting(range), name)
    }

    /// The string, with escapes resolved.
    package func text(in bytes: Span<UInt8>) -> String {
        resolvedText(bytes, range, isPlain: isPlain)
    }
}

@inline(__always)
func sameBytes(_ bytes: Span<UInt8>, _ range: Range<Int>, _ name: StaticString) -> Bool {
    // The text of a StaticString lives for ever.
    name.withUTF8Buffer { unsafe sameBytes(bytes.extracting(range), $0.span) }
}

@inline(__always)
func sameBytes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    let count = one.count
    guard count == other.count else { return false }
    // Any bits make a number, and each load ends within the bytes of both, which have the same length.
    let (left, right) = unsafe (one.bytes, other.bytes)
    func differ<Word: FixedWidthInteger & BitwiseCopyable>(at offset: Int, _: Word.Type) -> Bool {
        unsafe left.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
            != right.unsafeLoadUnaligned(fromByteOffset: offset, as: Word.self)
    }
    // The last load overlaps bytes that have been compared.
    if count >= 8 {
        var at = 0
        while at < count &- 8 {
            if differ(at: at, UInt64.self) { return false }
            at &+= 8
        }
        return !differ(at: count &- 8, UInt64.self)
    }
    if count >= 4 {
        return !differ(at: 0, UInt32.self) && !differ(at: count &- 4, UInt32.self)
    }
    for at in 0..<count where one[at] != other[at] { return false }
    return true
}

/// Equality by bytes; Swift's own treats canonically equivalent texts as equal.
func sameText(_ one: String, _ other: String) -> Bool {
    sameBytes(one.utf8Span.span, other.utf8Span.span)
}
