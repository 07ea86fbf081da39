// Normalization of names and search texts before they are compared.
//
// Both are processed alike: compatibility decomposition, removal of marks, full case folding, spelling out of
// stroked letters and ligatures, recomposition. A search therefore compares bytes in every script, and a longer
// text always narrows. The tables are those of libutf8proc (Unicode 15).
//
// The canonical combining class decides which marks are removed: class 0 are spelling signs (the vowels of Thai
// or Devanagari), class 8 the voicing of kana; all others are accents, points and the like. The remaining marks
// are composed with their base again, so that a part of a letter does not match it: `か` is not in `が`, nor `가`
// in `각`. Scalars without a shape of their own (soft hyphens, joiners, variation selectors) and skin tones are
// removed as well.

internal import CUTF8Proc

enum NameFolding {
    /// The scalars of `text`, folded; may be empty. Folding is idempotent.
    /// - Complexity: O(n).
    static func scalars(of text: String) -> [UInt32] {
        var sources: [Int]?
        return fold(text, sources: &sources)
    }

    /// The scalars of `text`, folded, and for each of them the index of the scalar of `text` that it comes
    /// from, or the first of them. The indices never fall.
    /// - Complexity: O(n).
    static func tracedScalars(of text: String) -> (folded: [UInt32], sources: [Int]) {
        var sources: [Int]? = []
        let folded = fold(text, sources: &sources)
        return (folded, sources ?? [])
    }

    private static func fold(_ text: String, sources: inout [Int]?) -> [UInt32] {
        var marksRemoved: [Int32] = []
        marksRemoved.reserveCapacity(text.utf8.count)
        for (index, scalar) in text.unicodeScalars.enumerated() {
            // Case is folded after the marks are removed: some letters with marks fold to two letters.
            append(Int32(scalar.value), foldingCase: false, to: &marksRemoved)
            sources?.append(index, upTo: marksRemoved.count)
        }
        var folded: [Int32] = []
        folded.reserveCapacity(marksRemoved.count)
        var foldedSources: [Int]? = sources == nil ? nil : []
        for (index, value) in marksRemoved.enumerated() {
            if value < 0x80 {
                folded.append(0x41...0x5A ~= value ? value | 0x20 : value)
            } else if let letters = spelling(of: value) {
                folded.append(contentsOf: letters)
            } else {
                append(value, foldingCase: true, to: &folded)
            }
            if let source = sources?[index] { foldedSources?.append(source, upTo: folded.count) }
        }
        compose(&folded)
        if let parts = foldedSources { sources = firstSources(parts, of: folded) }
        return folded.map { UInt32($0) }
    }

    /// The sources of composed scalars, given those of their parts. Only neighbours are ever composed, since all
    /// marks that others could stand between are removed.
    private static func firstSources(_ parts: [Int], of composed: [Int32]) -> [Int] {
        var next = 0
        return composed.map { value in
            defer { next += partCount(of: value) }
            return parts[min(next, parts.count - 1)]
        }
    }

    /// The number of scalars that a scalar is composed of.
    private static func partCount(of value: Int32) -> Int {
        if value < 0x300 { return 1 }
        let options = utf8proc_option_t(rawValue: UTF8PROC_DECOMPOSE.rawValue)
        var boundary: Int32 = 0
        // The call writes nothing, and returns the number of scalars that it has no room for.
        let count = unsafe utf8proc_decompose_char(value, nil, 0, options, &boundary)
        return max(1, count)
    }

    /// Whether a scalar is a capital letter.
    static func isCapital(_ value: UInt32) -> Bool {
        utf8proc_category(Int32(bitPattern: value)) == UTF8PROC_CATEGORY_LU
    }

    /// The capital letter of a scalar, or the scalar itself.
    static func capital(of value: UInt32) -> UInt32 {
        UInt32(bitPattern: utf8proc_toupper(Int32(bitPattern: value)))
    }

    /// Appends the decomposition of a scalar without its marks.
    private static func append(_ value: Int32, foldingCase: Bool, to result: inout [Int32]) {
        if value < 0x80 { return result.append(value) }
        var options =
            UTF8PROC_DECOMPOSE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_IGNORE.rawValue
        if foldingCase { options |= UTF8PROC_CASEFOLD.rawValue }
        // The longest decomposition has 18 scalars; the call reports if it needs more, and never writes beyond
        // the buffer.
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: 32) { room in
            var boundary: Int32 = 0
            let count = unsafe utf8proc_decompose_char(
                value, room.baseAddress, room.count, utf8proc_option_t(rawValue: options),
                &boundary)
            guard 0...room.count ~= count else {
                return append(part: value, foldingCase: foldingCase, to: &result)
            }
            // These were written.
            for index in 0..<count {
                unsafe append(part: room[index], foldingCase: foldingCase, to: &result)
            }
        }
    }

    private static func append(part: Int32, foldingCase: Bool, to result: inout [Int32]) {
        if isRemoved(part) { return }
        if foldingCase, let letters = spelling(of: part) {
            result.append(contentsOf: letters)
        } else {
            result.append(part)
        }
    }

    /// An old vowel of Hangul, the number before those of the trailing consonants that are composed. libutf8proc 2.8 takes
    /// it for a consonant that adds nothing, and drops it behind a syllable.
    private static let notComposed: Int32 = 0x11A7

    /// Composes letters with the remaining marks, and the parts of Hangul syllables.
    private static func compose(_ scalars: inout [Int32]) {
        guard scalars.contains(notComposed) else { return composeRun(&scalars) }
        var composed: [Int32] = []
        for run in scalars.split(separator: notComposed, omittingEmptySubsequences: false) {
            var run = Array(run)
            composeRun(&run)
            composed += run + [notComposed]
        }
        composed.removeLast()
        scalars = composed
    }

    private static func composeRun(_ scalars: inout [Int32]) {
        guard scalars.contains(where: { $0 >= 0x300 }) else { return }
        let options = UTF8PROC_COMPOSE.rawValue | UTF8PROC_STABLE.rawValue
        let count = unsafe scalars.withUnsafeMutableBufferPointer { room in
            // It writes in place, never lengthens the text, and reads only `count` scalars.
            unsafe utf8proc_normalize_utf32(
                room.baseAddress, room.count, utf8proc_option_t(rawValue: options))
        }
        if 0..<scalars.count ~= count { scalars.removeSubrange(count...) }
    }

    private static func isRemoved(_ value: Int32) -> Bool {
        guard value >= 0x300 else { return false }
        if 0x1F3FB...0x1F3FF ~= value { return true }
        // Each value has an entry, which is never freed.
        let mark = unsafe utf8proc_get_property(value).pointee.combining_class
        return mark != 0 && mark != 8
    }

    /// Letters that Unicode does not decompose, but people type without the stroke or ligature.
    private static func spelling(of value: Int32) -> [Int32]? {
        switch value {
        case 0xC6, 0xE6: [0x61, 0x65]  // æ
        case 0xD0, 0xF0, 0x110, 0x111: [0x64]  // ð, đ
        case 0xD8, 0xF8: [0x6F]  // ø
        case 0xDE, 0xFE: [0x74, 0x68]  // þ
        case 0x126, 0x127: [0x68]  // ħ
        case 0x131: [0x69]  // ı
        case 0x141, 0x142: [0x6C]  // ł
        case 0x152, 0x153: [0x6F, 0x65]  // œ
        case 0x166, 0x167: [0x74]  // ŧ
        default: nil
        }
    }
}

extension [Int] {
    /// Appends `value` until there are `count`.
    fileprivate mutating func append(_ value: Int, upTo count: Int) {
        while self.count < count { append(value) }
    }
}
