// The layout has two sequences with sums: the sizes of the items, and the lines, each with its item
// count, width and height. The line of an item, or at a height, is found from the root down in O(log n).
//
// A change marks its line as stale and updates the item counts; nothing else happens until a frame, or
// anything that follows from the lines, is read. Then each stale line is broken again, starting at the
// line before it (its first item may fit there now) and ending where a line begins at the same item as
// an old line that is not stale: from there on nothing changes except the height offset. Several changes
// are handled by one pass over the lines that they touch.
//
// Invariants: the lines' items add up to all items. A line that is not stale is what the items from its
// start make, and if the next is not stale either, that line's first item does not fit. A line without
// items is stale.

/// A layout of items side by side in lines, as many as fit; the next item begins a new line.
///
/// A line is as high as its tallest item, and the others are centred in it. An item wider than the
/// bounds has a line of its own, and keeps its width. Gaps between items are at least as wide as the
/// spacing; there is no spacing at the edges.
///
/// Frames are to the bit those of a fresh layout.
public final class FlowLayout: OrderedLayout {
    /// The options of the lines.
    public private(set) var options: FlowOptions
    var area: ContentArea
    let items: BlockTree<FlowItemCount>
    let lines: BlockTree<FlowLineSummary>
    var changes = ChangeTracker()
    /// The buffer for new lines, reused so that breaking lines allocates no memory.
    var broken: ContiguousArray<FlowLine> = []
    /// The number of lines broken since the layout was created.
    var linesBroken = 0

    /// An empty flow.
    ///
    /// - Parameters:
    ///   - bounds: The window, in px; may be empty.
    ///   - options: The options of the lines.
    /// - Throws: ``LayoutError/Code/outOfRange``.
    public convenience init(
        bounds: Rect, options: FlowOptions = FlowOptions()
    ) throws(LayoutError) {
        try self.init(bounds: bounds, options: options, itemBlocks: 256, lineBlocks: 64)
    }

    /// Tests use small blocks, in order to have many of them.
    init(
        bounds: Rect, options: FlowOptions, itemBlocks: Int, lineBlocks: Int
    ) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        try options.check()
        self.options = options
        area = ContentArea(bounds: bounds, insets: options.insets)
        items = BlockTree(leafLimit: itemBlocks, childLimit: min(itemBlocks, 32))
        lines = BlockTree(leafLimit: lineBlocks, childLimit: min(lineBlocks, 32))
    }

    /// The number of items.
    public var count: Int { items.count }

    /// The window, in px.
    public var bounds: Rect { area.bounds }

    /// Changes the window.
    ///
    /// - Complexity: O(n) at the next read of a frame, if the width changes.
    public func setBounds(_ bounds: Rect) throws(LayoutError) {
        try Limits.check(bounds, "bounds")
        let before = area
        area.bounds = bounds
        if before.width != area.width {
            breakAll()
        } else if before.bounds.origin != bounds.origin {
            changes.touchAll()
        }
    }

    /// Changes the options. Measured sizes stay.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    /// - Complexity: O(1) for the alignment or the line spacing, O(n) at the next read of a frame for
    ///   the rest.
    public func setOptions(_ options: FlowOptions) throws(LayoutError) {
        try options.check()
        guard options != self.options else { return }
        let before = (self.options, area.width)
        self.options = options
        area.insets = options.insets
        changes.touchAll()
        if before.0.itemSpacing != options.itemSpacing || before.0.estimated != options.estimated
            || before.1 != area.width
        {
            breakAll()
        }
    }

    private func breakAll() {
        changes.touchAll()
        lines.replaceSubrange(0..<lines.count, with: count == 0 ? [] : [.stale(count)])
    }

    // MARK: - Items

    /// Inserts items, with their measured sizes or `nil`, before `index`, which may be the count.
    ///
    /// - Complexity: O(m log n) for m items, and at most O(m + n). The lines are broken at the next read
    ///   of a frame.
    public func insert(_ sizes: [Size?], at index: Int) throws(LayoutError) {
        precondition(index >= 0 && index <= count, "there is no place \(index)")
        try Limits.checkCount(count, adding: sizes.count)
        guard !sizes.isEmpty else { return }
        var new = ContiguousArray(repeating: FlowItem.estimated, count: sizes.count)
        for place in sizes.indices {
            guard let size = sizes[place] else { continue }
            try Units.check(size, "sizes[\(place)]")
            new[place] = FlowItem(size)
        }
        insert(new, at: index)
    }

    private func insert(_ new: ContiguousArray<FlowItem>, at index: Int) {
        if let line = lines.first(where: { $0.items > index }) {
            markStale(line.index, with: Int(line.element.items) + new.count)
        } else if lines.count > 0 {
            let last = lines.count - 1
            markStale(last, with: Int(lines[last].items) + new.count)
        } else {
            lines.insert(.stale(new.count), at: 0)
        }
        items.replaceSubrange(index..<index, with: new)
    }

    /// Removes the items at these indexes.
    ///
    /// - Complexity: O(m log n) for m items, and at most O(n). The lines are broken at the next read of
    ///   a frame.
    public func remove(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no items \(range)")
        guard !range.isEmpty, let first = lines.first(where: { $0.items > range.lowerBound }),
            let last = lines.first(where: { $0.items >= range.upperBound })
        else { return }
        let end = last.before.items + Int(last.element.items)
        let left = end - first.before.items - range.count
        if first.index == last.index {
            markStale(first.index, with: left)
        } else {
            lines.replaceSubrange(first.index..<last.index + 1, with: [.stale(left)])
        }
        items.replaceSubrange(range, with: [])
    }

    /// Moves an item; `target` is its index after the move.
    ///
    /// - Complexity: O(log n). The lines are broken at the next read of a frame.
    public func move(from index: Int, to target: Int) {
        precondition(index >= 0 && index < count && target >= 0 && target < count, "no such item")
        guard index != target else { return }
        let item = items[index]
        remove(index..<index + 1)
        insert([item], at: target)
    }

    /// Sets the measured size of an item; returns whether it is new.
    ///
    /// - Complexity: O(log n). The lines are broken at the next read of a frame.
    @discardableResult
    public func measure(_ size: Size, at index: Int) throws(LayoutError) -> Bool {
        precondition(index >= 0 && index < count, "there is no item \(index)")
        try Units.check(size, "size")
        let new = FlowItem(size)
        if items[index] == new { return false }
        items.set(new, at: index)
        guard let line = lines.first(where: { $0.items > index }) else { return true }
        markStale(line.index, with: Int(line.element.items))
        return true
    }

    private func markStale(_ line: Int, with items: Int) { lines.set(.stale(items), at: line) }

    /// The size of the union of the bounds and of all frames, in px.
    ///
    /// - Complexity: O(1).
    public var contentSize: Size {
        breakLines()
        guard lines.count > 0 else { return bounds.size }
        return area.content(
            width: lines.total.width, height: bottom(lines.total) - Units.floor(options.lineSpacing)
        )
    }

    /// The frames that have changed since the last call.
    public func takeChange() -> LayoutChange {
        breakLines()
        return changes.take(count: count, height: bottom(lines.total))
    }

    /// The position of the line after these.
    func bottom(_ lines: FlowLineSummary) -> Int {
        lines.height + lines.count * Units.floor(options.lineSpacing)
    }
}
