// Two sequences with sums: the sizes of the items, and the lines, each with how many items it has, how wide
// and how high it is. The line of an item, or at a height, is found from the root down in O(log n).
//
// A change marks the line it falls into as stale and keeps the counts of items right; nothing else is done
// until a frame, or anything that follows from the lines, is asked for. Then each stale line is broken
// again, from the one in front of it (its first item may fit there now) until a line begins where a line
// began before that is not stale: from there on all is as it was, only lower or higher. Many changes at
// once are one pass over the lines that they touch.
//
// Invariants: the lines' items add up to all items. A line that is not stale is what the items from its
// beginning make, and if the next is not stale either, its first item does not fit. A line without items is
// stale.

/// Items beside each other in lines, as many as fit; the next one begins a new line.
///
/// A line is as high as its tallest item, and the others are centred in it. An item that is wider than the
/// bounds has a line of its own, and keeps its width. Gaps are not narrower than the spacing, between no
/// items and no edges.
///
/// Frames are to the bit what a layout from the beginning would give.
public final class FlowLayout: OrderedLayout {
    /// What the lines are like.
    public private(set) var options: FlowOptions
    var area: ContentArea
    let items: BlockTree<FlowItemCount>
    let lines: BlockTree<FlowLineSummary>
    var changes = ChangeTracker()
    /// Where new lines are collected: kept, so that breaking lines asks for no memory.
    var broken: ContiguousArray<FlowLine> = []
    /// How many lines have been broken since the layout was made.
    var linesBroken = 0

    /// A flow without items.
    ///
    /// - Parameters:
    ///   - bounds: The window, in px; may be empty.
    ///   - options: What the lines are like.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``.
    public convenience init(
        bounds: Rect, options: FlowOptions = FlowOptions()
    ) throws(LayoutError) {
        try self.init(bounds: bounds, options: options, itemBlocks: 256, lineBlocks: 64)
    }

    /// Tests have small blocks, to see many of them.
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

    /// How many items there are.
    public var count: Int { items.count }

    /// The window, in px.
    public var bounds: Rect { area.bounds }

    /// Gives the layout another window.
    ///
    /// - Complexity: O(n) when a frame is asked for next, if the width is another.
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

    /// Gives the lines other options. Sizes that were measured stay.
    ///
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``; nothing changes then.
    /// - Complexity: O(1) for another alignment or line spacing, O(n) when a frame is asked for next for
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

    /// Puts items, with the sizes that were measured for them or nil, in front of the one with this index, or
    /// last.
    ///
    /// - Complexity: O(m log n) for m items, and not more than O(m + n). The lines are broken when a frame is
    ///   asked for next.
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

    /// Takes out the items with these indexes.
    ///
    /// - Complexity: O(m log n) for m items, and not more than O(n). The lines are broken when a frame is
    ///   asked for next.
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

    /// Puts an item elsewhere: to the index that it has when this is done.
    ///
    /// - Complexity: O(log n). The lines are broken when a frame is asked for next.
    public func move(from index: Int, to target: Int) {
        precondition(index >= 0 && index < count && target >= 0 && target < count, "no such item")
        guard index != target else { return }
        let item = items[index]
        remove(index..<index + 1)
        insert([item], at: target)
    }

    /// Notes the size of an item as it was measured; says whether that is new.
    ///
    /// - Complexity: O(log n). The lines are broken when a frame is asked for next.
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

    /// Which frames have changed since this was last asked.
    public func takeChange() -> LayoutChange {
        breakLines()
        return changes.take(count: count, height: bottom(lines.total))
    }

    /// Where the line after these begins.
    func bottom(_ lines: FlowLineSummary) -> Int {
        lines.height + lines.count * Units.floor(options.lineSpacing)
    }
}
