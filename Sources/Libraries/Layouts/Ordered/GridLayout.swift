// Rows of cells of one size. Items have no state: a frame follows from its index.

/// A layout of items in rows and columns of cells of the same size.
///
/// Every frame is a closed-form function of its index. Measured sizes are validated, and otherwise
/// ignored.
public final class GridLayout: OrderedLayout {
    /// The number of items.
    public private(set) var count = 0
    /// The options of the cells.
    public private(set) var options: GridOptions
    private var area: ContentArea
    private var changes = ChangeTracker()
    /// The number of cells in a full row.
    package private(set) var columns = 1
    private var cellWidth = 0
    private var cellHeight = 0

    /// An empty grid.
    ///
    /// - Parameters:
    ///   - bounds: The window, in px; may be empty.
    ///   - options: The options of the cells.
    /// - Throws: ``LayoutError/Code/outOfRange``.
    public init(bounds: Rect, options: GridOptions = GridOptions()) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        try options.check()
        self.options = options
        area = ContentArea(bounds: bounds, insets: options.insets)
        measureCells()
    }

    /// The window, in px.
    public var bounds: Rect { area.bounds }

    /// Changes the window.
    public func setBounds(_ bounds: Rect) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        let before = (area.bounds.origin, columns, cellWidth, cellHeight)
        area.bounds = bounds
        measureCells()
        if before != (bounds.origin, columns, cellWidth, cellHeight) { changes.touchAll() }
    }

    /// Changes the options.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    public func setOptions(_ options: GridOptions) throws(LayoutError) {
        try options.check()
        guard options != self.options else { return }
        self.options = options
        area.insets = options.insets
        measureCells()
        changes.touchAll()
    }

    private func measureCells() {
        let spacing = Units.floor(options.columnSpacing)
        let room = area.width + spacing
        switch options.cell {
        case .fixed(let size):
            cellWidth = Units.floor(size.width)
            cellHeight = Units.floor(size.height)
            let step = cellWidth + spacing
            // Cells and spacing without a width: a row has room for all cells.
            columns = step == 0 ? Limits.cells : min(max(1, room / step), Limits.cells)
        case .atLeast(let width):
            columns = min(max(1, room / (Units.floor(width) + spacing)), Limits.cells)
            cellWidth = max(0, room / columns - spacing)
            cellHeight = cellWidth
        }
    }

    // MARK: - Items

    /// Inserts items, with their measured sizes or `nil`, before `index`, which may be the count.
    public func insert(_ sizes: [Size?], at index: Int) throws(LayoutError) {
        precondition(index >= 0 && index <= count, "there is no place \(index)")
        try Units.check(sizes)
        try insert(count: sizes.count, at: index)
    }

    /// Inserts `new` items before `index`, which may be the count.
    ///
    /// - Throws: ``LayoutError/Code/tooMany``; nothing changes then.
    /// - Complexity: O(1).
    public func insert(count new: Int, at index: Int) throws(LayoutError) {
        precondition(index >= 0 && index <= count && new >= 0, "there is no place \(index)")
        try Limits.checkCount(count, adding: new)
        guard new > 0 else { return }
        count += new
        changes.touch(index..<count, of: count)
    }

    /// Removes the items at these indexes.
    public func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no items \(range)")
        guard !range.isEmpty else { return }
        count -= range.count
        changes.touch(range.lowerBound..<count, of: count)
    }

    /// Moves an item; `target` is its index after the move.
    public func move(from index: Int, to target: Int) {
        precondition(index >= 0 && index < count && target >= 0 && target < count, "no such item")
        guard index != target else { return }
        changes.touch(min(index, target)..<max(index, target) + 1, of: count)
    }

    /// Sets the measured size of an item; returns whether it is new.
    @discardableResult
    public func measure(_ size: Size, at index: Int) throws(LayoutError) -> Bool {
        precondition(index >= 0 && index < count, "there is no item \(index)")
        try Units.check(size, "size")
        return false
    }

    // MARK: - Frames

    /// The frame of an item, in px.
    ///
    /// - Complexity: O(1).
    public func frame(at index: Int) -> Rect {
        precondition(index >= 0 && index < count, "there is no item \(index)")
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        return area.frame(
            x: column * (cellWidth + Units.floor(options.columnSpacing)), y: row * rowStep,
            width: cellWidth, height: cellHeight)
    }

    /// Calls `body`, which must not change the layout, with the frames of the items at these indexes.
    ///
    /// - Complexity: O(k) for k frames.
    public func forEachFrame(in range: Range<Int>, _ body: (Int, Rect) -> Void) {
        for index in range { body(index, frame(at: index)) }
    }

    /// The items of all lines that share more than an edge with this range of heights, in px.
    ///
    /// - Complexity: O(1).
    public func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int> {
        let rows = EvenLines(height: cellHeight, step: rowStep, count: rowCount)
            .overlapping(from: area.units(y: minY), to: area.units(y: maxY))
        let first = min(rows.lowerBound * columns, count)
        return first..<max(first, min(rows.upperBound * columns, count))
    }

    /// The size of the union of the bounds and of all frames, in px.
    ///
    /// - Complexity: O(1).
    public var contentSize: Size {
        guard count > 0 else { return bounds.size }
        let full = min(columns, count)
        return area.content(
            width: full * cellWidth + (full - 1) * Units.floor(options.columnSpacing),
            height: (rowCount - 1) * rowStep + cellHeight)
    }

    /// The frames that have changed since the last call.
    public func takeChange() -> LayoutChange { changes.take(count: count, height: 0) }

    private var rowStep: Int { cellHeight + Units.floor(options.rowSpacing) }
    private var rowCount: Int { (count + columns - 1) / columns }
}
