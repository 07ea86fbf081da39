import Layouts
import Testing

@Suite struct OrderedBadInputTests {
    private let bounds = Rect(x: 0, y: 0, width: 100, height: 100)

    private func refused(_ name: String, _ body: () throws(LayoutError) -> Void) {
        do {
            try body()
            Issue.record("\(name) was taken")
        } catch {
            #expect(error.code == .outOfRange && error.name == name, "\(error)")
            #expect("\(error)".contains(name))
        }
    }

    @Test(
        "NaN, negative and too large sizes and bounds are refused with their index",
        arguments: [Double.nan, .infinity, -.infinity, -1, -0.001, 1e308, 1.0e7.nextUp])
    func sizes(value: Double) throws {
        let layouts: [any OrderedLayout] = [
            try ListLayout(bounds: bounds), try GridLayout(bounds: bounds),
            try FlowLayout(bounds: bounds),
        ]
        let good = Size(width: 20, height: 20)
        for layout in layouts {
            try layout.insert([nil, good, nil], at: 0)
            let frames = layout.frames(in: 0..<3)
            _ = layout.takeChange()
            refused("sizes[1].width") { () throws(LayoutError) in
                try layout.insert([nil, Size(width: value, height: 1)], at: 1)
            }
            refused("sizes[2].height") { () throws(LayoutError) in
                try layout.insert([good, good, Size(width: 1, height: value)], at: 3)
            }
            refused("size.width") { () throws(LayoutError) in
                try layout.measure(Size(width: value, height: 1), at: 0)
            }
            refused("size.height") { () throws(LayoutError) in
                try layout.measure(Size(width: 1, height: value), at: 0)
            }
            if value != 1.0e7.nextUp {
                refused("bounds.width") { () throws(LayoutError) in
                    try layout.setBounds(Rect(x: 0, y: 0, width: value, height: 1))
                }
            }
            #expect(layout.frames(in: 0..<layout.count) == frames)
            #expect(layout.bounds == bounds)
            #expect(layout.takeChange().isEmpty)
        }
        var cache = SizeCache<String>()
        refused("sizes[1].height") { () throws(LayoutError) in
            _ = try cache.measure([("a", good), ("b", Size(width: 1, height: value))])
        }
        #expect(cache["a"] == nil)
    }

    @Test(
        "NaN, negative and too large options are refused by name",
        arguments: [Double.nan, .infinity, -1, 1e308])
    func options(value: Double) throws {
        let flow = try FlowLayout(bounds: bounds)
        let flowChanges: [(String, (inout FlowOptions) -> Void)] = [
            ("itemSpacing", { $0.itemSpacing = value }),
            ("lineSpacing", { $0.lineSpacing = value }),
            ("insets.top", { $0.insets.top = value }),
            ("insets.left", { $0.insets.left = value }),
            ("insets.bottom", { $0.insets.bottom = value }),
            ("insets.right", { $0.insets.right = value }),
            ("estimated.width", { $0.estimated.width = value }),
            ("estimated.height", { $0.estimated.height = value }),
        ]
        for (name, change) in flowChanges {
            var options = FlowOptions()
            change(&options)
            refused(name) { () throws(LayoutError) in try flow.setOptions(options) }
            refused(name) { () throws(LayoutError) in
                _ = try FlowLayout(bounds: bounds, options: options)
            }
        }
        #expect(flow.options == FlowOptions())
        let list = try ListLayout(bounds: bounds)
        let listChanges: [(String, (inout ListOptions) -> Void)] = [
            ("rowHeight", { $0.rowHeight = value }), ("spacing", { $0.spacing = value }),
            ("insets.top", { $0.insets.top = value }),
        ]
        for (name, change) in listChanges {
            var options = ListOptions()
            change(&options)
            refused(name) { () throws(LayoutError) in try list.setOptions(options) }
        }
        #expect(list.options == ListOptions())
        let grid = try GridLayout(bounds: bounds)
        let gridChanges: [(String, (inout GridOptions) -> Void)] = [
            ("cell.width", { $0.cell = .fixed(Size(width: value, height: 1)) }),
            ("cell.height", { $0.cell = .fixed(Size(width: 1, height: value)) }),
            ("minWidth", { $0.cell = .atLeast(width: value) }),
            ("minWidth", { $0.cell = .atLeast(width: 0) }),
            ("columnSpacing", { $0.columnSpacing = value }),
            ("rowSpacing", { $0.rowSpacing = value }),
            ("insets.left", { $0.insets.left = value }),
        ]
        for (name, change) in gridChanges {
            var options = GridOptions()
            change(&options)
            refused(name) { () throws(LayoutError) in try grid.setOptions(options) }
        }
        #expect(grid.options == GridOptions())
    }

