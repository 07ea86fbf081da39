/// The words of a query, to be found in lines without regard to case.
struct SoughtWords: Sendable {
    /// At most as many words are sought, and as many marks are made in one line.
    static let mostWords = 16
    static let mostMarks = 64

    private let words: [[UInt8]]

    /// Words that are empty are left out, and those beyond the limit.
    init(_ words: [String]) {
        self.words = words.lazy.map { Self.folded($0).bytes }.filter { !$0.isEmpty }
            .prefix(Self.mostWords).map { $0 }
    }

    /// Where the words are in a line: ranges of its bytes in UTF-8, ascending and apart from each other. Those beyond
    /// the limit are left out.
    /// - Complexity: O(length × words), and the lengths of words that nearly match.
    func places(in line: String) -> [Range<Int>] {
        if words.isEmpty { return [] }
        let folded = Self.folded(line)
        var found: [Range<Int>] = []
        for word in words {
            var start = 0
            var count = 0
            while count < Self.mostMarks,
                let place = Self.place(of: word, in: folded.bytes, from: start)
            {
                let end = place + word.count
                start = end
                // The original of a folded character is marked in full, or not at all.
                guard let first = folded.origin(place), let last = folded.origin(end) else {
                    continue
                }
                found.append(first..<last)
                count += 1
            }
        }
        return Array(Self.joined(found).prefix(Self.mostMarks))
    }

    private static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        return joined
    }

    private static func place(of word: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= word.count else { return nil }
        return (start...bytes.count - word.count).first { place in
            bytes[place] == word[0]
                && word.indices.allSatisfy { bytes[place + $0] == word[$0] }
        }
    }

    /// A line in lower case.
    private struct Folded {
        var bytes: [UInt8] = []
        /// The place of the original of each byte, and the end; -1 inside of a character. Nil if they are the same.
        var origins: [Int]?

        func origin(_ place: Int) -> Int? {
            guard let origins else { return place }
            return origins[place] < 0 ? nil : origins[place]
        }
    }

    private static func folded(_ line: String) -> Folded {
        if line.utf8.allSatisfy({ $0 < 0x80 }) {
            return Folded(bytes: line.utf8.map(lowered), origins: nil)
        }
        var folded = Folded(bytes: [], origins: nil)
        var origins: [Int] = []
        var place = 0
        for scalar in line.unicodeScalars {
            let before = folded.bytes.count
            if scalar.isASCII {
                folded.bytes.append(lowered(UInt8(scalar.value)))
            } else {
                folded.bytes += scalar.properties.lowercaseMapping.utf8
            }
            for index in before..<folded.bytes.count {
                origins.append(index == before ? place : -1)
            }
            place += UTF8.width(scalar)
        }
        origins.append(place)
        folded.origins = origins
        return folded
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
