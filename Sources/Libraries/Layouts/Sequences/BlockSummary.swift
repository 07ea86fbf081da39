/// What is known about a run of elements of a ``BlockTree`` without looking at them.
protocol BlockSummary {
    /// What the tree holds.
    associatedtype Element

    /// The summary of no elements.
    static var zero: Self { get }
    /// How many elements there are.
    var count: Int { get }

    /// The summary of one element.
    init(_ element: Element)
    /// The summary of the elements of a block.
    init(_ elements: ContiguousArray<Element>)
    /// The summary of two runs, one after the other. Must be associative, to the bit.
    static func + (first: Self, second: Self) -> Self
}

extension BlockSummary {
    init(_ elements: ContiguousArray<Element>) {
        self = .zero
        for element in elements { self = self + Self(element) }
    }
}
