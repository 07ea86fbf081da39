import Layouts

/// The expected results of the ordered layouts, computed afresh with a loop over all items. Sizes are
/// integer 64ths of a px, so these sums are exact.
struct PlainLayout {
    var frames: [Rect] = []
    /// The indexes of the items of each line.
    var lines: [Range<Int>] = []

    let bounds: Rect
    let insets: Insets

    init(bounds: Rect, insets: Insets) {
        self.bounds = bounds
        self.insets = insets
    }

    var room: Double { max(0, bounds.size.width - insets.left - insets.right) }

    var content: Size {
        var all = bounds
        for frame in frames { all = all.union(frame) }
        return all.size
    }

    /// The first and the last item of all lines that share more than an edge with these heights.
    func indexes(fromY minY: Double, toY maxY: Double) -> Range<Int>? {
        let hit = lines.filter { line in
            let top = frames[line].map(\.minY).min() ?? 0
            let bottom = frames[line].map(\.maxY).max() ?? 0
            return top < maxY && bottom > minY && minY < maxY
        }
        guard let first = hit.first, let last = hit.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    mutating func place(_ x: Double, _ y: Double, _ size: Size) {
        frames.append(
            Rect(
                x: bounds.minX + insets.left + x, y: bounds.minY + insets.top + y,
                width: size.width, height: size.height))
    }

    static func list(_ sizes: [Size?], bounds: Rect, options: ListOptions) -> PlainLayout {
        var plain = PlainLayout(bounds: bounds, insets: options.insets)
        var y = 0.0
        for (index, size) in sizes.enumerated() {
            let height = size?.height ?? options.rowHeight
            plain.place(0, y, Size(width: plain.room, height: height))
            plain.lines.append(index..<index + 1)
            y += height + options.spacing
        }
        return plain
    }

    static func grid(_ count: Int, bounds: Rect, options: GridOptions) -> PlainLayout {
        var plain = PlainLayout(bounds: bounds, insets: options.insets)
        let room = plain.room
        let spacing = options.columnSpacing
        var columns = 1
        var cell = Size.zero
        switch options.cell {
        case .fixed(let size):
            cell = size
            while Double(columns) * (cell.width + spacing) + cell.width <= room, columns < count {
                columns += 1
            }
        case .atLeast(let width):
            while Double(columns) * (width + spacing) + width <= room { columns += 1 }
            let side = (room - Double(columns - 1) * spacing) / Double(columns)
            cell = Size(width: floor64(side), height: floor64(side))
        }
        for index in 0..<count {
            let column = index % columns
            let row = index / columns
            plain.place(
                Double(column) * (cell.width + spacing),
                Double(row) * (cell.height + options.rowSpacing), cell)
            if column == 0 { plain.lines.append(index..<index) }
            let line = plain.lines.count - 1
            plain.lines[line] = plain.lines[line].lowerBound..<index + 1
        }
        return plain
    }

    static func flow(_ sizes: [Size?], bounds: Rect, options: FlowOptions) -> PlainLayout {
        var plain = PlainLayout(bounds: bounds, insets: options.insets)
        let sizes = sizes.map { $0 ?? options.estimated }
        var y = 0.0
        var first = 0
        while first < sizes.count {
            var end = first + 1
            var width = sizes[first].width
            while end < sizes.count,
                width + options.itemSpacing + sizes[end].width <= plain.room
            {
                width += options.itemSpacing + sizes[end].width
                end += 1
            }
            let line = first..<end
            y += plain.place(line, of: sizes, at: y, left: max(0, plain.room - width), options)
            y += options.lineSpacing
            plain.lines.append(line)
            first = end
        }
        return plain
    }

    /// Places the items of a line; returns its height.
    private mutating func place(
        _ line: Range<Int>, of sizes: [Size], at y: Double, left: Double, _ options: FlowOptions
    ) -> Double {
        let height = sizes[line].map(\.height).max() ?? 0
        var x = options.alignment == .center ? floor64(left / 2) : 0
        for index in line {
            var shift = 0.0
            if options.alignment == .justified, line.count > 1, line.upperBound < sizes.count {
                shift = floor64(
                    left * Double(index - line.lowerBound) / Double(line.count - 1))
            }
            let down = floor64((height - sizes[index].height) / 2)
            place(x + shift, y + down, sizes[index])
            x += sizes[index].width + options.itemSpacing
        }
        return height
    }
}

/// Rounds down to a 64th of a px.
func floor64(_ value: Double) -> Double { (value * 64).rounded(.down) / 64 }

/// The test's model of an ordered layout: the items by name, and their sizes.
struct OrderedModel {
    var sizes: [Size?] = []
    var names: [Int] = []
    private var next = 0
    /// The state when changes were last taken.
    private var takenNames: [Int] = []
    private var takenFrames: [Rect] = []

