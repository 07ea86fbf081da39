// A window that follows an anchor, with where it has got to. All of it is computed from one node
// that follows the anchor, so that the parts agree, also on where the anchor was if it has gone.

/// Consecutive elements of an array that begin a number of elements ahead of an anchor.
///
/// It is made by `window(anchoredAt:before:count:)` of an array.
public struct AnchoredWindow<Element>: ObservableArrayType {
    /// The elements in the window.
    public let observableArray: ObservableArray<Element>

    /// How many elements of the array lie ahead of the window.
    public let observableStart: Observable<Int>

    /// The index of the anchor in the array, not in the window; `nil` while it is not there. The
    /// anchor is there when it is outside of the window, too.
    public let observableAnchorIndex: Observable<Int?>

    init(
        _ rows: ArrayNode<Element>, _ anchor: AnchorNode<Element>, before: ScalarNode<Int>,
        count: ScalarNode<Int>
    ) {
        let request = ComputedNode<Range<Int>>([anchor, before, count], areEqual: ==) {
            let before = before.read()
            require(before >= 0, "A window was asked to begin \(-before) behind its anchor.")
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
    /// The row of the anchor, or `nil` while it is not there.
    var index: Observable<Int?> {
        Observable(
            ComputedNode([self], areEqual: ==) {
                self.read().flatMap { $0.isPresent ? $0.row : nil }
            })
    }
}

extension ObservableArrayType where Element: Equatable {
    /// The `count` elements from `before` ahead of the anchor on, as far as they exist.
    ///
    /// The window goes where the anchor goes, whatever is inserted, removed, moved, sorted or
    /// filtered around it; of several elements that equal it, the anchor is the first. If fewer
    /// than `before` elements lie ahead of it, the window begins at the first of all. When the
    /// anchor leaves the array, the window stays where the anchor was, and goes to it when it comes
    /// back. Without an anchor, or with one that has not been in the array yet, it begins at the
    /// start. Only while something is connected can it be known where an anchor was that has gone;
    /// otherwise the window begins at the start then.
    ///
    /// A negative `before` or `count` is refused by a precondition when it is computed.
    ///
    /// - Complexity: that of a window that slides, and that of ``observableIndex(of:)``.
    public func window(
        anchoredAt anchor: some ObservableScalarType<Element?>,
        before: some ObservableScalarType<Int>, count: some ObservableScalarType<Int>
    ) -> AnchoredWindow<Element> {
        let rows = observableArray.node
        return AnchoredWindow(
            rows, AnchorNode(rows, anchor.observable.node, by: ==),
            before: before.observable.node, count: count.observable.node)
    }

    /// The `count` elements from `before` ahead of the anchor on, as far as they exist.
    ///
    /// - Complexity: that of a window that slides, and that of ``observableIndex(of:)``.
    public func window(
        anchoredAt anchor: some ObservableScalarType<Element?>, before: Int, count: Int
    ) -> AnchoredWindow<Element> {
        checkWindow(start: before, count: count)
        return window(anchoredAt: anchor, before: .constant(before), count: .constant(count))
    }
}
