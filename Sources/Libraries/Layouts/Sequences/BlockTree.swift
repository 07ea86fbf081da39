// A sequence with sums: a B+-tree over blocks of elements.
//
// Leaves hold up to `leafLimit` elements in an array, inner nodes up to `childLimit` children, each with
// the summary of its subtree. All leaves have the same depth. A position is found, by its index or by a
// sum, from the root down; a change updates the sums from its block to the root.
//
// Invariants: no node is empty except a root without elements; a root that is not a leaf has at least
// two children; the stored sum of a child is the child's summary. Two neighbours under one parent fill
// more than half a node: after a removal, those that no longer do are joined. So nodes are at least a
// quarter full on average, and the depth is O(log n).
//
// The caller must check indexes: an index out of range traps. Readers along the sequence receive a
// block's array; changing the tree meanwhile copies that block, and does not affect the reader.

/// A sequence with sums over its elements; see the head of the file.
final class BlockTree<Summary: BlockSummary> {
    typealias Element = Summary.Element

    final class Node {
        /// The elements of a leaf.
        var elements: ContiguousArray<Element>
        /// The children of an inner node.
        var children: ContiguousArray<Node>
        /// The summaries of the children.
        var sums: ContiguousArray<Summary>

        var isLeaf: Bool { children.isEmpty }
        var size: Int { isLeaf ? elements.count : children.count }
        var summary: Summary {
            isLeaf ? Summary(elements) : sums.reduce(.zero) { $0 + $1 }
        }

        /// The child of an inner node that holds the element at an index, which becomes its index there.
        func child(holding index: inout Int) -> Int {
            var child = 0
            while index >= sums[child].count {
                index -= sums[child].count
                child += 1
            }
            return child
        }

        init(elements: some Collection<Element>, capacity: Int) {
            self.elements = []
            // A node exceeds the limit by one for a moment, before a split.
            self.elements.reserveCapacity(capacity + 1)
            self.elements.append(contentsOf: elements)
            children = []
            sums = []
        }

        init(children: some Collection<Node>, capacity: Int) {
            elements = []
            self.children = []
            self.children.reserveCapacity(capacity + 1)
            self.children.append(contentsOf: children)
            sums = []
            sums.reserveCapacity(capacity + 1)
            for child in self.children { sums.append(child.summary) }
        }
    }

    /// A block of the sequence.
    struct Leaf {
        var elements: ContiguousArray<Element>
        /// The index of its first element.
        var start: Int
    }

    let leafLimit: Int
    let childLimit: Int
    var root: Node
    /// The summary of all elements.
    var total = Summary.zero

    init(leafLimit: Int, childLimit: Int) {
        precondition(leafLimit >= 4 && childLimit >= 4, "a node must be worth splitting")
        self.leafLimit = leafLimit
        self.childLimit = childLimit
        root = Node(elements: [], capacity: leafLimit)
    }

    var count: Int { total.count }

    /// The first element at which the summary up to and including it meets a condition; its index, and
    /// the summary before it. The condition must stay met once it is met. `nil` if there is none.
    ///
    /// - Complexity: O(log n).
    func first(
        where condition: (Summary) -> Bool
    ) -> (index: Int, element: Element, before: Summary)? {
        guard count > 0, condition(total) else { return nil }
        var node = root
        var before = Summary.zero
        while !node.isLeaf {
            var child = 0
            while child + 1 < node.sums.count {
                let through = before + node.sums[child]
                if condition(through) { break }
                before = through
                child += 1
            }
            node = node.children[child]
        }
        for element in node.elements {
            let through = before + Summary(element)
            if condition(through) { return (before.count, element, before) }
            before = through
        }
        preconditionFailure("the condition was met, and no more")
    }

    /// The summary of the first `index` elements.
    ///
    /// - Complexity: O(log n).
    func prefix(_ index: Int) -> Summary {
        if index == count { return total }
        precondition(index >= 0 && index < count, "there is no element \(index)")
        return first { $0.count > index }?.before ?? .zero
    }

    /// The block that contains the element at this index.
    ///
    /// - Complexity: O(log n).
    func leaf(at index: Int) -> Leaf {
        precondition(index >= 0 && index < count, "there is no element \(index)")
        var node = root
        var left = index
        while !node.isLeaf {
            let child = node.child(holding: &left)
            node = node.children[child]
        }
        return Leaf(elements: node.elements, start: index - left)
    }

    subscript(index: Int) -> Element {
        let leaf = leaf(at: index)
        return leaf.elements[index - leaf.start]
    }

    /// Calls `body` with each block, in order.
    func forEachLeaf(_ body: (ContiguousArray<Element>) -> Void) {
        func visit(_ node: Node) {
            if node.isLeaf { body(node.elements) }
            for child in node.children { visit(child) }
        }
        visit(root)
    }
}

/// Iterates a ``BlockTree`` that does not change meanwhile.
struct BlockCursor<Summary: BlockSummary> {
    private let tree: BlockTree<Summary>
    private var elements: ContiguousArray<Summary.Element> = []
    private var offset = 0
    private var nextLeaf: Int

    init(_ tree: BlockTree<Summary>, at index: Int) {
        self.tree = tree
        nextLeaf = index
        load()
    }

    /// The next element; `nil` at the end.
    var current: Summary.Element? {
        offset < elements.count ? elements[offset] : nil
    }

    mutating func advance() {
        offset += 1
        if offset == elements.count { load() }
    }

    private mutating func load() {
        guard nextLeaf < tree.count else {
            elements = []
            offset = 0
            return
        }
        let leaf = tree.leaf(at: nextLeaf)
        elements = leaf.elements
        offset = nextLeaf - leaf.start
        nextLeaf = leaf.start + elements.count
    }
}
