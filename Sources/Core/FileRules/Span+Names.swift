// What the bytes of a name are like.

extension Span<UInt8> {
    func begins(with prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        for index in 0..<prefix.count where self[index] != prefix[index] { return false }
        return true
    }

    func ends(with suffix: [UInt8]) -> Bool {
        let start = count - suffix.count
        guard start >= 0 else { return false }
        for index in 0..<suffix.count where self[start + index] != suffix[index] { return false }
        return true
    }

    func all(in range: Range<Int>, _ condition: (UInt8) -> Bool) -> Bool {
        for index in range where !condition(self[index]) { return false }
        return true
    }

    /// Whether the part is six letters and digits as `mkstemp` draws them, not a word: with a capital letter after the
    /// first, and not all of them capitals. One in fifteen that are drawn is not recognized.
    func isDrawn(in range: Range<Int>) -> Bool {
        guard range.count == 6, all(in: range, \.isLetterOrDigit) else { return false }
        return !all(in: range.dropFirst(), { !$0.isCapital }) && !all(in: range, \.isCapital)
    }

    /// The name, fit for people to read.
    var shown: String {
        var bytes: [UInt8] = []
        for index in indices { bytes.append(self[index]) }
        return ShownBytes.text(bytes)
    }
}

extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    var isCapital: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
    var isSmallLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
    var isLetterOrDigit: Bool { isDigit || isCapital || isSmallLetter }
    var isSmallHexDigit: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self }
    var isCapitalHexDigit: Bool { isDigit || UInt8(ascii: "A")...UInt8(ascii: "F") ~= self }
}
