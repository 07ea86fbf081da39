/// An array that the program writes and others observe.
///
/// Outside of a transaction, each method is a transaction of its own. In a sink, writes are queued until
/// all sinks have been called; their indices refer to the array at that time. So no method returns the
/// elements it removes: read them first, or connect to the changes. Single insertions, removals and
/// replacements take O(log *n*) and shift at most a chunk of rows.
public final class ArrayVariable<Element>: ObservableArrayType, ExpressibleByArrayLiteral {
    private let node: ArrayVariableNode<Element>

    /// An empty array variable that belongs to the calling actor, task or thread.
    public init() {
        node = ArrayVariableNode([])
    }

    /// An array variable that belongs to the calling actor, task or thread, with the elements of a sequence.
    public init(_ elements: some Sequence<Element>) {
        node = ArrayVariableNode(Array(elements))
    }

    /// An array variable that belongs to the calling actor, task or thread, with the given elements.
    public convenience init(arrayLiteral elements: Element...) {
        self.init(elements)
    }

    /// The array as a read-only observable.
    public var observableArray: ObservableArray<Element> { ObservableArray(node) }

    /// All elements. If the type is `Equatable`, observers of a new value receive only the elements that
    /// leave and arrive; a row that moves far leaves and arrives.
    ///
    /// - Complexity: O(*n*).
    public var value: [Element] {
        get { observableArray.value }
        set {
            node.write { [node] in node.assign(newValue) }
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

    /// Appends an element.
    ///
    /// - Complexity: O(log *n*).
    public func append(_ element: Element) {
        append(contentsOf: [element])
    }

    /// Appends elements.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func append(contentsOf elements: some Sequence<Element>) {
        let elements = Array(elements)
        node.write { [node] in node.replace(node.count..<node.count, with: elements) }
    }

    /// Inserts an element before `index`, which may be the count.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func insert(_ element: Element, at index: Int) {
        replaceSubrange(index..<index, with: [element])
    }

    /// Inserts elements before `index`, which may be the count.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func insert(contentsOf elements: some Sequence<Element>, at index: Int) {
        replaceSubrange(index..<index, with: elements)
    }

    /// Removes the element at `index`, which must exist.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func remove(at index: Int) {
        replaceSubrange(index..<(index + 1), with: [])
    }

    /// Removes the first element. The array must not be empty.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func removeFirst() {
        remove(at: 0)
    }

    /// Removes the last element. The array must not be empty.
    ///
    /// - Complexity: O(log *n*).
    public func removeLast() {
        node.write { [node] in node.replace(max(0, node.count - 1)..<max(1, node.count), with: []) }
    }

    /// Removes the elements at `range`, all of which must exist.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements.
    public func removeSubrange(_ range: Range<Int>) {
        replaceSubrange(range, with: [])
    }

    /// Removes all elements for which `predicate` holds.
    ///
    /// - Complexity: *n* calls of `predicate`, and O(log *n*) for each run of removed elements.
    public func removeAll(where predicate: @escaping (Element) -> Bool) {
        node.write { [node] in
            // From the end, so that the indices still to be removed stay valid.
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

    /// Removes all elements.
    ///
    /// - Complexity: O(*n*).
    public func removeAll() {
        value = []
    }

    /// Replaces the elements at `range`, all of which must exist, by any number of others.
    ///
    /// - Complexity: O(log *n* + *k*) for *k* elements removed and inserted.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Sequence<Element>) {
        let elements = Array(elements)
        node.write { [node] in node.replace(range, with: elements) }
    }

    /// Applies all modifications of `change` in one transaction. The change must have been made for an
    /// array of this length; ask ``ArrayChange/isApplicable(toCount:)`` if in doubt.
    ///
    /// - Complexity: O(log *n*) for each modification, plus the elements removed and inserted.
    public func apply(_ change: ArrayChange<Element>) {
        node.write { [node] in
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
