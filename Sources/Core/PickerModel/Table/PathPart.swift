// A name within a path, read where it is stored.
//
// Paths sort by the bytes of their text, in which bytes that are not UTF-8 are U+FFFD. A slash is no part of a name,
// and ends a sequence of bytes. So the texts of two paths compare like the texts of the first two parts that differ,
// each with the slash that follows it.

/// The name of a file or folder as a part of a path. Valid until the next change of the table that has the name.
@safe struct PathPart {
    private static let slash = UInt8(ascii: "/")

    private let bytes: UnsafeBufferPointer<UInt8>
    /// The positions of capitals that are stored as small letters, among the first 32 bytes.
    private let capitals: UInt32
    /// Whether a slash follows.
    let isFolder: Bool

    /// Whether all bytes are known to be ASCII.
    private let isAscii: Bool

    /// The bytes must remain where they are as long as the part is used.
    @unsafe init(
        _ bytes: UnsafeBufferPointer<UInt8>, capitals: UInt32 = 0, isAscii: Bool = false,
        isFolder: Bool
    ) {
        unsafe self.bytes = bytes
        self.capitals = capitals
        self.isAscii = isAscii
        self.isFolder = isFolder
    }

    /// The number of bytes of the name.
    private var count: Int { unsafe bytes.count }

    /// The byte at an index up to the end of the name, where the slash is; 0, which no name contains, without one.
    @inline(__always)
    private subscript(index: Int) -> UInt8 {
        if index == count { return isFolder ? Self.slash : 0 }
        // The index is within the name.
        let byte = unsafe bytes[index]
        return index < 32 && capitals >> UInt32(index) & 1 != 0 ? byte - 0x20 : byte
    }

    /// Negative, zero or positive if the text of this part comes before, with or after the other's.
    /// - Complexity: O(n). Allocates only where names differ in bytes that are not UTF-8.
    func compare(_ other: PathPart) -> Int {
        let common = min(count, other.count)
        var index = 0
        while index < common, self[index] == other[index] { index += 1 }
        if index == count, index == other.count {
            return isFolder == other.isFolder ? 0 : isFolder ? 1 : -1
        }
        let (one, two) = (self[index], other[index])
        if one | two >= 0x80 {
            // A difference within a character begins where the character does.
            let start =
                Self.isContinuation(one) || Self.isContinuation(two)
                ? characterStart(before: index) : index
            guard start + characterLength(at: start) > index,
                start + other.characterLength(at: start) > index
            else { return Self.compare(text, other.text) }
        }
        return one == two ? 0 : one < two ? -1 : 1
    }

    private static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// The last index before another where a character may begin that goes on to that other.
    private func characterStart(before index: Int) -> Int {
        var start = max(0, index - 1)
        while start > max(0, index - 3), Self.isContinuation(self[start]) { start -= 1 }
        return start
    }

    /// The number of bytes of the character that begins at an index, which may be the end; 0 if they are not UTF-8.
    private func characterLength(at index: Int) -> Int {
        let first = self[index]
        if first < 0x80 { return 1 }
        let length = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard length > 0, index + length <= count else { return 0 }
        for next in index + 1..<index + length where !Self.isContinuation(self[next]) { return 0 }
        let second = self[index + 1]
        let isCharacter =
            switch first {
            case 0xE0: second >= 0xA0
            case 0xED: second < 0xA0
            case 0xF0: second >= 0x90
            case 0xF4: second < 0x90
            default: true
            }
        return isCharacter ? length : 0
    }

    /// Whether all bytes are UTF-8.
    private var isText: Bool {
        if isAscii { return true }
        var index = 0
        while index < count {
            if let word = eightBytes(at: index), word & 0x8080_8080_8080_8080 == 0 {
                index += 8
                continue
            }
            let length = characterLength(at: index)
            if length == 0 { return false }
            index += length
        }
        return true
    }

    /// Eight bytes of the name as they are stored, the first one highest; nil if there are fewer.
    @inline(__always)
    private func eightBytes(at index: Int) -> UInt64? {
        guard count - index >= 8, let start = unsafe bytes.baseAddress else { return nil }
        // These are bytes of the name.
        return unsafe UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self).bigEndian
    }

    /// The number of bytes of the text, with the slash.
    var textCount: Int { isText ? count + (isFolder ? 1 : 0) : text.count }

    /// The bytes of the text, with the slash.
    private var text: [UInt8] {
        let name = (0..<count).map { self[$0] }
        var result = Array(String(decoding: name, as: UTF8.self).utf8)
        if isFolder { result.append(Self.slash) }
        return result
    }

    /// So many bytes of the text, at most eight, from one on: the first one is the highest of the result, and zeros
    /// follow the text.
    /// - Returns: nil if the text ends before.
    /// - Complexity: O(1); O(n) if a byte of the name is not ASCII.
    func word(from start: Int, bytes wanted: Int = 8) -> UInt64? {
        if !isText {
            let text = text
            return Self.word(from: start, bytes: wanted, end: text.count) { text[$0] }
        }
        if start < count, var word = eightBytes(at: start) {
            var capitals = start < 32 ? capitals >> UInt32(start) & 0xFF : 0
            while capitals != 0 {
                word -= 0x20 << UInt64(56 - 8 * capitals.trailingZeroBitCount)
                capitals &= capitals - 1
            }
            return wanted < 8 ? word & ~(.max >> UInt64(8 * wanted)) : word
        }
        return Self.word(from: start, bytes: wanted, end: count + (isFolder ? 1 : 0)) { self[$0] }
    }

    @inline(__always)
    private static func word(
        from start: Int, bytes wanted: Int, end: Int, _ byte: (Int) -> UInt8
    ) -> UInt64? {
        guard start < end else { return nil }
        var word: UInt64 = 0
        for index in start..<min(end, start + wanted) {
            word |= UInt64(byte(index)) << UInt64(56 - 8 * (index - start))
        }
        return word
    }
}
