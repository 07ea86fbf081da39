// Single elements of an array as observables. Each change of the array recomputes them, which costs no
// more than reading one row.

extension ObservableArrayType {
    /// The first element now, or `nil` if there is none.
    public var first: Element? { isEmpty ? nil : self[0] }

    /// The last element now, or `nil` if there is none.
    public var last: Element? { isEmpty ? nil : self[count - 1] }

    /// The first element, or `nil` if there is none.
    ///
    /// - Complexity: O(log *n*) for any change of the array.
    public var observableFirst: Observable<Element?> { observable(at: 0) }

    /// The last element, or `nil` if there is none.
    ///
    /// - Complexity: O(log *n*) for any change of the array.
    public var observableLast: Observable<Element?> {
        let node = observableArray.node
        return Observable(ComputedNode([node]) { node.rowIfAny(at: node.count - 1) })
    }

    /// Whether there are no elements, as an observable.
    ///
    /// - Complexity: that of counting, for any change of the array.
    public var observableIsEmpty: Observable<Bool> {
        let node = observableArray.node
        return Observable(ComputedNode([node]) { node.count == 0 })
    }

    /// The element at `index`, or `nil` while there is none.
    ///
    /// - Complexity: O(log *n*) for any change of the array.
    public func observable(at index: Int) -> Observable<Element?> {
        let node = observableArray.node
        return Observable(ComputedNode([node]) { node.rowIfAny(at: index) })
    }

    /// The element at the current index, or `nil` while there is none.
    ///
    /// - Complexity: O(log *n*) for any change of the array or the index.
    public func observable(at index: some ObservableScalarType<Int>) -> Observable<Element?> {
        let node = observableArray.node
        let index = index.observable.node
        return Observable(ComputedNode([node, index]) { node.rowIfAny(at: index.read()) })
    }
}

// Binary searches. In a sorted array, all names that begin with "M" are adjacent, and greater names
// follow.

extension ObservableArrayType {
    /// The index of the first element for which `predicate` holds, or the count if there is none.
    /// `predicate` must hold for all elements after one for which it holds.
    ///
    /// - Complexity: O(log *n*) calls of `predicate` and reads of an element.
    public func lowerBound(where predicate: (Element) -> Bool) -> Int {
        let node = observableArray.node
        return node.reading { node.lowerBound(where: predicate) }
    }

    /// The index of the first element for which the current predicate holds, or the count if there is
    /// none. The predicate must hold for all elements after one for which it holds.
    ///
    /// A window that begins there shows what begins with a letter: `window(start: rows.observableLowerBound(
    /// where: letter.map { letter in { $0.name >= letter } }), count: .constant(50))`.
    ///
    /// - Complexity: O(log *n*) calls of the predicate and reads of an element, for any change of the
    ///   array or the predicate.
    public func observableLowerBound(
        where predicate: Observable<(Element) -> Bool>
    ) -> Observable<Int> {
        let node = observableArray.node
        let predicate = predicate.node
        return Observable(
            ComputedNode([node, predicate]) { node.lowerBound(where: predicate.read()) })
    }
}

extension ObservableArrayType where Element: Equatable {
    /// The index of the first element that equals `element`, or `nil` if there is none.
    ///
    /// In a connected sorted array, this is a binary search; a filter searches its input. Equal elements
    /// must tie in the order, and the predicate must treat them alike: after a filtered-out equal
    /// element, the search ends.
    ///
    /// - Complexity: O(log *n*) for connected arrays that are sorted, O(*n*) for others.
    public func firstIndex(of element: Element) -> Int? {
        let node = observableArray.node
        node.prepareToRead()
        return node.firstIndex(of: element, by: ==)
    }

    /// Whether an element equals `element` now.
    ///
    /// - Complexity: that of ``firstIndex(of:)``.
    public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }

    /// The index of the first element that equals the current anchor; `nil` while there is none.
    ///
    /// - Complexity: one comparison for each element that arrives. The array is searched, as by
    ///   ``firstIndex(of:)``, only when the anchor is replaced or its row is removed.
    public func observableIndex(
        of anchor: some ObservableScalarType<Element?>
    ) -> Observable<Int?> {
        AnchorNode(observableArray.node, anchor.observable.node, by: ==).index
    }
}

extension ArrayNode {
    fileprivate func lowerBound(where predicate: (Element) -> Bool) -> Int {
        var lower = 0
        var upper = count
        while lower < upper {
            let middle = (lower + upper) / 2
            if predicate(row(at: middle)) { upper = middle } else { lower = middle + 1 }
        }
        return lower
    }

    fileprivate func rowIfAny(at index: Int) -> Element? {
        index >= 0 && index < count ? row(at: index) : nil
    }
}
