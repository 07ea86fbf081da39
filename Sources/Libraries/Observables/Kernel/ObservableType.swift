// The protocols of observables, one per structure of the value. Each structure has a protocol for
// everything of its kind, a type-erased wrapper (`Observable` and so on) and a writable type (`Variable`
// and so on). To write an observable of your own, keep a variable or an operator's result inside and
// return its type-erased wrapper; everything else follows from that.

/// A value that may change, with its changes.
public protocol ObservableType<Change> {
    /// How the value changes.
    associatedtype Change: ChangeType

    /// The current value. Inside a transaction, it includes the writes so far.
    var value: Change.Value { get }

    /// The changes of the value: one for each transaction that changed it.
    var changes: Source<Change> { get }
}

extension ObservableType {
    /// Sends each later change of the value to `sink`, until the connection ends.
    ///
    /// In a transaction, the first change starts from the value as written so far. The sink is called
    /// when everything has been recomputed, so all values it reads match the change it receives. Its
    /// writes take effect when all sinks have been called.
    ///
    /// - Complexity: O(1) if something is connected already; otherwise the cost of building the state of
    ///   all inputs.
    public func connect(_ sink: @escaping Sink<Change>) -> Connection {
        changes.connect(sink)
    }

    /// The current value, and the new value after each later change.
    ///
    /// The sink is called once before `connect` returns. In a transaction, the first value includes the
    /// writes so far.
    ///
    /// - Complexity: one read of the value per change and sink.
    public var values: Source<Change.Value> {
        Source { sink in
            let connection = connect { _ in sink(value) }
            sink(value)
            return connection
        }
    }
}

/// An observable whose value changes as a whole.
public protocol ObservableScalarType<Value>: ObservableType where Change == ScalarChange<Value> {
    /// The type of the value.
    associatedtype Value

    /// The same observable, type-erased.
    var observable: Observable<Value> { get }
}

extension ObservableScalarType {
    /// An observable that never changes, for any parameter that takes an observable: `count:
    /// .constant(4)`.
    public static func constant<Constant>(
        _ value: Constant
    ) -> Self where Self == Observable<Constant> {
        Observable<Constant>(ConstantScalarNode(value))
    }
}

/// An observable array.
public protocol ObservableArrayType<Element>: ObservableType
where Change == ArrayChange<Element> {
    /// The type of the elements.
    associatedtype Element

    /// How many elements there are.
    var count: Int { get }

    /// The element at an index.
    subscript(index: Int) -> Element { get }

    /// The elements in a range of indices.
    subscript(bounds: Range<Int>) -> [Element] { get }

    /// The same observable, type-erased.
    var observableArray: ObservableArray<Element> { get }
}

extension ObservableArrayType {
    /// All elements.
    public var value: [Element] { observableArray.value }

    /// The changes of the array: one for each transaction that changed it.
    public var changes: Source<ArrayChange<Element>> { observableArray.node.changes }

    /// How many elements there are.
    public var count: Int { observableArray.count }

    /// Whether there are no elements.
    public var isEmpty: Bool { count == 0 }

    /// The element at `index`, which must exist.
    public subscript(index: Int) -> Element { observableArray[index] }

    /// The elements at `bounds`, all of which must exist.
    public subscript(bounds: Range<Int>) -> [Element] { observableArray[bounds] }
}

/// An observable set.
public protocol ObservableSetType<Element>: ObservableType where Change == SetChange<Element> {
    /// The type of the elements.
    associatedtype Element: Hashable

    /// How many elements there are.
    var count: Int { get }

    /// Whether `element` is in the set.
    func contains(_ element: Element) -> Bool

    /// The same observable, type-erased.
    var observableSet: ObservableSet<Element> { get }
}

extension ObservableSetType {
    /// All elements.
    public var value: Set<Element> { observableSet.value }

    /// The changes of the set: one for each transaction that changed it.
    public var changes: Source<SetChange<Element>> { observableSet.node.changes }

    /// How many elements there are.
    public var count: Int { observableSet.count }

    /// Whether there are no elements.
    public var isEmpty: Bool { count == 0 }

    /// Whether `element` is in the set.
    public func contains(_ element: Element) -> Bool { observableSet.contains(element) }
}
