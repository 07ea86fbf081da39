// Consecutive rows of an array: the existing ones in a requested range.
//
// While active, the node keeps the rows of the window, so that it can emit the ones that leave. When the
// input or the range changes, runs of unchanged input rows are intersected with the old and the new
// window: rows in both stay and are not read; only rows between those runs leave and arrive. A window
// that slides by one row, or whose rows the input shifts by one, emits two rows, whatever its size.
//
// Invariant, between recomputations: `storage` holds the rows `bounds` of the input.

/// The rows of an array in a range that may change.
final class WindowNode<Element>: ArrayNode<Element> {
    private var input: InputEdge<ArrayNode<Element>>
    private var request: InputEdge<ScalarNode<Range<Int>>>
    private var storage = ChunkedRows<Element>()
    private var bounds = 0..<0
    private let areEqual = equality(of: Element.self)
    private let operations: WindowOperations<Element>

    /// The rows of `request`, which may lie beyond the end of the input but not before row 0.
    init(
        _ input: ArrayNode<Element>, _ request: ScalarNode<Range<Int>>,
        operations: WindowOperations<Element>
    ) {
        self.operations = operations
        self.input = InputEdge(input)
        self.request = InputEdge(request)
        super.init(above: [input, request])
    }

    // MARK: - Reading

    /// The requested rows that exist.
    private var existing: Range<Int> {
        request.node.read().clamped(to: 0..<input.node.count)
    }

    override var count: Int { isActive ? storage.count : existing.count }

    override func rows(in range: Range<Int>) -> [Element] {
        if isActive { return storage.elements(in: range) }
        let start = existing.lowerBound
        return input.node.rows(in: (start + range.lowerBound)..<(start + range.upperBound))
    }

    override func row(at index: Int) -> Element {
        isActive ? storage[index] : input.node.row(at: existing.lowerBound + index)
    }

    override func firstIndex(
        of element: Element, by areEqual: (Element, Element) -> Bool
    ) -> Int? {
        let bounds = existing
        guard let row = input.node.firstIndex(of: element, by: areEqual), row < bounds.upperBound
        else { return nil }
        if row >= bounds.lowerBound { return row - bounds.lowerBound }
        // The first one lies before the window, but another may lie in it.
        return super.firstIndex(of: element, by: areEqual)
    }

    // MARK: - Changing

    override func activate() {
        input.attach(self)
        request.attach(self)
        bounds = existing
        storage = ChunkedRows(input.node.rows(in: bounds))
    }

    override func deactivate() {
        storage = ChunkedRows()
        input.detach(self)
        request.detach(self)
    }

    override func recompute() {
        let change = input.takeEmission()
        // Only the current request matters.
        _ = request.takeChange()
        let target = existing
        guard change != nil || target != bounds else { return }
        let result: ArrayChange<Element>
        if let preview = change?.preview, preview.keepsElements || areEqual != nil {
            result = reset(to: target, staying: preview.keepsElements ? .atTheirPlaces : .anywhere)
        } else {
            result = slide(to: target, along: change?.change.modifications ?? [])
        }
        if TestSettings.areOn {
            require(storage.count == bounds.count, "a window has lost or gained rows")
        }
        if !result.isEmpty { emit(result) }
    }

    /// The rows that count as kept.
    private enum Staying {
        /// Rows that a new order leaves at their positions.
        case atTheirPlaces
        /// All rows that the window shows before and after.
        case anywhere
    }

    /// Moves the window to `target` without the change of the input, which may be expensive to compute.
    private func reset(to target: Range<Int>, staying: Staying) -> ArrayChange<Element> {
        let old = storage.all
        let new = input.node.rows(in: target)
        storage = ChunkedRows(new)
        bounds = target
        var alignment = RowAlignment(oldCount: old.count, newCount: new.count)
        if staying == .anywhere, let areEqual, old.count + new.count <= 1024 {
            alignment.pair(along: new.difference(from: old, by: areEqual))
        } else {
            alignment.align { areEqual?(old[$0], new[$1]) ?? false }
        }
        return alignment.change(from: old, to: new)
    }

    /// Moves the window to `target`, given the change of the input, and returns the change of the
    /// window.
    private func slide(
        to target: Range<Int>, along modifications: [ArrayModification<Element>]
    ) -> ArrayChange<Element> {
        var result = ArrayChange<Element>(initialCount: storage.count)
        // The positions up to which the old and the new window are processed, as rows of the input
        // before and after the change.
        var old = bounds.lowerBound
        var new = target.lowerBound

        /// Processes the unchanged input rows `lower..<upper`, which were `shift` rows lower before.
        func keep(from lower: Int, to upper: Int, shift: Int) {
            let first = max(lower, target.lowerBound, bounds.lowerBound + shift)
            let last = min(upper, target.upperBound, bounds.upperBound + shift)
            guard first < last else { return }
            replace(old..<(first - shift), with: new..<first, in: target, recording: &result)
            old = last - shift
            new = last
        }
        var shift = 0
        var start = 0
        for modification in modifications {
            keep(from: start, to: modification.startIndex, shift: shift)
            start = modification.outputRange.upperBound
            shift += modification.deltaCount
        }
        keep(from: start, to: .max, shift: shift)
        replace(
            old..<bounds.upperBound, with: new..<target.upperBound, in: target, recording: &result)
        bounds = target
        return result
    }

    /// Replaces the next rows of the window, `old` as rows of the input before its change, by the
    /// input's current rows `new`.
    private func replace(
        _ old: Range<Int>, with new: Range<Int>, in target: Range<Int>,
        recording change: inout ArrayChange<Element>
    ) {
        if old.isEmpty, new.isEmpty { return }
        // All rows before are final, so this is their position in the window now, too.
        let place = new.lowerBound - target.lowerBound
        let range = place..<(place + old.count)
        operations.replace(&storage, range, input.node.rows(in: new), &change)
    }
}
