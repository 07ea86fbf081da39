/// The texts of attributes by numbers, each once.
///
/// A text stays until there is no column of texts any more, so that rows that are still readable have it. No step takes
/// long, however many texts there are: they grow in parts, and are given back to the system in parts.
struct AttributeTexts {
    /// The most bytes of all texts together. Beyond, a value is unknown.
    static let mostBytes = 256 << 20

    struct Entry {
        let text: String
        let folded: FoldedName
    }

    private static let blockBits = 9
    private static let blockSize = 1 << blockBits

    /// All but the last have 512 texts.
    private var blocks: [[Entry]] = []
    private var numbers = ShardedDictionary<Key, UInt32>()
    private(set) var count = 0
    private(set) var bytes = 0
    /// Removed, and still to be given back.
    private var removedBlocks: [[Entry]] = []
    private var removedNumbers: [ShardedDictionary<Key, UInt32>] = []
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
        guard bytes + size <= limit, let number = UInt32(exactly: count) else { return nil }
        bytes += size
        if count % Self.blockSize == 0 {
            blocks.append([])
            blocks[blocks.count - 1].reserveCapacity(Self.blockSize)
        }
        blocks[blocks.count - 1].append(Entry(text: text, folded: folded))
        count += 1
        numbers[key] = number
        return number
    }

    /// The number of a text that is there.
    func known(_ text: String) -> UInt32? { numbers[Key(text: text)] }

    subscript(number: UInt64) -> Entry {
        blocks[Int(number >> UInt64(Self.blockBits))][Int(number) & (Self.blockSize - 1)]
    }

    /// Removes all texts. Their memory is given back by `discardSome`.
    /// - Complexity: O(n/512).
    mutating func removeAll() {
        if count == 0 { return }
        removedBlocks += blocks
        removedNumbers.append(numbers)
        blocks = []
        numbers = ShardedDictionary()
        count = 0
        bytes = 0
    }

    /// Gives the memory of some hundred removed texts back, or of some thousand numbers.
    /// - Returns: whether none are left.
    mutating func discardSome() -> Bool {
        if let last = removedNumbers.indices.last {
            if removedNumbers[last].removePart() { removedNumbers.removeLast() }
        } else {
            _ = removedBlocks.popLast()
        }
        return removedNumbers.isEmpty && removedBlocks.isEmpty
    }
}
