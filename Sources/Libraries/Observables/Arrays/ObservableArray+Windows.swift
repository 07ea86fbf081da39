// All windows are one node with a requested range of rows. They differ in how the range is computed:
// fixed, from the end, or from the row of an anchor (see AnchoredWindow.swift).

extension ObservableArrayType {
    /// The elements at the existing indices of `range`.
    ///
    /// A range that starts beyond the end gives no elements. A precondition refuses a range that starts
    /// below zero.
    ///
    /// - Complexity: O(*k* + log *n*) for a change of *k* elements, plus reading the elements that
    ///   arrive. Shifted elements cost nothing.
    @inlinable
    public func window(_ range: Range<Int>) -> ObservableArray<Element> {
        observableArray.window(range, with: WindowOperations())
    }

    /// The elements at the existing indices of the current range.
    ///
    /// When overlapping ranges follow each other, only the elements that differ leave and arrive; an
    /// equal range changes nothing. A precondition refuses a range that starts below zero when it is
    /// computed.
    ///
    /// - Complexity: as for `window(_:)` of a range, plus the elements by which the ranges differ.
    @inlinable
    public func window(_ range: some ObservableScalarType<Range<Int>>) -> ObservableArray<Element> {
        observableArray.window(range.observable, with: WindowOperations())
    }

    /// The existing ones of `count` elements, starting at `start`.
    ///
    /// Both may change, and a transaction that also changes the array gives one change. A precondition
    /// refuses a negative start or count when it is computed; a count of zero gives no elements.
    ///
    /// - Complexity: as for `window(_:)` of an observable range.
    @inlinable
    public func window(
        start: some ObservableScalarType<Int>, count: some ObservableScalarType<Int>
    ) -> ObservableArray<Element> {
        observableArray.window(
            start: start.observable, count: count.observable, with: WindowOperations())
    }

    /// The last `count` elements before the final `fromEnd` elements, as far as they exist.
    ///
    /// `window(fromEnd: 0, count: 10)` is the last ten. A shorter array gives all elements before the
    /// final `fromEnd`. A precondition refuses a negative number.
    ///
    /// - Complexity: as for `window(_:)` of a range.
    @inlinable
    public func window(fromEnd: Int, count: Int) -> ObservableArray<Element> {
        checkWindow(start: fromEnd, count: count)
        return window(fromEnd: Observable.constant(fromEnd), count: Observable.constant(count))
    }

    /// The last `count` elements before the final `fromEnd` elements, as far as they exist.
    ///
    /// Works like the variant with two numbers. A precondition refuses a negative number when it is
    /// computed.
    ///
    /// - Complexity: as for `window(_:)` of an observable range.
    @inlinable
    public func window(
        fromEnd: some ObservableScalarType<Int>, count: some ObservableScalarType<Int>
    ) -> ObservableArray<Element> {
        observableArray.window(
            fromEnd: fromEnd.observable, count: count.observable, with: WindowOperations())
    }
}

extension ObservableArray {
    @usableFromInline
    func window(
        _ range: Range<Int>, with operations: WindowOperations<Element>
    ) -> ObservableArray {
        let request = requestedRows(from: range.lowerBound, count: range.count)
        return window([], with: operations) { request }
    }

    @usableFromInline
    func window(
        _ range: Observable<Range<Int>>, with operations: WindowOperations<Element>
    ) -> ObservableArray {
        let request = range.node
        return window([request], with: operations) {
            let range = request.read()
            return requestedRows(from: range.lowerBound, count: range.count)
        }
    }

    @usableFromInline
    func window(
        start: Observable<Int>, count: Observable<Int>,
        with operations: WindowOperations<Element>
    ) -> ObservableArray {
        let first = start.node
        let size = count.node
        return window([first, size], with: operations) {
            requestedRows(from: first.read(), count: size.read())
        }
    }

    @usableFromInline
    func window(
        fromEnd: Observable<Int>, count: Observable<Int>,
        with operations: WindowOperations<Element>
    ) -> ObservableArray {
        let rows = node
        let behind = fromEnd.node
        let size = count.node
        return window([rows, behind, size], with: operations) {
            let asked = requestedRows(from: behind.read(), count: size.read())
            let total = rows.count
            return max(0, total - asked.upperBound)..<max(0, total - asked.lowerBound)
        }
    }

    /// The rows of `request`, which reads no changing state except `inputs`.
    private func window(
        _ inputs: [Node], with operations: WindowOperations<Element>,
        _ request: @escaping () -> Range<Int>
    ) -> ObservableArray {
        ObservableArray(
            WindowNode(
                node, ComputedNode(inputs, areEqual: ==, compute: request),
                operations: operations))
    }
}

/// Traps unless `start` and `count` are valid for a window.
@usableFromInline
func checkWindow(start: Int, count: Int) {
    require(
        start >= 0, "A window starts at row \(start); its start must not be negative.")
    require(count >= 0, "A window has a count of \(count) rows; it must not be negative.")
}

/// `count` rows from `start`, which need not exist.
func requestedRows(from start: Int, count: Int) -> Range<Int> {
    checkWindow(start: start, count: count)
    let (end, isBeyondAll) = start.addingReportingOverflow(count)
    return start..<(isBeyondAll ? .max : end)
}
