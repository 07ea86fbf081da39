/// The texts of attributes by numbers, each once.
///
/// A text stays until there is no column of texts any more, so that rows that are still readable have it.
struct AttributeTexts {
    /// The most bytes of all texts together. Beyond, a value is unknown.
    static let mostBytes = 256 << 20

    struct Entry {
        let text: String
        let folded: FoldedName
    }

    private(set) var entries: [Entry] = []
    private var numbers: [Key: UInt32] = [:]
    private(set) var bytes = 0
    private let limit: Int

    /// By bytes.
    private struct Key: Hashable {
        let text: String

        static func == (one: Key, other: Key) -> Bool { one.text.hasBytes(of: other.text) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    init(limit: Int = Self.mostBytes) {
        self.limit = limit
    }

    /// The number of a text, which is added if it is new; nil if there is no room.
    /// - Complexity: O(n) in its length.
    mutating func number(of text: String) -> UInt32? {
        let key = Key(text: text)
        if let known = numbers[key] { return known }
        let folded = FoldedName(text)
        // What an entry takes beside its text, about.
        let size = 160 + 3 * text.utf8.count
        guard bytes + size <= limit, entries.count < Int(UInt32.max) else { return nil }
        bytes += size
        let number = UInt32(entries.count)
        entries.append(Entry(text: text, folded: folded))
        numbers[key] = number
        return number
    }

    /// The number of a text that is there.
    func known(_ text: String) -> UInt32? { numbers[Key(text: text)] }

    subscript(number: UInt64) -> Entry { entries[Int(number)] }

    mutating func removeAll() {
        entries = []
        numbers = [:]
        bytes = 0
    }
}
