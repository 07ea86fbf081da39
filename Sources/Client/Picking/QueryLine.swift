/// The line in which a query is typed: text with a caret between characters.
///
/// Its places are counted in characters, as people see them. A change that would make it longer than
/// `mostBytes` is not made.
package struct QueryLine: Equatable, Sendable {
    /// The most bytes of the text in UTF-8.
    package static let mostBytes = 4096

    package private(set) var text: String
    private var characters: [Character]
    /// The characters before the caret.
    package private(set) var caret: Int
    /// What was deleted last by a key that deletes several characters.
    private var kept = ""

    /// A line with the caret at its end.
    /// - Parameter text: what is typed already; what is beyond `mostBytes` is left out.
    package init(_ text: String = "") {
        let text = Self.cut(text, to: Self.mostBytes)
        self.text = text
        characters = Array(text)
        caret = characters.count
    }

    package var isEmpty: Bool { characters.isEmpty }
    package var count: Int { characters.count }
    package var beforeCaret: String { String(characters[..<caret]) }
    package var behindCaret: String { String(characters[caret...]) }

    /// The most characters of the start of a text that take no more than this many bytes.
    private static func cut(_ text: String, to bytes: Int) -> String {
        if text.utf8.count <= bytes { return text }
        var result = ""
        var size = 0
        for character in text {
            size += character.utf8.count
            if size > bytes { break }
            result.append(character)
        }
        return result
    }

    // MARK: Changes

    /// Puts text in at the caret, as far as there is room for it.
    package mutating func insert(_ inserted: String) {
        let room = Self.mostBytes - text.utf8.count
        guard room > 0 else { return }
        set(beforeCaret + Self.cut(inserted, to: room), behindCaret)
    }

    /// Puts text in place of some characters, with the caret behind it.
    package mutating func replace(_ range: Range<Int>, with inserted: String) {
        let range = range.clamped(to: 0..<characters.count)
        let rest = characters.count - range.count
        let head = String(characters[..<range.lowerBound])
        let tail = String(characters[range.upperBound...])
        guard rest >= 0, (head + inserted + tail).utf8.count <= Self.mostBytes else { return }
        set(head + inserted, tail)
    }

    /// Marks may join the characters on both sides of the caret, so they are counted anew.
    private mutating func set(_ head: String, _ tail: String) {
        text = head + tail
        characters = Array(text)
        caret = min(head.count, characters.count)
    }

    package mutating func deleteBackward() {
        if caret > 0 { delete((caret - 1)..<caret, keeping: false) }
    }

    package mutating func deleteForward() {
        if caret < characters.count { delete(caret..<(caret + 1), keeping: false) }
    }

    /// Deletes up to the blank before the word.
    package mutating func deleteBlankWord() {
        delete(start { !$0.isWhitespace }..<caret, keeping: true)
    }

    /// Deletes letters and digits before the caret, and what is between them and it.
    package mutating func deleteWordBackward() {
        delete(start(of: Self.isInWord)..<caret, keeping: true)
    }

    package mutating func deleteWordForward() { delete(caret..<wordEnd, keeping: true) }

    /// Deletes all before the caret.
    package mutating func deleteToStart() { delete(0..<caret, keeping: true) }

    package mutating func clear() { delete(0..<characters.count, keeping: true) }

    /// Puts in what was deleted last.
    package mutating func yank() { insert(kept) }

    private mutating func delete(_ range: Range<Int>, keeping: Bool) {
        guard !range.isEmpty else { return }
        if keeping { kept = String(characters[range]) }
        set(
            String(characters[..<range.lowerBound]), String(characters[range.upperBound...]))
    }

    // MARK: The caret

    package mutating func move(by count: Int) { move(to: caret + count) }

    package mutating func move(to place: Int) { caret = max(0, min(place, characters.count)) }

    package mutating func moveToStart() { caret = 0 }

    package mutating func moveToEnd() { caret = characters.count }

    package mutating func moveWordBackward() { caret = start(of: Self.isInWord) }

    package mutating func moveWordForward() { caret = wordEnd }

    private static func isInWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    /// The start of the word of such characters that is before the caret.
    private func start(of isInside: (Character) -> Bool) -> Int {
        var place = caret
        while place > 0, !isInside(characters[place - 1]) { place -= 1 }
        while place > 0, isInside(characters[place - 1]) { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = caret
        while place < characters.count, !Self.isInWord(characters[place]) { place += 1 }
        while place < characters.count, Self.isInWord(characters[place]) { place += 1 }
        return place
    }
}
