/// An array that the program writes and others observe.
///
/// Outside of a transaction, each of the methods is one. In a sink, what they do is queued until
/// all sinks have been called; indices count in the array as it is when their turn has come.
/// So none of them can say what it took out: read that before, or connect to the changes.
/// Single insertions, removals and replacements take O(log *n*) and shift at most a chunk of rows.
public final class ArrayVariable<Element>: ObservableArrayType, ExpressibleByArrayLiteral {
    private let node: ArrayVariableNode<Element>

    /// An array variable that belongs to the calling actor, task or thread, without elements.
    public init() {
        node = ArrayVariableNode([])
    }

    /// An array variable that belongs to the calling actor, task or thread, with the elements of a sequence.
    public init(_ elements: some Sequence<Element>) {
        node = ArrayVariableNode(Array(elements))
    }

    /// An array variable that belongs to the calling actor, task or thread with the elements given.
    public convenience init(arrayLiteral elements: Element...) {
        self.init(elements)
    }

    /// The array, readable only.
    public var observableArray: ObservableArray<Element> { ObservableArray(node) }

    /// All elements. Setting it is told as the elements that leave and arrive, if the type is
    /// `Equatable`; a row that moves far leaves and arrives.
    ///
    /// - Complexity: O(*n*).
    public var value: [Element] {
        get { observableArray.value }
        set {
            let node = node
            node.write { node.assign(newValue) }
        }
    }

    /// The element at `index`, which must exist.
    public subscript(index: Int) -> Element {
        get { observableArray[index] }
        set { replaceSubrange(index..<(index + 1), with: [newValue]) }
    }

    /// The elements at `bounds`, all of which must exist.
    public subscript(bounds: Range<Int>) -> [Element] {
        get { observableArray[bounds] }
        set { replaceSubrange(bounds, with: newValue) }
    }

    /// Puts an element behind all others.
    ///
    /// - Complexity: O(log *n*).
    public func append(_ element: Element) {
        append(contentsOf: [element])
    }

    /// Puts elements behind all others.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func append(contentsOf elements: some Sequence<Element>) {
        let node = node
        let elements = Array(elements)
        node.write { node.replace(node.count..<node.count, with: elements) }
    }

    /// Puts an element before the one at `index`, or behind all others if that is the count.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func insert(_ element: Element, at index: Int) {
        replaceSubrange(index..<index, with: [element])
    }

    /// Puts elements before the one at `index`, or behind all others if that is the count.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
        replaceSubrange(index..<index, with: elements)
    }

    /// Takes out the element at `index`, which must exist.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func remove(at index: Int) {
        replaceSubrange(index..<(index + 1), with: [])
    }

    /// Takes out the first element. There must be one.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func removeFirst() {
        remove(at: 0)
    }

    /// Takes out the last element. There must be one.
    ///
    /// - Complexity: O(log *n*).
    public func removeLast() {
        let node = node
        node.write { node.replace(max(0, node.count - 1)..<max(1, node.count), with: []) }
    }

    /// Takes out the elements at `range`, all of which must exist.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func removeSubrange(_ range: Range<Int>) {
        replaceSubrange(range, with: [])
    }

    /// Takes out all elements for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`, and O(log *n*) for each run of elements that go.
    public func removeAll(where predicate: @escaping (Element) -> Bool) {
        let node = node
        node.write {
            // From the end, so that what is yet to go stays where it is.
            var end: Int?
            for (index, element) in zip(0..., node.allRows).reversed() {
                if predicate(element) {
                    end = end ?? index + 1
                } else if let last = end {
                    node.replace(index + 1..<last, with: [])
                    end = nil
                }
            }
            if let end { node.replace(0..<end, with: []) }
        }
    }

    /// Takes out all elements.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = []
    }

    /// Replaces the elements at `range`, all of which must exist, by others of any number.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements taken out and put in.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let node = node
        let elements = Array(elements)
        node.write { node.replace(range, with: elements) }
    }

    /// Carries out all modifications of `change`, in one transaction. It must have been made for an array
    /// of this length; ask ``ArrayChange/isApplicable(toCount:)`` if in doubt.
    ///
    /// - Complexity: O(log *n*) for each of its modifications, plus the elements they take out and put in.
    public func apply(_ change: ArrayChange<Element>) {
        let node = node
        node.write {
            require(
                change.isApplicable(toCount: node.count),
                """
                A change of an array of \(change.initialCount.map { "\($0)" } ?? "more") rows was \
                applied to a variable of \(node.count). Apply a change only to the value it was \
                made for.
                """)
            for modification in change.modifications {
                node.replace(modification.inputRange, with: modification.newElements)
            }
        }
    }
}
