/// A set that the program writes.
class SetVariableNode<Element: Hashable>: SetNode<Element> {
    private var pending: Emission<SetChange<Element>>?

    fileprivate let operations: SetOperations<Element>

    fileprivate init(operations: SetOperations<Element>) {
        self.operations = operations
        super.init(above: [])
    }

    /// The change that a write is recorded in, if anyone observes.
    fileprivate func prepare() -> Emission<SetChange<Element>>? {
        if isActive, pending == nil {
            pending = operations.makeChange(spare)
            spare = nil
            scheduler.enqueue(self)
        }
        return pending
    }

    /// Called before so many elements are removed and inserted.
    final func expect(removing removed: Int, inserting inserted: Int) {
        // A change of few elements has no sets.
        if removed + inserted > 8 { operations.reserve(prepare(), removed, inserted) }
    }

    func reserveCapacity(_ count: Int) {}

    func insert(_ element: Element) { stop("\(Self.self) does not implement insert.") }

    func remove(_ element: Element) { stop("\(Self.self) does not implement remove.") }

    final override func recompute() {
        guard let change = pending.take() else { return }
        if !operations.isEmpty(change) { emit(change) }
    }

    final override func deactivate() {
        pending = nil
    }
}

/// A set variable that keeps its elements as a `Set`.
final class HashedSetVariableNode<Element: Hashable>: SetVariableNode<Element> {
    private var storage: Set<Element>

    init(_ elements: Set<Element>, operations: SetOperations<Element>) {
        storage = elements
        super.init(operations: operations)
    }

    override var elements: Set<Element> { storage }

    override var count: Int { storage.count }

    override func contains(_ element: Element) -> Bool { storage.contains(element) }

    override func reserveCapacity(_ count: Int) { storage.reserveCapacity(count) }

    override func insert(_ element: Element) {
        operations.insert(&storage, prepare(), element)
    }

    override func remove(_ element: Element) {
        operations.remove(&storage, prepare(), element)
    }
}

/// A set variable of numbered elements, of which it keeps a bit for each number.
///
/// A `Set` of a million elements takes eight bytes and more for each, and hashes all of them again, for a tenth of a
/// second, when it grows.
final class NumberedSetVariableNode<Element: Hashable>: SetVariableNode<Element> {
    private let number: (Element) -> Int
    private let element: (Int) -> Element
    /// The elements with the numbers from 64 *i* on, as bits.
    private var words: [UInt64]
    private var size: Int

    init(
        number: @escaping (Element) -> Int, element: @escaping (Int) -> Element, bits: [UInt64],
        operations: SetOperations<Element>
    ) {
        self.number = number
        self.element = element
        words = bits
        size = bits.reduce(0) { $0 + $1.nonzeroBitCount }
        super.init(operations: operations)
    }

    override var elements: Set<Element> {
        var elements = Set<Element>(minimumCapacity: size)
        forEach { elements.insert($0) }
        return elements
    }

    override var elementList: [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(size)
        forEach { elements.append($0) }
        return elements
    }

    private func forEach(_ body: (Element) -> Void) {
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                body(element(index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }

    override var count: Int { size }

    override func contains(_ element: Element) -> Bool { contains(number(element)) }

    private func contains(_ number: Int) -> Bool {
        guard number >= 0, number / 64 < words.count else { return false }
        return words[number / 64] & Self.bit(of: number) != 0
    }

    private static func bit(of number: Int) -> UInt64 { 1 << UInt64(number % 64) }

    override func insert(_ element: Element) {
        let number = number(element)
        require(number >= 0, "The number of an element is negative.")
        if number / 64 >= words.count {
            words.append(contentsOf: repeatElement(0, count: number / 64 + 1 - words.count))
        }
        if contains(number) { return }
        words[number / 64] |= Self.bit(of: number)
        size += 1
        operations.recordInsertion(prepare(), element)
    }

    override func remove(_ element: Element) {
        let number = number(element)
        guard contains(number) else { return }
        words[number / 64] &= ~Self.bit(of: number)
        size -= 1
        operations.recordRemoval(prepare(), element)
    }
}
