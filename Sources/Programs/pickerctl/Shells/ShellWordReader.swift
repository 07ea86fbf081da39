/// Reads the words of a line.
struct ShellWordReader {
    private let line: [UInt8]
    private let shell: Shell
    private var place = 0
    private var word: ShellWord?

    init(_ line: [UInt8], _ shell: Shell) {
        self.line = line
        self.shell = shell
    }

    mutating func words() -> [ShellWord] {
        var found: [ShellWord] = []
        while let byte = next() {
            let isBlank = " \t\n".utf8.contains(byte)
            if isBlank, (word?.open ?? ShellWord.Quote.none) == ShellWord.Quote.none {
                if let word { found.append(word) }
                word = nil
            } else {
                var current = word ?? ShellWord(start: place - 1)
                read(byte, into: &current)
                word = current
            }
        }
        found.append(word ?? ShellWord(start: line.count))
        return found
    }

    private mutating func next() -> UInt8? {
        guard place < line.count else { return nil }
        place += 1
        return line[place - 1]
    }

    private mutating func read(_ byte: UInt8, into word: inout ShellWord) {
        switch (word.open, byte) {
        case (.none, UInt8(ascii: "'")): word.open = .single
        case (.none, UInt8(ascii: "\"")): word.open = .double
        case (.none, UInt8(ascii: "$"))
        where shell != .fish && place < line.count && line[place] == UInt8(ascii: "'"):
            place += 1
            word.open = .dollar
        case (.none, UInt8(ascii: "\\")): escapeOutside(into: &word)
        case (.single, UInt8(ascii: "'")), (.double, UInt8(ascii: "\"")),
            (.dollar, UInt8(ascii: "'")):
            word.open = .none
        case (.single, UInt8(ascii: "\\")) where shell == .fish: escape("'\\", into: &word)
        case (.double, UInt8(ascii: "\\")):
            escape(shell == .fish ? "\"$\\" : "\"$`\\", into: &word)
        case (.dollar, UInt8(ascii: "\\")): escapeByLetter(into: &word)
        default: word.bytes.append(byte)
        }
    }

    private mutating func escapeOutside(into word: inout ShellWord) {
        // Fish has letters there as others have in `$'…'`.
        let isLetter = place < line.count && "ntrabefvxX".utf8.contains(line[place])
        if shell == .fish, isLetter { return escapeByLetter(into: &word) }
        if let byte = next(), byte != UInt8(ascii: "\n") { word.bytes.append(byte) }
    }

    /// A backslash that escapes only what is in `special`, and the end of a line.
    private mutating func escape(_ special: String, into word: inout ShellWord) {
        guard let byte = next() else { return }
        if byte == UInt8(ascii: "\n") { return }
        if !special.utf8.contains(byte) { word.bytes.append(UInt8(ascii: "\\")) }
        word.bytes.append(byte)
    }

    private mutating func escapeByLetter(into word: inout ShellWord) {
        guard let byte = next() else { return }
        let letters: [Character: UInt8] = [
            "n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "e": 27, "E": 27, "f": 12, "v": 11,
        ]
        switch Character(Unicode.Scalar(byte)) {
        case "x", "X": word.bytes.append(number(of: 2, radix: 16) ?? byte)
        case "0"..."7" where shell != .fish:
            place -= 1
            word.bytes.append(number(of: 3, radix: 8) ?? byte)
        case let letter: word.bytes.append(letters[letter] ?? byte)
        }
    }

    /// A number of at most so many digits.
    private mutating func number(of most: Int, radix: Int) -> UInt8? {
        var value: Int?
        for _ in 0..<most where place < line.count {
            guard let digit = Character(Unicode.Scalar(line[place])).hexDigitValue, digit < radix
            else { break }
            value = (value ?? 0) * radix + digit
            place += 1
        }
        return value.map { UInt8(truncatingIfNeeded: $0) }
    }
}
