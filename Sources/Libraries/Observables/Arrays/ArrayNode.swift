/// A node whose value is an array. For use within the graph: all values are as of the last settling.
class ArrayNode<Element>: ChangeNode<ArrayChange<Element>> {
    var count: Int {
        stop("\(Self.self) does not implement count.")
    }

    func rows(in range: Range<Int>) -> [Element] {
        stop("\(Self.self) does not implement rows(in:).")
    }

    func row(at index: Int) -> Element {
        rows(in: index..<(index + 1))[0]
    }

    /// The first row that equals `element` by `areEqual`. This implementation searches linearly; nodes
    /// with a faster way, or whose input has one, override it.
    func firstIndex(of element: Element, by areEqual: (Element, Element) -> Bool) -> Int? {
        let count = count
        // An idle node may compute all its rows to return some of them.
        let step = isActive ? 1024 : count
        var start = 0
        while start < count {
            let end = min(count, start + step)
            if let offset = rows(in: start..<end).firstIndex(where: { areEqual($0, element) }) {
                return start + offset
            }
            start = end
        }
        return nil
    }

    final var allRows: [Element] { rows(in: 0..<count) }

    /// The rows whose order is not computed yet, with their current unordered elements. Reading them
    /// unordered costs nothing; reading them in order may sort them.
    var pendingOrder: ArrayReordering<Element>? { nil }

    /// Calls `body` with all rows, in blocks; rows in a pending order come unordered.
    final func forEachUnorderedBlock(_ body: ([Element]) -> Void) {
        forEachBlock(before: pendingOrder, body)
    }

    /// Calls `body` with all rows, in blocks; rows in the order `pending` come unordered. The order may
    /// be completed meanwhile: `body` calls predicates, which may cause it.
    final func forEachBlock(
        before pending: ArrayReordering<Element>?, _ body: ([Element]) -> Void
    ) {
        guard let pending else {
            forEachBlock(in: 0..<count, body)
            return
        }
        let end = pending.offset + pending.order.count
        forEachBlock(in: 0..<pending.offset, body)
        var start = 0
        while start < pending.order.count {
            let next = min(pending.order.count, start + 1024)
            body(pending.oldRows(Array(start..<next)))
            start = next
        }
        forEachBlock(in: end..<count, body)
    }

    /// Calls `body` with rows in blocks, so that no second copy of all rows is made.
    final func forEachBlock(in range: Range<Int>, _ body: ([Element]) -> Void) {
        // An idle node may compute all its rows to return some of them.
        let step = isActive ? 1024 : max(1, range.count)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(range.upperBound, start + step)
            body(rows(in: start..<end))
            start = end
        }
    }
}

/// An array computed from one other array.
class ArrayInputNode<Input, Element>: ArrayNode<Element> {
    final var input: InputEdge<ArrayNode<Input>>

    init(_ input: ArrayNode<Input>) {
        self.input = InputEdge(input)
        super.init(above: [input])
    }

    override func activate() { input.attach(self) }

    override func deactivate() { input.detach(self) }
}

/// An array that never changes.
final class ConstantArrayNode<Element>: ArrayNode<Element> {
    private let elements: [Element]

    init(_ elements: [Element]) {
        self.elements = elements
        super.init(above: [])
    }

    override var count: Int { elements.count }

    override func rows(in range: Range<Int>) -> [Element] { Array(elements[range]) }

    override func row(at index: Int) -> Element { elements[index] }
}

/// An array that the program writes.
final class ArrayVariableNode<Element>: ArrayNode<Element> {
    private var storage: ChunkedRows<Element>
    private let areEqual: ((Element, Element) -> Bool)?
    private var pending: ArrayChange<Element>?

    init(_ elements: [Element]) {
        storage = ChunkedRows(elements)
        areEqual = equality(of: Element.self)
        super.init(above: [])
    }

    override var count: Int { storage.count }

    override func rows(in range: Range<Int>) -> [Element] { storage.elements(in: range) }

    override func row(at index: Int) -> Element { storage[index] }

    func replace(_ range: Range<Int>, with new: [Element]) {
        require(
            range.lowerBound >= 0 && range.upperBound <= count,
            "Rows \(range) are not all among the \(count) of an ArrayVariable.")
        if isActive,
            let modification = ArrayModification(
                replacing: storage.elements(in: range), at: range.lowerBound, with: new)
        {
            record([modification])
        }
        storage.replaceSubrange(range, with: new)
    }

