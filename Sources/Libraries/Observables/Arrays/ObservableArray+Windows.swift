// All windows are one node that is asked for a range of rows; they differ in how that range is
// computed: given, counted from the end, or (see AnchoredWindow.swift) from the row of an anchor.

extension ObservableArrayType {
    /// The elements at those indices of `range` that exist.
    ///
    /// A range that begins beyond the end gives no elements. One that begins below zero is a
    /// programming error and refused by a precondition.
    ///
    /// - Complexity: O(*k* + log *n*) for a change of *k* elements, and what it takes to read the
    ///   elements that arrive. Those that only shift cost nothing.
    @inlinable
    public func window(_ range: Range<Int>) -> ObservableArray<Element> {
        observableArray.window(range, with: WindowOperations())
    }

    /// The elements at those indices of the current range that exist.
    ///
    /// Ranges that overlap make only the elements that differ come and go; an equal one does
    /// nothing. A range that begins below zero is refused by a precondition when it is computed.
    ///
    /// - Complexity: as for `window(_:)` of a range, plus the elements by which ranges differ.
    @inlinable
    public func window(_ range: some ObservableScalarType<Range<Int>>) -> ObservableArray<Element> {
        observableArray.window(range.observable, with: WindowOperations())
    }

    /// The elements at `count` indices from `start` on, as far as they exist.
    ///
    /// Both may change, also together with the array in one transaction, which gives one change. A
    /// negative start or count is refused by a precondition when it is computed; a count of zero
    /// gives no elements.
    ///
    /// - Complexity: as for `window(_:)` of an observable range.
    @inlinable
    public func window(
        start: some ObservableScalarType<Int>, count: some ObservableScalarType<Int>
    ) -> ObservableArray<Element> {
        observableArray.window(
            start: start.observable, count: count.observable, with: WindowOperations())
    }

    /// The last `count` elements but for the `fromEnd` elements behind them, as far as they exist.
    ///
    /// `window(fromEnd: 0, count: 10)` is the last ten. In an array of fewer than both together,
    /// there are as many as lie ahead of the last `fromEnd`. A negative number is refused by a
    /// precondition.
    ///
    /// - Complexity: as for `window(_:)` of a range.
    @inlinable
    public func window(fromEnd: Int, count: Int) -> ObservableArray<Element> {
        checkWindow(start: fromEnd, count: count)
        return window(fromEnd: Observable.constant(fromEnd), count: Observable.constant(count))
    }

    /// The elements that lie `fromEnd` ahead of the end, `count` of them, as far as they exist.
    ///
    /// As with two numbers. A negative number is refused by a precondition when
    /// it is computed.
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

    /// The rows that `request`, which reads nothing that changes but `inputs`, asks for.
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

/// Traps if there can be no window of `count` rows from `start` on.
@usableFromInline
func checkWindow(start: Int, count: Int) {
    require(
        start >= 0, "A window was asked to begin at row \(start); there are none below zero.")
    require(count >= 0, "A window was asked to have \(count) rows.")
}

/// `count` rows from `start` on, which need not exist.
func requestedRows(from start: Int, count: Int) -> Range<Int> {
    checkWindow(start: start, count: count)
    let (end, isBeyondAll) = start.addingReportingOverflow(count)
    return start..<(isBeyondAll ? .max : end)
}
