extension ForceLayout {
    /// The centre of an item's cell, in px; `nil` if it has none.
    public func center(of item: ID) -> Point? {
        numbers[item].map(engine.center)
    }

    /// The frame of an item's cell, in px; `nil` if it has none.
    public func frame(of item: ID) -> Rect? {
        center(of: item).map { Rect(center: $0, size: options.cell) }
    }

    /// Calls `body` with each item and its frame.
    ///
    /// - Parameter body: Must not change the layout.
    public func forEachFrame(_ body: (ID, Rect) -> Void) {
        let size = options.cell
        for number in 0..<items.count {
            body(items[number], Rect(center: engine.center(number), size: size))
        }
    }

    /// Calls `body` with the frames of the cells that have moved since they were last passed to it, and
    /// records them as passed. After a change of the cell size, all frames are passed.
    ///
    /// Once the layout has finished, every cell that has moved at all is passed, so the passed frames
    /// are exact then.
    ///
    /// - Parameters:
    ///   - distance: How far a cell must have moved, in px, while the layout has not finished.
    ///   - body: Receives an item and its frame. It must not change the layout.
    /// - Complexity: O(n).
    public func takeFrames(movedBy distance: Double = 0.5, _ body: (ID, Rect) -> Void) {
        let least = engine.last.finish == nil ? distance : 0
        let size = options.cell
        for number in 0..<items.count {
            let center = engine.center(number)
            let before = taken[number]
            // A frame never taken has NaN coordinates, and no distance is within `least` of NaN.
            if before == center || before.distance(to: center) <= least { continue }
            taken[number] = center
            body(items[number], Rect(center: center, size: size))
        }
    }

    /// Marks all frames as not taken: the next ``takeFrames(movedBy:_:)`` passes all frames, for another
    /// reader.
    package func forgetTakenFrames() {
        for number in taken.indices { taken[number] = Point(x: .nan, y: .nan) }
    }

    /// The smallest rectangle that holds the bounds and all frames, in px.
    public var contentRect: Rect {
        var all = bounds
        let size = options.cell
        for number in items.indices {
            all = all.union(Rect(center: engine.center(number), size: size))
        }
        return all
    }

    /// The size of ``contentRect``.
    public var contentSize: Size { contentRect.size }
}
