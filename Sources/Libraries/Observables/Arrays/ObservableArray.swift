/// A type-erased observable array.
///
/// Without a connection, it keeps no state and computes each value on request. With one, `count` and
/// reading *w* rows take O(log *n* + *w*) per operator in the chain.
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

    /// Whether the position of every element is known. After a deferred sort it is not: rows are sorted
    /// as far as they are read, or by ``ObservableScheduler/performDeferredWork(budget:)``.
    package var isSorted: Bool {
        node.prepareToRead()
        return node.pendingOrder == nil
    }

    /// Itself.
    public var observableArray: ObservableArray { self }
}
