// The common interface of list, grid and flow. Items are identified by their position in an order that
// the caller keeps, and frames are read by ranges of it.
//
// A caller with keys already has the order, and receives its changes as indexes; a second index of the
// keys in here would have to be updated with every insertion. Measured sizes outlive a layout in a
// `SizeCache`, frames in a `FrameCache`; both are keyed.
//
// Indexes out of range are programming errors, and trap. Sizes, bounds and options come from outside,
// and invalid ones are refused with an error before anything changes.

/// A layout that places items one after the other, in the order of the caller: ``ListLayout``,
/// ``GridLayout`` or ``FlowLayout``.
///
/// Lengths are rounded down to 1/64 px. Sums of them are exact, so a frame does not depend on the
/// changes that led to it. A layout may be used by one thread at a time; it is not `Sendable`, but can
/// be transferred as a whole.
public protocol OrderedLayout: AnyObject {
    /// The number of items.
    var count: Int { get }

    /// The window, in px. Frames start in its upper left corner and may end below it.
    var bounds: Rect { get }

    /// Changes the window.
    ///
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    func setBounds(_ bounds: Rect) throws(LayoutError)

    /// Inserts items before `index`.
    ///
    /// - Parameters:
    ///   - sizes: The measured size of each item, in px, or `nil` for an estimate. Widths and heights are from
    ///     0 to 1e7 px.
    ///   - index: From 0 to ``count``.
    /// - Throws: ``LayoutError/Code/outOfRange``, which names the index in `sizes`, or
    ///   ``LayoutError/Code/tooMany`` above 1,000,000 items; nothing changes then.
    func insert(_ sizes: [Size?], at index: Int) throws(LayoutError)

    /// Removes the items at these indexes.
    func remove(_ range: Range<Int>)

    /// Moves an item with its measured size.
    ///
    /// - Parameters:
    ///   - index: Its current index.
    ///   - target: Its index after the move.
    func move(from index: Int, to target: Int)

    /// Sets the measured size of an item.
    ///
    /// - Parameters:
    ///   - size: The size, in px; a width and a height from 0 to 1e7.
    ///   - index: The item's index.
    /// - Returns: Whether the size is new to the layout, to 1/64 px. ``SizeCache/measure(_:)`` filters
    ///   out invisible differences.
    /// - Throws: ``LayoutError/Code/outOfRange``; nothing changes then.
    @discardableResult
    func measure(_ size: Size, at index: Int) throws(LayoutError) -> Bool

    /// The frame of an item, in px.
    func frame(at index: Int) -> Rect

    /// Calls `body` with the frames of the items at these indexes, in order.
    ///
    /// - Parameters:
    ///   - range: The indexes.
    ///   - body: Receives an index and a frame. It must not change the layout.
    func forEachFrame(in range: Range<Int>, _ body: (Int, Rect) -> Void)

    /// The items of all lines that share more than an edge with this range of heights.
    ///
    /// - Parameters:
    ///   - minY: The upper edge, in px.
    ///   - maxY: The lower edge, in px.
    /// - Returns: The smallest range that contains them; if there are none, an empty range at the index
    ///   of the next item.
    func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int>

    /// The size of the union of the bounds and of all frames, in px. The insets after the last frames
    /// are not part of it, except for the room left by the bounds.
    var contentSize: Size { get }

    /// The frames that have changed since the last call. Initially, all have.
    func takeChange() -> LayoutChange
}

extension OrderedLayout {
    /// The frames of the items at these indexes, in order.
    public func frames(in range: Range<Int>) -> [Rect] {
        var frames: [Rect] = []
        frames.reserveCapacity(range.count)
        forEachFrame(in: range) { frames.append($1) }
        return frames
    }

    /// The items of all lines that overlap the heights of a rectangle, in px.
    public func indexes(in rect: Rect) -> Range<Int> {
        indexes(fromY: rect.minY, toY: rect.maxY)
    }

    /// The anchor that holds the first visible item in place.
    ///
    /// - Parameter offset: The height at which the visible part begins, in px.
    /// - Returns: An anchor on the first item that extends below the offset; `nil` if there is none.
    public func anchor(at offset: Double) -> ScrollAnchor? {
        let line = indexes(fromY: offset, toY: .infinity)
        guard !line.isEmpty else { return nil }
        // The first line ends below the offset, and so does its tallest item.
        var index = line.lowerBound
        var frame = frame(at: index)
        while frame.maxY <= offset, index + 1 < line.upperBound {
            index += 1
            frame = self.frame(at: index)
        }
        return ScrollAnchor(index: index, distance: frame.minY - offset)
    }

    /// The height at which the visible part must begin to keep an anchor's item in place.
    ///
    /// - Parameter anchor: An anchor with the current index of its item.
    /// - Returns: The height, in px. It is not limited to the content: without enough items above or
    ///   below, it lies outside. Without items, the upper edge of the bounds.
    public func offset(for anchor: ScrollAnchor) -> Double {
        guard count > 0 else { return bounds.minY }
        return frame(at: min(anchor.index, count - 1)).minY - anchor.distance
    }
}

/// An item that keeps its position on the screen while others change: ``OrderedLayout/anchor(at:)``.
///
/// It is a value separate from the layout. Update it with each change of the order; sizes, bounds and
/// options do not affect it.
public struct ScrollAnchor: Hashable, Sendable {
    /// The index of the item.
    public var index: Int
    /// The distance of its frame below the start of the visible part, in px.
    public var distance: Double

    /// An anchor on this item, at this distance below the start of the visible part, in px.
    package init(index: Int, distance: Double) {
        self.index = index
        self.distance = distance
    }

    /// Records an insertion of `count` items before `index`.
    public mutating func inserted(_ count: Int, at index: Int) {
        if index <= self.index { self.index += count }
    }

    /// Records a removal. If it includes the anchor's item, the anchor moves to the next item that
    /// stays.
    public mutating func removed(_ range: Range<Int>) {
        if range.upperBound <= index {
            index -= range.count
        } else if range.lowerBound < index {
            index = range.lowerBound
        }
    }

    /// Records a move. The anchor follows its own item.
    public mutating func moved(from index: Int, to target: Int) {
        if index == self.index {
            self.index = target
        } else {
            removed(index..<index + 1)
            inserted(1, at: target)
        }
    }
}