    /// Replaces all elements; an element that equals a nearby old one counts as kept.
    func assign(_ new: [Element]) {
        if isActive {
            let old = storage.all
            var alignment = RowAlignment(oldCount: old.count, newCount: new.count)
            alignment.align { areEqual?(old[$0], new[$1]) ?? false }
            record(alignment.change(from: old, to: new).modifications)
        }
        storage = ChunkedRows(new)
    }

    private func record(_ modifications: [ArrayModification<Element>]) {
        if pending == nil {
            pending = ArrayChange(initialCount: count)
            scheduler.enqueue(self)
        }
        for modification in modifications { pending?.add(modification) }
    }

    override func recompute() {
        guard var change = pending else { return }
        pending = nil
        // Repeated writes may have restored the original elements.
        if let areEqual { change = change.strippingReplacements(by: areEqual) }
        if !change.isEmpty { emit(change.flattened()) }
    }

    override func deactivate() {
        pending = nil
    }
}

/// The elements of an array, each transformed. Keeps no state.
final class ArrayMapNode<Input, Element>: ArrayInputNode<Input, Element> {
    private let transform: (Input) -> Element
    private let transformAll: ([Input]) -> [Element]

    init(
        _ input: ArrayNode<Input>, transform: @escaping (Input) -> Element,
        all transformAll: @escaping ([Input]) -> [Element]
    ) {
        self.transformAll = transformAll
        self.transform = transform
        super.init(input)
    }

    override var count: Int { input.node.count }

    override func rows(in range: Range<Int>) -> [Element] {
        transformAll(input.node.rows(in: range))
    }

    override func row(at index: Int) -> Element { transform(input.node.row(at: index)) }

    override var pendingOrder: ArrayReordering<Element>? {
        input.node.pendingOrder?.map(transformAll)
    }

    override func recompute() {
        guard let emission = input.takeEmission() else { return }
        if let reordering = emission.reordering() {
            emit(reordering.map(transformAll).emission)
        } else {
            emit(emission.change.map(transform))
        }
    }
}

/// Two arrays, concatenated. Keeps no state.
final class ConcatenationNode<Element>: ArrayNode<Element> {
    private var left: InputEdge<ArrayNode<Element>>
    private var right: InputEdge<ArrayNode<Element>>

    init(_ left: ArrayNode<Element>, _ right: ArrayNode<Element>) {
        self.left = InputEdge(left)
        self.right = InputEdge(right)
        super.init(above: [left, right])
    }

    override var count: Int { left.node.count + right.node.count }

    override func rows(in range: Range<Int>) -> [Element] {
        let border = left.node.count
        if range.upperBound <= border { return left.node.rows(in: range) }
        let rest = max(0, range.lowerBound - border)..<(range.upperBound - border)
        if range.lowerBound >= border { return right.node.rows(in: rest) }
        return left.node.rows(in: range.lowerBound..<border) + right.node.rows(in: rest)
    }

    override func row(at index: Int) -> Element {
        let border = left.node.count
        return index < border
            ? left.node.row(at: index) : right.node.row(at: index - border)
    }

    override var pendingOrder: ArrayReordering<Element>? {
        switch (left.node.pendingOrder, right.node.pendingOrder) {
        case (let pending?, nil): return pending.widened(offset: 0, arrayCount: count)
        case (nil, let pending?):
            return pending.widened(offset: left.node.count, arrayCount: count)
        default: return nil
        }
    }

    override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        left.node.firstIndex(of: element, by: areEqual)
            ?? right.node.firstIndex(of: element, by: areEqual).map { $0 + left.node.count }
    }

    override func activate() {
        left.attach(self)
        right.attach(self)
    }

    override func deactivate() {
        left.detach(self)
        right.detach(self)
    }

    override func recompute() {
        let first = left.takeEmission()
        let second = right.takeEmission()
        let border = left.node.count
        if second == nil, let reordering = first?.reordering() {
            emit(reordering.widened(offset: 0, arrayCount: count).emission)
            return
        }
        if first == nil, let reordering = second?.reordering() {
            emit(reordering.widened(offset: border, arrayCount: count).emission)
            return
        }
        let growth = (first?.change.deltaCount ?? 0) + (second?.change.deltaCount ?? 0)
        if first == nil || second == nil {
            guard let change = first?.change ?? second?.change, !change.isEmpty else { return }
            let offset = first == nil ? border : 0
            emit(change.widened(offset: offset, initialCount: count - growth).flattened())
            return
        }
        var change = ArrayChange<Element>(initialCount: count - growth)
        for modification in first?.change.modifications ?? [] { change.add(modification) }
        // The changes of the left array apply first, so it already has its final length here.
        for modification in second?.change.modifications ?? [] {
            change.add(modification.shifted(by: border))
        }
        if !change.isEmpty { emit(change.flattened()) }
    }
}
