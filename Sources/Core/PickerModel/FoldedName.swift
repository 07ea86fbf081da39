// The forms of a name for search and sort, computed once per document.
//
// One byte array has two parts, which share their bytes if they are equal (a name without digits):
//   - the sort key: the folded name (see `NameFolding`), with runs of digits encoded by value. Keys compare
//     byte by byte. A run of digits becomes the byte `0`, the number of its digits without leading zeros, then
//     those digits: longer numbers are greater, and any number sorts where digits do;
//   - the search bytes: the folded name in UTF-8.

/// The forms of a name for search and sort.
package struct FoldedName: Hashable, Sendable {
    private let bytes: [UInt8]
    private let keyCount: Int32
    private let searchStart: Int32
    /// The first eight bytes of the sort key, as a number: most comparisons end here.
    let keyPrefix: UInt64

    static let empty = FoldedName("")

    /// Folds a name.
    /// - Complexity: O(n).
    package init(_ name: String) {
        let search = FoldedName.bytes(of: name)
        var key = SortKeyBuilder(capacity: search.count)
        key.append(folded: search)
        keyCount = Int32(key.bytes.count)
        keyPrefix = key.prefix
        if search == key.bytes {
            bytes = search
            searchStart = 0
        } else {
            bytes = key.bytes + search
            searchStart = keyCount
        }
    }

    /// The folded name for searching.
    package var searchBytes: ArraySlice<UInt8> { bytes[Int(searchStart)...] }

    /// The sort key of the name.
    package var sortKey: ArraySlice<UInt8> { bytes[..<Int(keyCount)] }

    /// The folded text in UTF-8.
    /// - Complexity: O(n).
    static func bytes(of text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        var lead: UInt8 = 0
        for byte in text.utf8 {
            if byte < 0x80 {
                result.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
            } else if lead != 0 {
                FoldedLetters.all.append(lead, byte, to: &result)
                lead = 0
            } else if FoldedLetters.has(lead: byte) {
                lead = byte
            } else {
                return wideBytes(of: text)
            }
        }
        return result
    }

    /// The same for any text.
    static func wideBytes(of text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for value in NameFolding.scalars(of: text) { result.append(utf8Of: value) }
        return result
    }

    /// Negative, zero or positive if `self` comes before, with or after `other`.
    /// - Complexity: O(n), O(1) if the first eight bytes differ.
    func compareKey(_ other: FoldedName) -> Int {
        if keyPrefix != other.keyPrefix { return keyPrefix < other.keyPrefix ? -1 : 1 }
        let count = Int(keyCount)
        let otherCount = Int(other.keyCount)
        var index = 8
        while index < count, index < otherCount {
            let left = bytes[index]
            let right = other.bytes[index]
            if left != right { return left < right ? -1 : 1 }
            index += 1
        }
        return count - otherCount
    }

    /// The number of words of the sort key, of which the last has a zero.
    var keyWordCount: Int { Int(keyCount) / 8 + 1 }

    /// Eight bytes of the sort key, the first of which is 8 × `index`, as a number; zeros follow the key.
    /// - Returns: nil behind the last word.
    func keyWord(_ index: Int) -> UInt64? {
        if index >= keyWordCount { return nil }
        var word: UInt64 = 0
        for place in index * 8..<min(index * 8 + 8, Int(keyCount)) {
            word |= UInt64(bytes[place]) << UInt64(56 - 8 * (place % 8))
        }
        return word
    }

    /// Whether the search bytes contain `needle`, which is not empty.
    func contains(_ needle: [UInt8]) -> Bool {
        bytes.span.firstPlace(of: needle.span, from: Int(searchStart)) != nil
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of a scalar value.
    mutating func append(utf8Of value: UInt32) {
        func low(_ value: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value & 0x3F) }
        if value < 0x80 {
            append(UInt8(truncatingIfNeeded: value))
        } else if value < 0x800 {
            append(0xC0 | UInt8(truncatingIfNeeded: value >> 6))
            append(low(value))
        } else if value < 0x10000 {
            append(0xE0 | UInt8(truncatingIfNeeded: value >> 12))
            append(low(value >> 6))
            append(low(value))
        } else {
            append(0xF0 | UInt8(truncatingIfNeeded: value >> 18))
            append(low(value >> 12))
            append(low(value >> 6))
            append(low(value))
        }
    }
}

extension FoldedName {
    /// The folded text in UTF-8, in which the letters that come from capitals are capitals; a few are not, whose
    /// capitals have another length. Of a text in ASCII it is the text, so that this need not be kept.
    /// - Complexity: O(n).
    package static func casedBytes(of text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return Array(text.utf8) }
        let (folded, sources) = NameFolding.tracedScalars(of: text)
        let isCapital = text.unicodeScalars.map { NameFolding.isCapital($0.value) }
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for (value, source) in zip(folded, sources) {
            let start = result.count
            result.append(utf8Of: value)
            guard isCapital[source] else { continue }
            let width = result.count - start
            result.append(utf8Of: NameFolding.capital(of: value))
            if result.count - start == width * 2 {
                result.removeSubrange(start..<start + width)
            } else {
                result.removeSubrange((start + width)...)
            }
        }
        return result
    }
}
