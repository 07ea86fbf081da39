extension FlowLayout {
    /// The frame of an item, in px.
    ///
    /// - Complexity: O(log n), and O(1) for each item before it in its line.
    public func frame(at index: Int) -> Rect {
        precondition(index >= 0 && index < count, "there is no item \(index)")
        var frame = Rect.zero
        forEachFrame(in: index..<index + 1) { frame = $1 }
        return frame
    }

    /// Calls `body`, which must not change the layout, with the frames of the items at these indexes.
    ///
    /// - Complexity: O(k + log n) for k frames, and O(1) for each item before the first in its line.
    public func forEachFrame(in range: Range<Int>, _ body: (Int, Rect) -> Void) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "no items \(range)")
        breakLines()
        guard !range.isEmpty, let found = lines.first(where: { $0.items > range.lowerBound })
        else { return }
        let lineSpacing = Units.floor(options.lineSpacing)
        let itemSpacing = Units.floor(options.itemSpacing)
        let estimate = FlowItem(options.estimated)
        var known = BlockCursor(lines, at: found.index)
        var cursor = BlockCursor(items, at: found.before.items)
        var index = found.before.items
        var y = bottom(found.before)
        while let line = known.current {
            let place = LinePlacement(
                line, room: area.width, alignment: options.alignment,
                isLast: index + Int(line.items) == count)
            var x = 0
            for position in 0..<Int(line.items) {
                guard index < range.upperBound, let item = cursor.current else { return }
                let size = item.isMeasured ? item : estimate
                if index >= range.lowerBound {
                    let down = (Int(line.height) - Int(size.height)) / 2
                    body(
                        index,
                        area.frame(
                            x: x + place.shift(of: position), y: y + down, width: Int(size.width),
                            height: Int(size.height)))
                }
                x += Int(size.width) + itemSpacing
                index += 1
                cursor.advance()
            }
            y += Int(line.height) + lineSpacing
            known.advance()
        }
    }

    /// The items of all lines that share more than an edge with this range of heights, in px.
    ///
    /// - Complexity: O(log n).
    public func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int> {
        breakLines()
        let top = area.units(y: minY)
        let edge = area.units(y: maxY)
        let spacing = Units.floor(options.lineSpacing)
        let first =
            lines.first { Double(self.bottom($0) - spacing) > top }?.before.items ?? count
        guard top < edge else { return first..<first }
        guard edge > 0 else { return 0..<0 }
        // The line after these is the first one that begins at or below the edge.
        var last = count
        if let found = lines.first(where: { Double(self.bottom($0)) >= edge }) {
            last = found.before.items + Int(found.element.items)
        }
        return first..<max(first, last)
    }
}

/// The offset of the items of a line from a leading alignment.
private struct LinePlacement {
    private let start: Int
    /// The room to distribute among the gaps.
    private let extra: Int
    private let gaps: Int

    init(_ line: FlowLine, room: Int, alignment: FlowOptions.Alignment, isLast: Bool) {
        // A line wider than the available width leaves no room.
        let left = max(0, room - line.width)
        let gaps = Int(line.items) - 1
        let justified = alignment == .justified && gaps > 0 && !isLast
        start = alignment == .center ? left / 2 : 0
        extra = justified ? left : 0
        self.gaps = max(1, gaps)
    }

    func shift(of position: Int) -> Int { start + extra * position / gaps }
}
