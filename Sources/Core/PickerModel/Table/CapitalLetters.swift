/// Which scalars are capitals, or may otherwise have another class where they are cased than where they are folded, and
/// which are spelled with several letters where they are folded.
/// A scalar is folded once, when it is first asked for. Not thread-safe.
struct CapitalLetters {
    private enum Kind {
        static let unknown: UInt8 = 0
        static let same: UInt8 = 1
        /// A capital that is folded to small letters, or to letters without case.
        static let capital: UInt8 = 2
        /// What is folded to capitals.
        static let other: UInt8 = 3
    }

    /// The bits of a kind; those above it are the number of scalars that a scalar is folded to.
    private static let kindBits: UInt8 = 2
    private static let kindMask: UInt8 = 3
    /// The most scalars that one is folded to here: as many as there are bits for.
    private static let mostFolded = 63

    /// By scalar, as far as they are in the Basic Multilingual Plane; empty until one is asked for.
    private var kinds: [UInt8] = []

    /// What is read of a name.
    struct Look: Equatable {
        /// Whether it may have a capital behind a small letter: whether the bonus of some place may be another if it is
        /// matched with its capitals (`FoldedName.casedBytes(of:)`). A capital at the beginning, or behind a sign, a
        /// space, a digit or another capital of ASCII, has the bonus of a small letter.
        var mayTurn = false
        /// The number of its scalars.
        var count = 0
        /// The scalars of the folded name, among its first 64, that one letter is spelled with: both of `ae` for `Æ`.
        /// The lowest bit is the first scalar.
        var spelled: UInt64 = 0
    }

    /// Looks at a name; nil if it is not UTF-8.
    /// - Complexity: O(n).
    mutating func look(at name: Span<UInt8>) -> Look? {
        var look = Look()
        var offset = 0
        var place = 0
        // Whether the scalar before is nothing, or of ASCII and no small letter.
        var isPlain = true
        while offset < name.count {
            look.count += 1
            let byte = name[offset]
            if byte < 0x80 {
                if !isPlain, 0x41...0x5A ~= byte { look.mayTurn = true }
                isPlain = !(0x61...0x7A ~= byte)
                offset += 1
                place += 1
                continue
            }
            guard let width = name.validWidth(at: offset) else { return nil }
            let known = kind(of: name.scalar(at: offset, width: width))
            let kind = known & Self.kindMask
            let foldedCount = Int(known >> Self.kindBits)
            if foldedCount > 1 { look.spelled |= (1 << UInt64(foldedCount) - 1) << UInt64(place) }
            place += foldedCount
            if kind == Kind.other || kind == Kind.capital && !isPlain { look.mayTurn = true }
            isPlain = false
            offset += width
        }
        return look
    }

    /// The scalars of the folded text that one letter is spelled with (`Look`).
    /// - Complexity: O(n).
    mutating func spelled(in text: String) -> UInt64 {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return 0 }
        return look(at: Array(text.utf8).span)?.spelled ?? 0
    }

    /// The kind of a scalar, and above its bits the number of scalars that it is folded to.
    private mutating func kind(of value: UInt32) -> UInt8 {
        // Pictures have no case, and most are folded to themselves: letters with a frame are not, and skin tones are
        // removed.
        let isPicture = 0x1F000...0x1FAFF ~= value
        let isFolded = 0x1F100...0x1F2FF ~= value || 0x1F3FB...0x1F3FF ~= value
        if isPicture, !isFolded { return Kind.same | 1 << Self.kindBits }
        guard let scalar = Unicode.Scalar(value) else { return Kind.other | 1 << Self.kindBits }
        guard value < 0x10000 else {
            let count = NameFolding.scalars(of: String(scalar)).count
            return (isPicture ? Kind.same : Kind.other) | UInt8(min(count, Self.mostFolded))
                << Self.kindBits
        }
        if kinds.isEmpty { kinds = Array(repeating: Kind.unknown, count: 0x10000) }
        let index = Int(value)
        if kinds[index] == Kind.unknown {
            let text = String(scalar)
            let folded = NameFolding.scalars(of: text)
            if folded.contains(where: NameFolding.isCapital) {
                kinds[index] = Kind.other
            } else {
                let isSame = FoldedName.bytes(of: text) == FoldedName.casedBytes(of: text)
                kinds[index] = isSame ? Kind.same : Kind.capital
            }
            kinds[index] |= UInt8(min(folded.count, Self.mostFolded)) << Self.kindBits
        }
        return kinds[index]
    }
}

extension Span<UInt8> {
    /// The number of bytes of the scalar at `offset`, which is not in ASCII; nil if there is none.
    fileprivate func validWidth(at offset: Int) -> Int? {
        let lead = self[offset]
        let width: Int
        switch lead {
        case 0xC2...0xDF: width = 2
        case 0xE0...0xEF: width = 3
        case 0xF0...0xF4: width = 4
        default: return nil
        }
        guard count - offset >= width else { return nil }
        for index in offset + 1..<offset + width where self[index] & 0xC0 != 0x80 { return nil }
        // Neither longer than needed, nor a surrogate, nor beyond the last scalar.
        let next = self[offset + 1]
        switch lead {
        case 0xE0: return next < 0xA0 ? nil : width
        case 0xED: return next > 0x9F ? nil : width
        case 0xF0: return next < 0x90 ? nil : width
        case 0xF4: return next > 0x8F ? nil : width
        default: return width
        }
    }
}
