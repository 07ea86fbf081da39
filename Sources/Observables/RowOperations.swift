// The inner loops of sorting and filtering, as closures. Nodes are generic classes, whose methods are
// always compiled once for all types: an element there costs some hundred instructions to get at. The
// loops are therefore made by the inlinable operators, where the element type is known, and handed to
// the node, which calls one of them for each piece of work.

/// The inner loops of a sorted collection, compiled for its element type.
@usableFromInline
struct RowOperations<Element: Equatable> {
    @usableFromInline typealias Rows = ChunkedRows<Element>
    @usableFromInline typealias Comparator = (Element, Element) -> Bool

    let sort: (inout [Element], Comparator) -> Void
    /// Takes out and puts in elements and gives the change.
    let carryOut: (inout Rows, [Element], [Element], Comparator) -> ArrayChange<Element>
    let elements: (Rows, Range<Int>) -> [Element]
    let element: (Rows, Int) -> Element
    /// How many elements two arrays have in common at the start, and how many at the end.
    let commonEnds: ([Element], [Element]) -> (prefix: Int, suffix: Int)

    @inlinable
    init() {
        self.init(
            sort: { $0.sort(by: $1) },
            carryOut: { $0.carryOut(removed: $1, inserted: $2, by: $3) },
            elements: { $0.elements(in: $1) },
            element: { $0[$1] },
            commonEnds: { left, right in
                let shorter = min(left.count, right.count)
                var prefix = 0
                while prefix < shorter, left[prefix] == right[prefix] { prefix += 1 }
                var suffix = 0
                while suffix < shorter - prefix,
                    left[left.count - 1 - suffix] == right[right.count - 1 - suffix]
                { suffix += 1 }
                return (prefix, suffix)
            })
    }

    @usableFromInline
    init(
        sort: @escaping (inout [Element], Comparator) -> Void,
        carryOut: @escaping (inout Rows, [Element], [Element], Comparator) -> ArrayChange<Element>,
        elements: @escaping (Rows, Range<Int>) -> [Element],
        element: @escaping (Rows, Int) -> Element,
        commonEnds: @escaping ([Element], [Element]) -> (prefix: Int, suffix: Int)
    ) {
        self.sort = sort
        self.carryOut = carryOut
        self.elements = elements
        self.element = element
        self.commonEnds = commonEnds
    }
}

/// The inner loops of a filter, compiled for its element type.
@usableFromInline
struct FilterOperations<Element> {
    /// Appends what a predicate says of each element.
    let match: ([Element], (Element) -> Bool, inout [Bool]) -> Void
    /// Follows a change of the rows and gives the change of those that match.
    let carryOut:
        (ArrayChange<Element>, (Element) -> Bool, inout ChunkedMarks) -> ArrayChange<Element>
    /// The elements that are marked.
    let select: ([Element], ArraySlice<Bool>) -> [Element]
    /// The elements at these rows less the first of them.
    let gather: ([Element], [Int]) -> [Element]

    @inlinable
    init() {
        self.init(
            match: { elements, predicate, bits in
                for element in elements { bits.append(predicate(element)) }
            },
            carryOut: { $2.carryOut($0, $1) },
            select: { ChunkedMarks.select($0, $1) },
            gather: { span, rows in
                guard let first = rows.first else { return [] }
                return rows.map { span[$0 - first] }
            })
    }

    @usableFromInline
    init(
        match: @escaping ([Element], (Element) -> Bool, inout [Bool]) -> Void,
        carryOut:
            @escaping (
                ArrayChange<Element>, (Element) -> Bool, inout ChunkedMarks
            ) -> ArrayChange<Element>,
        select: @escaping ([Element], ArraySlice<Bool>) -> [Element],
        gather: @escaping ([Element], [Int]) -> [Element]
    ) {
        self.match = match
        self.carryOut = carryOut
        self.select = select
        self.gather = gather
    }
}

/// The inner loops of a set, compiled for its element type.
@usableFromInline
struct SetOperations<Element: Hashable> {
    @usableFromInline typealias Write = (inout Set<Element>, inout SetChange<Element>?, Element) ->
        Void

    let insert: Write
    let remove: Write
    let arrays: (SetChange<Element>) -> (removed: [Element], inserted: [Element])

    @inlinable
    init() {
        self.init(
            insert: { elements, change, element in
                if elements.insert(element).inserted { change?.insert(element) }
            },
            remove: { elements, change, element in
                // What leaves is told as it was in the set, which may differ from what equals it.
                if let old = elements.remove(element) { change?.remove(old) }
            },
            arrays: { (Array($0.removed), Array($0.inserted)) })
    }

    @usableFromInline
    init(
        insert: @escaping Write, remove: @escaping Write,
        arrays: @escaping (SetChange<Element>) -> (removed: [Element], inserted: [Element])
    ) {
        self.insert = insert
        self.remove = remove
        self.arrays = arrays
    }
}
