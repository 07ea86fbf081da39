// Single elements of an array as observables. Each is computed anew at every change of the array,
// which takes no more than reading one row does.

extension ObservableArrayType {
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
    public func observable(at index: Observable<Int>) -> Observable<Element?> {
        let node = observableArray.node
        let index = index.node
        return Observable(ComputedNode([node, index]) { node.rowIfAny(at: index.read()) })
    }
}

extension ObservableArrayType where Element: Equatable {
    /// The index of the first element that equals `element`, or `nil` if there is none.
    ///
    /// In a sorted array that something is connected to, this is a binary search, and a filter asks
    /// what it filters. It is relied on that elements that are equal tie in the order and are treated
    /// alike by the predicate: one that is filtered out is not looked for again further on.
    ///
    /// - Complexity: O(log *n*) for connected arrays that are sorted, O(*n*) for others.
    public func firstIndex(of element: Element) -> Int? {
        let node = observableArray.node
        node.prepareToRead()
        return node.firstIndex(of: element, by: ==)
    }

    /// The index of the first element that equals the current anchor; `nil` while there is none.
    ///
    /// - Complexity: one comparison for each element that arrives. The array is searched, as by
    ///   ``firstIndex(of:)``, only when the anchor is replaced by another or its row is taken away.
    public func observableIndex(of anchor: Observable<Element?>) -> Observable<Int?> {
        AnchorNode(observableArray.node, anchor.node, by: ==).index
    }
}

extension ArrayNode {
    fileprivate func rowIfAny(at index: Int) -> Element? {
        index >= 0 && index < count ? row(at: index) : nil
    }
}
