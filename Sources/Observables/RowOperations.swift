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
    /// Puts an element behind those it ties with and says where.
    let insert: (inout Rows, Element, Comparator) -> Int
    /// The row of an element, if it is where the comparator says.
    let find: (Rows, Element, Comparator) -> Int?
    let remove: (inout Rows, Int) -> Element
    let elements: (Rows, Range<Int>) -> [Element]
    let element: (Rows, Int) -> Element
    /// How many elements two arrays have in common at the start, and how many at the end.
    let commonEnds: ([Element], [Element]) -> (prefix: Int, suffix: Int)

    @inlinable
    init() {
        self.init(
            sort: { $0.sort(by: $1) },
            insert: { rows, element, less in
                let row = rows.partitioningIndex { less(element, $0) }
                rows.insert(element, at: row)
                return row
            },
            find: { rows, element, less in
                var row = rows.partitioningIndex { !less($0, element) }
                while row < rows.count {
                    let candidate = rows[row]
                    if candidate == element { return row }
                    if less(element, candidate) { return nil }
                    row += 1
                }
                return nil
            },
            remove: { $0.remove(at: $1) },
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
        insert: @escaping (inout Rows, Element, Comparator) -> Int,
        find: @escaping (Rows, Element, Comparator) -> Int?,
        remove: @escaping (inout Rows, Int) -> Element,
        elements: @escaping (Rows, Range<Int>) -> [Element],
        element: @escaping (Rows, Int) -> Element,
        commonEnds: @escaping ([Element], [Element]) -> (prefix: Int, suffix: Int)
    ) {
        self.sort = sort
        self.insert = insert
        self.find = find
        self.remove = remove
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
            select: { elements, marks in
                var result: [Element] = []
                var index = 0
                for mark in marks {
                    if mark { result.append(elements[index]) }
                    index += 1
                }
                return result
            },
            gather: { span, rows in
                guard let first = rows.first else { return [] }
                return rows.map { span[$0 - first] }
            })
    }

    @usableFromInline
    init(
        match: @escaping ([Element], (Element) -> Bool, inout [Bool]) -> Void,
        select: @escaping ([Element], ArraySlice<Bool>) -> [Element],
        gather: @escaping ([Element], [Int]) -> [Element]
    ) {
        self.match = match
        self.select = select
        self.gather = gather
    }
}
