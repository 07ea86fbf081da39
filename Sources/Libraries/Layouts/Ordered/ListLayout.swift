// Rows below each other. Measured rows are stored as a sequence of runs, with all rows between two of
// them as one run: without measured rows there is one run, and a row's position is a product.
//
// Invariant: no two unmeasured runs are neighbours, and no run is empty.

/// A layout of items in rows as wide as the bounds, each with its measured height or the default one.
///
/// Without measured rows, every frame is a closed-form function of its index.
public final class ListLayout: OrderedLayout {
    /// The options of the rows.
    public private(set) var options: ListOptions
    private var area: ContentArea
    private let runs: BlockTree<RowRunSummary>
    private var changes = ChangeTracker()

    /// An empty list.
    ///
    /// - Parameters:
    ///   - bounds: The window, in px; may be empty.
    ///   - options: The options of the rows.
    /// - Throws: ``LayoutError/Code/outOfRange``.
    public convenience init(
        bounds: Rect, options: ListOptions = ListOptions()
    ) throws(LayoutError) {
        try self.init(bounds: bounds, options: options, blocks: 64)
    }

    /// Tests use small blocks, in order to have many of them.
    init(bounds: Rect, options: ListOptions, blocks: Int) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        try options.check()
        self.options = options
        area = ContentArea(bounds: bounds, insets: options.insets)
        runs = BlockTree(leafLimit: blocks, childLimit: min(blocks, 32))
    }

    /// The number of items.
    public var count: Int { runs.total.rows }

    /// The window, in px.
    public var bounds: Rect { area.bounds }

    /// Changes the window.
    public func setBounds(_ bounds: Rect) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        let before = area
        area.bounds = bounds
        if before.width != area.width || before.bounds.origin != bounds.origin {
            changes.touchAll()
        }
    }

    /// Changes the options.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    /// - Complexity: O(1).
    public func setOptions(_ options: ListOptions) throws(LayoutError) {
        try options.check()
        guard options != self.options else { return }
        self.options = options
        area.insets = options.insets
        changes.touchAll()
    }

    // MARK: - Items

    /// Inserts items, with their measured sizes or `nil`, before `index`, which may be the count.
    ///
    /// - Complexity: O(m + log n) for m items.
    public func insert(_ sizes: [Size?], at index: Int) throws(LayoutError) {
        precondition(index >= 0 && index <= count, "there is no place \(index)")
        try Units.check(sizes)
        try Limits.checkCount(count, adding: sizes.count)
        var new: ContiguousArray<RowRun> = []
        for size in sizes { append(RowRun(size), to: &new) }
        splice(index..<index, with: new)
    }

    /// Inserts `new` unmeasured items before `index`, which may be the count.
    ///
    /// - Throws: ``LayoutError/Code/tooMany``; nothing changes then.
    /// - Complexity: O(log n).
    public func insert(count new: Int, at index: Int) throws(LayoutError) {
        precondition(index >= 0 && index <= count && new >= 0, "there is no place \(index)")
        try Limits.checkCount(count, adding: new)
        if new > 0 { splice(index..<index, with: [.estimated(new)]) }
    }

    /// Removes the items at these indexes.
    ///
    /// - Complexity: O(m + log n) for m measured items.
    public func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no items \(range)")
        splice(range, with: [])
    }

    /// Moves an item; `target` is its index after the move.
    ///
    /// - Complexity: O(log n).
    public func move(from index: Int, to target: Int) {
        precondition(index >= 0 && index < count && target >= 0 && target < count, "no such item")
        guard index != target else { return }
        let row = RowRun(count: 1, height: run(at: index).run.height)
        splice(index..<index + 1, with: [])
        splice(target..<target, with: [row])
    }

    /// Sets the measured size of an item; returns whether it is new.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    public func measure(_ size: Size, at index: Int) throws(LayoutError) -> Bool {
        precondition(index >= 0 && index < count, "there is no item \(index)")
        try Units.check(size, "size")
        let new = RowRun(size)
        if run(at: index).run == new { return false }
        splice(index..<index + 1, with: [new])
        return true
    }

    /// Replaces rows by others.
    private func splice(_ range: Range<Int>, with new: ContiguousArray<RowRun>) {
        guard !range.isEmpty || !new.isEmpty else { return }
        var merged: ContiguousArray<RowRun> = []
        var first = runs.count
        if range.lowerBound > 0 {
            // The run of the row before the range: the new rows may join it.
            let (run, index, start) = run(at: range.lowerBound - 1)
            first = index
            append(RowRun(count: range.lowerBound - start, height: run.height), to: &merged)
        } else {
            first = 0
        }
        for run in new { append(run, to: &merged) }
        var end = runs.count
        if range.upperBound < count {
            let (run, index, start) = run(at: range.upperBound)
            end = index + 1
            let left = start + run.count - range.upperBound
            append(RowRun(count: left, height: run.height), to: &merged)
        }
        let added = new.reduce(0) { $0 + $1.count }
        runs.replaceSubrange(first..<end, with: merged)
        changes.touch(range.lowerBound..<range.lowerBound + added, of: count)
    }

    private func append(_ run: RowRun, to list: inout ContiguousArray<RowRun>) {
        if let last = list.last, !last.isMeasured, !run.isMeasured {
            list[list.count - 1].count += run.count
        } else {
            list.append(run)
        }
    }

    // MARK: - Frames

    /// The run that contains this row, its index, and the index of its first row.
    private func run(at row: Int) -> (run: RowRun, index: Int, start: Int) {
        guard let found = runs.first(where: { $0.rows > row }) else {
            preconditionFailure("there is no item \(row)")
        }
        return (found.element, found.index, found.before.rows)
    }

    private func height(of run: RowRun) -> Int { run.isMeasured ? run.height : rowHeight }
    private var rowHeight: Int { Units.floor(options.rowHeight) }
    private var spacing: Int { Units.floor(options.spacing) }

    /// The position of the row after these.
    private func end(_ rows: RowRunSummary) -> Int {
        rows.height + rows.estimated * rowHeight + rows.rows * spacing
    }

    /// The frame of an item, in px.
    ///
    /// - Complexity: O(1) without measured rows, O(log m) for m measured rows.
    public func frame(at index: Int) -> Rect {
        guard let found = runs.first(where: { $0.rows > index }), index >= 0 else {
            preconditionFailure("there is no item \(index)")
        }
        let height = height(of: found.element)
        let y = end(found.before) + (index - found.before.rows) * (height + spacing)
        return area.frame(x: 0, y: y, width: area.width, height: height)
    }

    /// Calls `body`, which must not change the layout, with the frames of the items at these indexes.
    ///
    /// - Complexity: O(k + log m) for k frames and m measured rows.
    public func forEachFrame(in range: Range<Int>, _ body: (Int, Rect) -> Void) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no items \(range)")
        guard !range.isEmpty, let found = runs.first(where: { $0.rows > range.lowerBound }) else {
            return
        }
        let width = area.width
        let spacing = spacing
        var cursor = BlockCursor(runs, at: found.index)
        var index = range.lowerBound
        var runEnd = found.before.rows + found.element.count
        var height = height(of: found.element)
        var y = end(found.before) + (index - found.before.rows) * (height + spacing)
        while index < range.upperBound {
            if index == runEnd {
                cursor.advance()
                guard let run = cursor.current else { return }
                runEnd += run.count
                height = self.height(of: run)
            }
            body(index, area.frame(x: 0, y: y, width: width, height: height))
            y += height + spacing
            index += 1
        }
    }

    /// The items of all lines that share more than an edge with this range of heights, in px.
    ///
    /// - Complexity: O(1) without measured rows, O(log m) for m measured rows.
    public func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int> {
        let top = area.units(y: minY)
        let bottom = area.units(y: maxY)
        var first = count
        if let found = runs.first(where: { Double(self.end($0) - self.spacing) > top }) {
            let (lines, y) = lines(of: found.element, after: found.before)
            first =
                found.before.rows + lines.overlapping(from: top - y, to: .infinity).lowerBound
        }
        guard top < bottom else { return first..<first }
        // Each run begins where the previous one ends: all runs before the first that ends there begin
        // above the bottom.
        var last = count
        if let found = runs.first(where: { Double(self.end($0)) >= bottom }) {
            let (lines, y) = lines(of: found.element, after: found.before)
            last = found.before.rows
            last += lines.overlapping(from: -.infinity, to: bottom - y).upperBound
        }
        return first..<max(first, last)
    }

    /// The rows of a run as lines, and their position.
    private func lines(
        of run: RowRun, after before: RowRunSummary
    ) -> (lines: EvenLines, y: Double) {
        let height = height(of: run)
        return (
            EvenLines(height: height, step: height + spacing, count: run.count),
            Double(end(before))
        )
    }

    /// The size of the union of the bounds and of all frames, in px.
    ///
    /// - Complexity: O(1).
    public var contentSize: Size {
        guard count > 0 else { return bounds.size }
        return area.content(width: area.width, height: end(runs.total) - spacing)
    }

    /// The frames that have changed since the last call.
    ///
    /// - Complexity: O(1).
    public func takeChange() -> LayoutChange {
        changes.take(count: count, height: end(runs.total))
    }

    #if DEBUG
    /// Traps unless the invariant at the head of the file holds.
    func checkInvariants() {
        runs.checkInvariants(==)
        var last: RowRun?
        runs.forEachLeaf { block in
            for run in block {
                precondition(run.count > 0, "an empty run")
                precondition(!run.isMeasured || run.count == 1, "many rows measured as one")
                precondition(
                    run.isMeasured || last?.isMeasured != false, "two runs of estimates")
                last = run
            }
        }
    }
    #endif
}

extension RowRun {
    /// A row of this size, rounded down to units, or an unmeasured one.
    fileprivate init(_ size: Size?) {
        if let size {
            self = .measured(Units.floor(size.height))
        } else {
            self = .estimated(1)
        }
    }
}