    @Test("Empty bounds, empty items and insets that leave no room still have frames")
    func nothing() throws {
        let layouts: [any OrderedLayout] = [
            try ListLayout(bounds: .zero), try GridLayout(bounds: .zero),
            try FlowLayout(bounds: .zero),
        ]
        for layout in layouts {
            #expect(layout.contentSize == .zero)
            #expect(layout.indexes(in: bounds) == 0..<0)
            #expect(layout.anchor(at: 0) == nil)
            #expect(layout.offset(for: ScrollAnchor(index: 3, distance: 1)) == 0)
            try layout.insert([], at: 0)
            try layout.insert([.zero, .zero, nil], at: 0)
            for frame in layout.frames(in: 0..<3) {
                #expect(frame.minX.isFinite && frame.minY.isFinite)
            }
            #expect(layout.indexes(fromY: .nan, toY: 5).isEmpty)
            #expect(layout.indexes(fromY: 0, toY: .nan).isEmpty)
            #expect(layout.indexes(fromY: 1e308, toY: .infinity) == 3..<3)
            layout.remove(0..<3)
            #expect(layout.contentSize == .zero)
        }
    }

    @Test("The greatest values of everything are still exact")
    func greatest() throws {
        let most = 1e7
        var options = FlowOptions()
        options.lineSpacing = most
        options.itemSpacing = most
        options.insets = Insets(top: most, left: most, bottom: most, right: most)
        options.estimated = Size(width: most, height: most)
        let flow = try FlowLayout(
            bounds: Rect(x: 0, y: 0, width: 0, height: 0), options: options)
        try flow.insert([Size?](repeating: nil, count: 1_000_000), at: 0)
        #expect(flow.frame(at: 999_999).minY == most + 999_999 * 2 * most)
        #expect(flow.contentSize == Size(width: 2 * most, height: 2_000_000 * most))
        var listOptions = ListOptions()
        listOptions.rowHeight = most
        listOptions.spacing = most
        let list = try ListLayout(bounds: .zero, options: listOptions)
        try list.insert(count: 1_000_000, at: 0)
        #expect(list.frame(at: 999_999).minY == 999_999 * 2 * most)
        #expect(list.indexes(fromY: 1e13, toY: 1e13 + 1) == 500_000..<500_001)
    }

    @Test("More items than a layout holds are refused, and none is added")
    func tooMany() throws {
        let limit = 1_000_000
        let grid = try GridLayout(bounds: bounds)
        let list = try ListLayout(bounds: bounds)
        let flow = try FlowLayout(bounds: bounds)
        try grid.insert(count: 1, at: 0)
        try list.insert(count: 1, at: 0)
        try flow.insert([nil], at: 0)
        let error = LayoutError.tooMany(count: limit + 1, limit: limit)
        #expect(throws: error) { try grid.insert(count: limit, at: 0) }
        #expect(throws: error) { try list.insert(count: limit, at: 0) }
        #expect(throws: error) {
            try flow.insert([Size?](repeating: nil, count: limit), at: 0)
        }
        #expect(throws: LayoutError.tooMany(count: .max, limit: limit)) {
            try list.insert(count: .max, at: 0)
        }
        #expect(grid.count == 1 && list.count == 1 && flow.count == 1)
    }
}