    mutating func insert(_ new: [Size?], at index: Int) {
        sizes.insert(contentsOf: new, at: index)
        names.insert(contentsOf: next..<next + new.count, at: index)
        next += new.count
    }

    mutating func remove(_ range: Range<Int>) {
        sizes.removeSubrange(range)
        names.removeSubrange(range)
    }

    mutating func move(from index: Int, to target: Int) {
        sizes.insert(sizes.remove(at: index), at: target)
        names.insert(names.remove(at: index), at: target)
    }

    mutating func measure(_ size: Size, at index: Int) { sizes[index] = size }

    /// Whether a change is consistent with the current frames and those of the last call.
    mutating func agrees(with change: LayoutChange, frames: [Rect]) -> Bool {
        defer { (takenNames, takenFrames) = (names, frames) }
        let start = change.placed.lowerBound
        guard change.placed.upperBound == change.shifted.lowerBound,
            change.shifted.upperBound == frames.count, start <= takenFrames.count,
            change.shifted.count <= takenFrames.count
        else { return false }
        for index in 0..<start
        where frames[index] != takenFrames[index] || names[index] != takenNames[index] {
            return false
        }
        for back in 0..<change.shifted.count {
            var before = takenFrames[takenFrames.count - 1 - back]
            before.origin.y += change.dy
            if frames[frames.count - 1 - back] != before { return false }
            if names[names.count - 1 - back] != takenNames[takenNames.count - 1 - back] {
                return false
            }
        }
        return true
    }
}

extension TestRandom {
    /// One of a few widths or heights, so that some lines fill exactly, and items tie.
    mutating func length() -> Double {
        [0, 10, 20, 20.015625, 30, 33.328125, 50, 100, 250].randomElement(using: &self) ?? 0
    }

    mutating func size() -> Size { Size(width: length(), height: length()) }

    mutating func sizes(_ most: Int) -> [Size?] {
        (0..<Int.random(in: 0...most, using: &self)).map { _ in
            Int.random(in: 0..<4, using: &self) == 0 ? nil : size()
        }
    }

    mutating func insets() -> Insets {
        Insets(top: length(), left: length(), bottom: length(), right: length())
    }

    mutating func bounds() -> Rect {
        Rect(
            x: [0, -50, 7.25].randomElement(using: &self) ?? 0,
            y: [0, 1000].randomElement(using: &self) ?? 0,
            width: [0, 100, 110, 133.328125, 320].randomElement(using: &self) ?? 0,
            height: [0, 200].randomElement(using: &self) ?? 0)
    }

    /// Applies the same change to a layout, its model and the anchor.
    mutating func edit(
        _ layout: some OrderedLayout, _ model: inout OrderedModel, _ anchor: inout ScrollAnchor
    ) throws {
        let count = model.sizes.count
        let kind = Int.random(in: 0..<9, using: &self)
        if count == 0 || kind < 2 {
            let new = sizes(Int.random(in: 0..<20, using: &self) == 0 ? 80 : 4)
            let index = Int.random(in: 0...count, using: &self)
            try layout.insert(new, at: index)
            model.insert(new, at: index)
            anchor.inserted(new.count, at: index)
        } else if kind < 4 {
            let start = Int.random(in: 0..<count, using: &self)
            let most = Int.random(in: 0..<20, using: &self) == 0 ? 60 : 4
            let range = start..<min(count, start + .random(in: 0...most, using: &self))
            layout.remove(range)
            model.remove(range)
            anchor.removed(range)
        } else if kind < 6 {
            let index = Int.random(in: 0..<count, using: &self)
            let target = Int.random(in: 0..<count, using: &self)
            layout.move(from: index, to: target)
            model.move(from: index, to: target)
            anchor.moved(from: index, to: target)
        } else {
            let index = Int.random(in: 0..<count, using: &self)
            let size = size()
            try layout.measure(size, at: index)
            model.measure(size, at: index)
        }
    }
}
