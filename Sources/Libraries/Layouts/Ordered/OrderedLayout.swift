// What list, grid and flow have in common: items are told apart by their place in an order that the caller
// keeps, and frames are asked for by ranges of it.
//
// A caller with keys has the order already, and is told of changes to it as indexes; a second index of the
// keys in here would have to be moved along with every insertion. Measured sizes outlive a layout in a
// `SizeCache`, frames in a `FrameCache`; both go by key.
//
// Indexes out of range are mistakes of the caller, and trap. Sizes, bounds and options come from outside,
// and are refused with an error before anything changes.

/// A layout that puts items one after the other, in the order of the caller: ``ListLayout``, ``GridLayout``
/// or ``FlowLayout``.
///
/// Lengths are rounded down to 1/64 px: sums of them are exact, so a frame does not depend on the changes
/// that led to it. A layout is used by one thread at a time; it is not `Sendable`, and can be sent as a
/// whole.
public protocol OrderedLayout: AnyObject {
    /// How many items there are.
    var count: Int { get }

    /// The window, in px. Frames begin in its upper left corner and may end below it.
    var bounds: Rect { get }

    /// Gives the layout another window.
    ///
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``; nothing changes then.
    func setBounds(_ bounds: Rect) throws(LayoutError)

    /// Puts items in front of the one with this index, or last.
    ///
    /// - Parameters:
    ///   - sizes: The size of each as it was measured, in px, or nil: an estimate then stands for it. A
    ///     width and a height of 0 to 1e7 px.
    ///   - index: From 0 to ``count``.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``, which names the place in `sizes`, or
    ///   ``LayoutError/tooMany(count:limit:)`` above 1,000,000 items; nothing changes then.
    func insert(_ sizes: [Size?], at index: Int) throws(LayoutError)

    /// Takes out the items with these indexes.
    func remove(_ range: Range<Int>)

    /// Puts an item elsewhere, with the size that was measured for it.
    ///
    /// - Parameters:
    ///   - index: Where it is.
    ///   - target: The index that it has when this is done.
    func move(from index: Int, to target: Int)

    /// Notes the size of an item as it was measured.
    ///
    /// - Parameters:
    ///   - size: In px; a width and a height of 0 to 1e7.
    ///   - index: The item's.
    /// - Returns: Whether that is new to the layout, to 1/64 px. Differences that no one would see are kept
    ///   from it by ``SizeCache/measure(_:)``.
    /// - Throws: ``LayoutError/outOfRange(name:value:allowed:)``; nothing changes then.
    @discardableResult
    func measure(_ size: Size, at index: Int) throws(LayoutError) -> Bool

    /// The frame of an item, in px.
    func frame(at index: Int) -> Rect

    /// Calls `body` with the frames of the items with these indexes, in order.
    ///
    /// - Parameters:
    ///   - range: The indexes.
    ///   - body: Is given an index and a frame; must not change the layout.
    func forEachFrame(in range: Range<Int>, _ body: (Int, Rect) -> Void)

    /// The items of all lines that have more than an edge in common with these heights.
    ///
    /// - Parameters:
    ///   - minY: The upper edge, in px.
    ///   - maxY: The lower edge, in px.
    /// - Returns: The smallest range that holds them; an empty one where the next item would be if there
    ///   are none.
    func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int>

    /// The size of the union of the bounds and of all frames, in px. Insets behind the last frames are no
    /// part of it, but for the room that the bounds have left.
    var contentSize: Size { get }

    /// Which frames have changed since this was last asked. At first, all have.
    func takeChange() -> LayoutChange
}

extension OrderedLayout {
    /// The frames of the items with these indexes, in order.
    public func frames(in range: Range<Int>) -> [Rect] {
        var frames: [Rect] = []
        frames.reserveCapacity(range.count)
        forEachFrame(in: range) { frames.append($1) }
        return frames
    }

    /// The items of all lines that are at the height of a rectangle, in px.
    public func indexes(in rect: Rect) -> Range<Int> {
        indexes(fromY: rect.minY, toY: rect.maxY)
    }

    /// What holds the first visible item in place.
    ///
    /// - Parameter offset: The height at which the visible part begins, in px.
    /// - Returns: The first item of which some part is below the offset; nil if there is none.
    public func anchor(at offset: Double) -> ScrollAnchor? {
        let line = indexes(fromY: offset, toY: .infinity)
        guard !line.isEmpty else { return nil }
        // The first line ends below the offset, and so does the tallest of its items.
        var index = line.lowerBound
        var frame = frame(at: index)
        while frame.maxY <= offset, index + 1 < line.upperBound {
            index += 1
            frame = self.frame(at: index)
        }
        return ScrollAnchor(index: index, distance: frame.minY - offset)
    }

    /// The height at which the visible part must begin for an anchor's item to be where it was.
    ///
    /// - Parameter anchor: With the index that its item has now.
    /// - Returns: In px, not limited to the content: without enough items above or below, it is outside.
    ///   The upper edge of the bounds if there are no items.
    public func offset(for anchor: ScrollAnchor) -> Double {
        guard count > 0 else { return bounds.minY }
        return frame(at: min(anchor.index, count - 1)).minY - anchor.distance
    }
}

/// An item that is to stay where it is on the screen while others change: ``OrderedLayout/anchor(at:)``.
///
/// It is a value beside the layout. Tell it of the changes of the order as they are made; sizes, bounds and
/// options need no mention.
public struct ScrollAnchor: Hashable, Sendable {
    /// The index of the item.
    public var index: Int
    /// How far its frame begins below the beginning of the visible part, in px.
    public var distance: Double

    /// An anchor on this item, so far below the beginning of the visible part, in px.
    public init(index: Int, distance: Double) {
        self.index = index
        self.distance = distance
    }

    /// So many items have been put in front of the one with this index.
    public mutating func inserted(_ count: Int, at index: Int) {
        if index <= self.index { self.index += count }
    }

    /// These items have been taken out. If the anchor's item is one of them, the next that stays takes its
    /// place.
    public mutating func removed(_ range: Range<Int>) {
        if range.upperBound <= index {
            index -= range.count
        } else if range.lowerBound < index {
            index = range.lowerBound
        }
    }

    /// An item has been put elsewhere. The anchor goes with it if it is its own.
    public mutating func moved(from index: Int, to target: Int) {
        if index == self.index {
            self.index = target
        } else {
            removed(index..<index + 1)
            inserted(1, at: target)
        }
    }
}
