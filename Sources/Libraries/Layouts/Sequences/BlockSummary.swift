/// The summary of a run of elements of a ``BlockTree``.
protocol BlockSummary {
    /// The elements of the tree.
    associatedtype Element

    /// The summary of no elements.
    static var zero: Self { get }
    /// The number of elements.
    var count: Int { get }

    /// The summary of one element.
    init(_ element: Element)
    /// The summary of the elements of a block.
    init(_ elements: ContiguousArray<Element>)
    /// The summary of two consecutive runs. Must be associative, to the bit.
    static func + (first: Self, second: Self) -> Self
}

extension BlockSummary {
    init(_ elements: ContiguousArray<Element>) {
        self = .zero
        for element in elements { self = self + Self(element) }
    }
}
