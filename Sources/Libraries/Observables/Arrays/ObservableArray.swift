/// An observable array of any kind, known only by the type of its elements.
///
/// While nothing is connected to it, it holds nothing and computes what it is asked for. While
/// something is, `count` and reading *w* rows take O(log *n* + *w*) at each operator on the way.
public struct ObservableArray<Element>: ObservableArrayType {
    let node: ArrayNode<Element>

    init(_ node: ArrayNode<Element>) {
        self.node = node
    }

    /// An array that never changes.
    public static func constant(_ elements: [Element]) -> ObservableArray {
        ObservableArray(ConstantArrayNode(elements))
    }

    /// How many elements there are.
    public var count: Int {
        node.reading { node.count }
    }

    /// The element at `index`, which must exist.
    public subscript(index: Int) -> Element {
        node.reading {
            require(
                index >= 0 && index < node.count,
                "Row \(index) is not among the \(node.count) of an observable array.")
            return node.row(at: index)
        }
    }

    /// The elements at `bounds`, all of which must exist.
    public subscript(bounds: Range<Int>) -> [Element] {
        node.reading {
            require(
                bounds.lowerBound >= 0 && bounds.upperBound <= node.count,
                "Rows \(bounds) are not all among the \(node.count) of an observable array.")
            return node.rows(in: bounds)
        }
    }

    /// All elements.
    public var value: [Element] {
        node.reading { node.allRows }
    }

    /// Whether every element's place is known. It is not while the order of some was put off: they are
    /// sorted as far as they are read, or by ``ObservableScheduler/performDeferredWork(budget:)``.
    public var isSorted: Bool {
        node.prepareToRead()
        return node.pendingOrder == nil
    }

    /// Itself.
    public var observableArray: ObservableArray { self }
}

/// An array that the program writes and others observe.
///
/// Outside of a transaction, each of the methods is one. In a sink, what they do is queued until
/// all sinks have been called; indices count in the array as it is when their turn has come.
/// Single insertions, removals and replacements take O(log *n*) and shift at most a chunk of rows.
public final class ArrayVariable<Element>: ObservableArrayType, ExpressibleByArrayLiteral {
    private let node: ArrayVariableNode<Element>

    /// An array variable that belongs to the calling actor, task or thread.
    public init(_ elements: [Element] = []) {
        node = ArrayVariableNode(elements)
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
    public func append(contentsOf elements: [Element]) {
        let node = node
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
    public func insert(contentsOf elements: [Element], at index: Int) {
        replaceSubrange(index..<index, with: elements)
    }

    /// Takes out the element at `index`, which must exist.
    ///
    /// - Complexity: O(log *n*), and at most a chunk of rows is shifted.
    public func remove(at index: Int) {
        replaceSubrange(index..<(index + 1), with: [])
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
    public func replaceSubrange(_ range: Range<Int>, with elements: [Element]) {
        let node = node
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
