// The language of a text, by its script and its most frequent words.
//
// Scripts that one language has decide alone: kana, Hangul, Greek; Chinese characters without kana. In Latin and
// Cyrillic letters the share of words counts that are among the most frequent of a language: articles, prepositions,
// pronouns. Languages that are near to others are there to lose against: a text with as much of one as of another is
// of neither. What does not reach a share is `unknown`: lists, code, names, other languages.

/// Counts the words and letters of a text.
struct LanguageCounter {
    private var words = 0
    /// Those that begin with a Cyrillic letter.
    private var cyrillicWords = 0
    private var hits = [Int](repeating: 0, count: FrequentWords.codes.count)
    private var letters = Letters()
    /// The letters of the word that is read, if there are at most eight bytes.
    private var key: UInt64 = 0
    private var length = 0
    private var isCyrillic = false

    /// The fewest words, and the fewest letters of other scripts.
    private static let fewestWords = 8
    private static let fewestLetters = 20
    /// The least share of frequent words, and how much more than that of the next language it must be.
    private static let leastShare = 0.14
    private static let leastLead = 1.15

    private struct Letters {
        var latin = 0
        var greek = 0
        var cyrillic = 0
        var kana = 0
        var hangul = 0
        var chinese = 0
        var other = 0

        var all: Int { latin + greek + cyrillic + kana + hangul + chinese + other }
    }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var lead: UInt8 = 0
        for byte in bytes {
            if byte >= 0x80 {
                if byte >= 0xC0 { lead = byte } else { count(lead, byte) }
                take(byte, after: lead)
                if byte < 0xC0 { lead = 0 }
            } else if byte | 0x20 >= 0x61, byte | 0x20 <= 0x7A {
                letters.latin &+= 1
                take(byte | 0x20, after: 0)
            } else if length > 0 {
                endWord()
            }
        }
        endWord()
    }

    /// Counts a letter by the first two bytes of its UTF-8.
    private mutating func count(_ lead: UInt8, _ second: UInt8) {
        switch lead {
        case 0xC3...0xCA: letters.latin &+= 1
        case 0xCD...0xCF: letters.greek &+= 1
        case 0xD0...0xD3: letters.cyrillic &+= 1
        case 0xE3 where 0x81...0x83 ~= second: letters.kana &+= 3
        case 0xE4...0xE9: letters.chinese &+= 3
        case 0xEA where second >= 0xB0, 0xEB, 0xEC: letters.hangul &+= 3
        case 0xD4...0xDF, 0xE0, 0xE1: letters.other &+= 2
        default: break
        }
    }

    /// A byte of a word, as a small letter.
    private mutating func take(_ byte: UInt8, after lead: UInt8) {
        if length == 0 { isCyrillic = 0xD0...0xD3 ~= byte }
        var small = byte
        if byte < 0xC0 {
            switch lead {
            case 0xC3 where 0x80...0x9E ~= byte: small = byte + 0x20
            case 0xD0 where 0x90...0x9F ~= byte: small = byte + 0x20
            case 0xD0 where 0xA0...0xAF ~= byte:
                // The second half of the small letters has another first byte.
                small = byte - 0x20
                if length <= 8 { key = key + 1 }
            default: break
            }
        }
        length &+= 1
        if length <= 8 { key = key << 8 | UInt64(small) }
    }

    private mutating func endWord() {
        guard length > 0 else { return }
        words &+= 1
        if isCyrillic { cyrillicWords &+= 1 }
        if length <= 8, var languages = FrequentWords.languagesByWord[key] {
            while languages != 0 {
                hits[languages.trailingZeroBitCount] &+= 1
                languages &= languages - 1
            }
        }
        key = 0
        length = 0
    }

    var language: String {
        let all = letters.all
        let asian = letters.kana + letters.chinese
        if all >= Self.fewestLetters {
            if asian * 2 > all { return letters.kana * 10 > asian ? "ja" : "zh" }
            if letters.hangul * 2 > all { return "ko" }
            if letters.greek * 2 > all { return "el" }
        }
        // Words of the other alphabet are names and code.
        let isCyrillic = letters.cyrillic > letters.latin
        let words = isCyrillic ? cyrillicWords : words - cyrillicWords
        guard words >= Self.fewestWords, (letters.latin + letters.cyrillic) * 2 > all else {
            return "unknown"
        }
        let ranked = hits.enumerated().sorted { $0.element > $1.element }
        let best = Double(ranked[0].element)
        let next = Double(ranked[1].element)
        guard best >= Self.leastShare * Double(words), best >= Self.leastLead * next else {
            return "unknown"
        }
        return FrequentWords.codes[ranked[0].offset] ?? "unknown"
    }
}
