// A window that follows an anchor, with its current position. One node tracks the anchor and determines
// all parts, so they agree, even on the position of an anchor that has gone.

/// Consecutive elements of an array, starting a number of elements before an anchor.
///
/// Created by `window(anchoredAt:before:count:)` of an array.
public struct AnchoredWindow<Element>: ObservableArrayType {
    /// The elements in the window.
    public let observableArray: ObservableArray<Element>

    /// The number of elements before the window.
    public let observableStart: Observable<Int>

    /// The index of the anchor in the array, not in the window; `nil` while the anchor is missing. The
    /// anchor may be outside of the window.
    public let observableAnchorIndex: Observable<Int?>

    init(
        _ rows: ArrayNode<Element>, _ anchor: AnchorNode<Element>, before: ScalarNode<Int>,
        count: ScalarNode<Int>
    ) {
        let request = ComputedNode<Range<Int>>([anchor, before, count], areEqual: ==) {
            let before = before.read()
            require(before >= 0, "A window starts \(-before) rows after its anchor.")
            let start = anchor.read().map { max(0, $0.row - before) } ?? 0
            return requestedRows(from: start, count: count.read())
        }
        observableArray = ObservableArray(WindowNode(rows, request, operations: WindowOperations()))
        observableStart = Observable(
            ComputedNode([rows, request], areEqual: ==) {
                min(rows.count, request.read().lowerBound)
            })
        observableAnchorIndex = anchor.index
    }
}

extension AnchorNode {
    /// The row of the anchor, or `nil` while it is missing.
    var index: Observable<Int?> {
        Observable(
            ComputedNode([self], areEqual: ==) {
                self.read().flatMap { $0.isPresent ? $0.row : nil }
            })
    }
}

extension ObservableArrayType where Element: Equatable {
    /// The existing ones of the `count` elements that start `before` elements before the anchor.
    ///
    /// The window follows the anchor, whatever is inserted, removed, moved, sorted or filtered around
    /// it; of several equal elements, the anchor is the first. If fewer than `before` elements precede
    /// it, the window starts at the first element. When the anchor leaves the array, the window stays at
    /// its last position until the anchor comes back. Without an anchor, or with one that has not been
    /// in the array yet, the window starts at the first element. The last position of a missing anchor
    /// is known only while something is connected; otherwise the window starts at the first element.
    ///
    /// A precondition refuses a negative `before` or `count` when it is computed.
    ///
    /// - Complexity: that of a sliding window, and that of ``observableIndex(of:)``.
    public func window(
        anchoredAt anchor: some ObservableScalarType<Element?>,
        before: some ObservableScalarType<Int>, count: some ObservableScalarType<Int>
    ) -> AnchoredWindow<Element> {
        let rows = observableArray.node
        return AnchoredWindow(
            rows, AnchorNode(rows, anchor.observable.node, by: ==),
            before: before.observable.node, count: count.observable.node)
    }

    /// The existing ones of the `count` elements that start `before` elements before the anchor.
    ///
    /// - Complexity: that of a sliding window, and that of ``observableIndex(of:)``.
    public func window(
        anchoredAt anchor: some ObservableScalarType<Element?>, before: Int, count: Int
    ) -> AnchoredWindow<Element> {
        checkWindow(start: before, count: count)
        return window(anchoredAt: anchor, before: .constant(before), count: .constant(count))
    }
}
