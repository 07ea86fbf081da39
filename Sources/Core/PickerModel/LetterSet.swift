/// The letters of a folded text, roughly: several may have the same place. A text that lacks a place of another
/// does not contain it, in whatever order, and a million texts are told so in a millisecond.
package struct LetterSet: Hashable, Sendable {
    package private(set) var bits: UInt64 = 0

    package init() {}

    /// The letters of a text in UTF-8.
    /// - Complexity: O(n).
    package init(of text: Span<UInt8>) {
        var bits: UInt64 = 0
        // Letters are in one half, digits and most signs in the other, and all of them alone in their places.
        for index in text.indices {
            let byte = text[index]
            bits |= 1 << UInt64((byte & 0x1F) | (byte & 0x40) >> 1)
        }
        self.bits = bits
    }

    /// Whether this has all of the other.
    package func contains(_ other: LetterSet) -> Bool { other.bits & ~bits == 0 }

    package mutating func formUnion(_ other: LetterSet) { bits |= other.bits }

    package func union(_ other: LetterSet) -> LetterSet {
        var result = self
        result.formUnion(other)
        return result
    }
}
