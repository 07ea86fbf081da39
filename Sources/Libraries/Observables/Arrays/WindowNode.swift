// Some consecutive rows of an array: those that exist in a range that is asked for.
//
// While active, it keeps the rows in the window, so that it can tell what leaves. When the input or
// the range has changed, the runs of input rows that were not touched are laid over the window as it
// was and as it is to be: rows in both stay and are not read; only what lies between those runs
// leaves and arrives. A window that slides by one row tells two rows, and one that the input shifts
// under it likewise, however large it is.
//
// Invariant, between recomputations: `storage` holds the rows `bounds` of the input.

/// The rows of an array in a range that may change.
final class WindowNode<Element>: ArrayNode<Element> {
    private var input: Edge<ArrayNode<Element>>
    private var request: Edge<ScalarNode<Range<Int>>>
    private var storage = ChunkedRows<Element>()
    private var bounds = 0..<0
    private let areEqual = equality(of: Element.self)
    private let operations: WindowOperations<Element>

    /// The rows `request` asks for, which may lie beyond the end of the input but not before row 0.
    init(
        _ input: ArrayNode<Element>, _ request: ScalarNode<Range<Int>>,
        operations: WindowOperations<Element>
    ) {
        self.operations = operations
        self.input = Edge(input)
        self.request = Edge(request)
        super.init(above: [input, request])
    }

    // MARK: - Reading

    /// The rows asked for that exist.
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
        // The first one lies ahead of the window, but there may be another in it.
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
        // What the request was does not matter, only what it is.
        _ = request.take()
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

    /// Which rows are looked for among those that were in the window.
    private enum Staying {
        /// Those that a change of the order happens to leave where they were.
        case atTheirPlaces
        /// All that the window shows before and after.
        case anywhere
    }

    /// Makes the window `target` without asking how the input has changed, as that may take long to
    /// work out.
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

    /// Makes the window `target`, given how the input has changed, and says what that changes.
    private func slide(
        to target: Range<Int>, along modifications: [ArrayModification<Element>]
    ) -> ArrayChange<Element> {
        var result = ArrayChange<Element>(initialCount: storage.count)
        // Up to where the old and the new window have been dealt with, as rows of the input before
        // and after the change.
        var old = bounds.lowerBound
        var new = target.lowerBound

        /// Deals with the untouched input rows `lower..<upper`, which lay `shift` rows before.
        func keep(from lower: Int, to upper: Int, shift: Int) {
            let first = max(lower, target.lowerBound, bounds.lowerBound + shift)
            let last = min(upper, target.upperBound, bounds.upperBound + shift)
            guard first < last else { return }
            replace(old..<(first - shift), with: new..<first, in: target, telling: &result)
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
            old..<bounds.upperBound, with: new..<target.upperBound, in: target, telling: &result)
        bounds = target
        return result
    }

    /// Replaces the next rows of the window, `old` as rows of the input before its change, by what
    /// is now in the rows `new`.
    private func replace(
        _ old: Range<Int>, with new: Range<Int>, in target: Range<Int>,
        telling change: inout ArrayChange<Element>
    ) {
        if old.isEmpty, new.isEmpty { return }
        // All before is as it will be, so this is the place in the window at this time too.
        let place = new.lowerBound - target.lowerBound
        let range = place..<(place + old.count)
        operations.replace(&storage, range, input.node.rows(in: new), &change)
    }
}
