/// Which scalars are capitals, or may otherwise have another class where they are cased than where they are folded.
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

    /// By scalar, as far as they are in the Basic Multilingual Plane; empty until one is asked for.
    private var kinds: [UInt8] = []

    /// Whether the name may have a capital behind a small letter: whether the bonus of some place may be another if it
    /// is matched with its capitals (`FoldedName.casedBytes(of:)`). A capital at the beginning, or behind a sign, a
    /// space, a digit or another capital of ASCII, has the bonus of a small letter. The name need not be UTF-8.
    mutating func mayTurn(in name: Span<UInt8>) -> Bool {
        var offset = 0
        // Whether the scalar before is nothing, or of ASCII and no small letter.
        var isPlain = true
        while offset < name.count {
            let byte = name[offset]
            if byte < 0x80 {
                if !isPlain, 0x41...0x5A ~= byte { return true }
                isPlain = !(0x61...0x7A ~= byte)
                offset += 1
                continue
            }
            let width = name.scalarWidth(at: offset)
            let kind = kind(of: name.scalar(at: offset, width: width))
            if kind == Kind.other || kind == Kind.capital && !isPlain { return true }
            isPlain = false
            offset += width
        }
        return false
    }

    private mutating func kind(of value: UInt32) -> UInt8 {
        // Pictures have no case.
        if 0x1F000...0x1FAFF ~= value { return Kind.same }
        guard value < 0x10000, let scalar = Unicode.Scalar(value) else { return Kind.other }
        if kinds.isEmpty { kinds = Array(repeating: Kind.unknown, count: 0x10000) }
        let index = Int(value)
        if kinds[index] == Kind.unknown {
            let text = String(scalar)
            let folded = FoldedName.bytes(of: text)
            if NameFolding.scalars(of: text).contains(where: NameFolding.isCapital) {
                kinds[index] = Kind.other
            } else {
                let isSame = folded == FoldedName.casedBytes(of: text)
                kinds[index] = isSame ? Kind.same : Kind.capital
            }
        }
        return kinds[index]
    }
}
