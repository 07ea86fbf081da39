import PickerClient
import SystemInterface

// What the scripts of shells ask for: `pickerctl ---complete SHELL …`. All that knows what a line means is here; the
// scripts hand the line over and the answer on. The answer is a list of texts with a NUL behind each, so that names may
// have any bytes. The first says what the others are (`CompletionOffers.Kind`).
//
//   bash LINE WORD   LINE up to the cursor as it is typed, and what of it bash replaces. Words are as they are put into
//                    the line, but paths, which bash quotes.
//   zsh WORD… TYPED  the program and the words behind it, as zsh reads them, and what is typed of the last one, with its
//                    quotes. Behind each word is its note; of paths only the names, as zsh replaces what is behind the
//                    last slash.
//   fish WORD… TYPED likewise. The second text is what of the word is in front of a path, the third is what is typed of
//                    that. The note is behind a tab in each word, where fish looks for it.

enum ShellCompletion {
    /// The first argument that asks for completions.
    static let argument = "---complete"

    static func run(_ arguments: [String]) throws {
        guard let shell = arguments.first.flatMap({ Shell(rawValue: $0) }) else { return }
        let words = arguments.dropFirst().map { RawArguments.bytes(of: $0) }
        for text in answer(to: words, in: shell) {
            try Output.standard.write(text)
            try Output.standard.write(CollectionOfOne(0))
        }
    }

    private static func answer(to words: [[UInt8]], in shell: Shell) -> [[UInt8]] {
        guard let last = words.last else { return [] }
        if shell == .bash { return bash(line: words[0], replaced: last) }
        let typed = ShellWord.words(in: last, of: shell)
        let place = CompletionPlace(
            behind: Array(words.dropLast()), typed: typed.last?.bytes ?? [])
        let offers = CompletionOffers(at: place)
        return shell == .zsh ? zsh(offers) : fish(offers, place)
    }

    // MARK: Shells

    private static func bash(line: [UInt8], replaced: [UInt8]) -> [[UInt8]] {
        var words = ShellWord.words(in: line, of: .bash)
        let word = words.removeLast()
        // In front of the program there may be variables.
        let program = words.firstIndex { !$0.bytes.contains(UInt8(ascii: "=")) } ?? 0
        let place = CompletionPlace(
            behind: words.dropFirst(program).map(\.bytes), typed: word.bytes)
        let offers = CompletionOffers(at: place)
        // What is typed of the word, and not replaced: bash divides it at a colon, too.
        let kept = ShellWord.words(
            in: Array(line[word.start...].dropLast(replaced.count)), of: .bash)[0].bytes
        let kind = Array(offers.kind.rawValue.utf8)
        if offers.kind == .elsewhere, !kept.isEmpty { return [kind] }
        return [kind]
            + offers.words.compactMap { offered in
                guard offered.text.starts(with: kept) else { return nil }
                let rest = Array(offered.text.dropFirst(kept.count))
                return offers.kind == .paths ? rest : ShellWord.quoted(rest, in: word.open)
            }
    }

    private static func zsh(_ offers: CompletionOffers) -> [[UInt8]] {
        [Array(offers.kind.rawValue.utf8)]
            + offers.words.flatMap { word in
                [offers.kind == .paths ? name(word.text) : word.text, Array(word.note.utf8)]
            }
    }

    /// What is behind the last slash, but one at the end.
    private static func name(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let start = path.dropLast().lastIndex(of: slash).map { $0 + 1 } ?? 0
        return Array(path[start...])
    }

    private static func fish(_ offers: CompletionOffers, _ place: CompletionPlace) -> [[UInt8]] {
        let tab = UInt8(ascii: "\t")
        return [Array(offers.kind.rawValue.utf8), place.head, place.typed]
            + offers.words.compactMap { word in
                // It would end there, and be another one.
                guard !word.text.contains(tab) else { return nil }
                return word.note.isEmpty ? word.text : word.text + [tab] + Array(word.note.utf8)
            }
    }
}
