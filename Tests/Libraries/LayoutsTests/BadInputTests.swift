import Layouts
import Testing

@Suite struct BadInputTests {
    private let bounds = Rect(x: 0, y: 0, width: 100, height: 100)

    @Test(
        "NaN, negative and too large numbers are refused by name",
        arguments: [
            Double.nan, .infinity, -.infinity, -1, 1e308,
        ])
    func numbers(value: Double) throws {
        let changes: [(String, (inout ForceOptions) -> Void)] = [
            ("stiffness", { $0.stiffness = value }),
            ("charge", { $0.charge = .fixed(value) }),
            ("cell.width", { $0.cell.width = value }),
            ("cell.height", { $0.cell.height = value }),
            ("threshold", { $0.stop = .movement(value) }),
            ("residual", { $0.stop = .residual(value) }),
        ]
        let layout = try ForceLayout<String>(bounds: bounds)
        for (name, change) in changes {
            var options = ForceOptions()
            change(&options)
            refused(name) { () throws(LayoutError) in
                _ = try ForceLayout<String>(bounds: bounds, options: options)
            }
            refused(name) { () throws(LayoutError) in try layout.setOptions(options) }
        }
        #expect(layout.options == ForceOptions())
        for (name, rect) in [
            ("bounds.width", Rect(x: 0, y: 0, width: value, height: 1)),
            ("bounds.height", Rect(x: 0, y: 0, width: 1, height: value)),
        ] {
            refused(name) { () throws(LayoutError) in try layout.setBounds(rect) }
            refused(name) { () throws(LayoutError) in
                _ = try ForceLayout<String>(bounds: rect)
            }
        }
        #expect(layout.bounds == bounds)
        guard value != -1 else { return }
        try layout.insert(["a"])
        refused("force.dx") { () throws(LayoutError) in
            try layout.push("a", by: Force(value, 0))
        }
        refused("center.y") { () throws(LayoutError) in
            try layout.insert("b", at: Point(x: 0, y: value))
        }
        #expect(layout.items == ["a"])
    }

    private func refused(_ name: String, _ body: () throws(LayoutError) -> Void) {
        do {
            try body()
            Issue.record("\(name) was taken")
        } catch {
            #expect(error.code == .outOfRange && error.name == name, "\(error)")
            #expect("\(error)".contains("\(name) is "))
            #expect("\(error)".contains("; it must be "))
        }
    }

    @Test(
        "Zero stiffness, threads and ticks are refused; empty bounds and cells are not")
    func zeros() throws {
        var options = ForceOptions()
        options.stiffness = 0
        refused("stiffness") { () throws(LayoutError) in
            _ = try ForceLayout<String>(bounds: bounds, options: options)
        }
        options = ForceOptions()
        options.tickLimit = 0
        refused("tickLimit") { () throws(LayoutError) in
            _ = try ForceLayout<String>(bounds: bounds, options: options)
        }
        refused("threads") { () throws(LayoutError) in
            _ = try ForceLayout<String>(bounds: bounds, threads: 0)
        }
        options = ForceOptions()
        options.cell = .zero
        options.charge = .fillingBounds
        options.avoidOverlaps = true
        let layout = try ForceLayout<String>(bounds: .zero, options: options)
        try layout.insert(["a", "b", "c"])
        #expect(layout.run().finish == .rest)
        #expect(layout.contentSize.width.isFinite)
    }

    @Test("A duplicate item, existing or in one insertion, adds nothing")
    func duplicates() throws {
        let layout = try ForceLayout<String>(bounds: bounds)
        try layout.insert(["a"])
        #expect(throws: LayoutError.duplicate(item: "a")) { try layout.insert(["b", "a"]) }
        #expect(throws: LayoutError.duplicate(item: "c")) { try layout.insert(["c", "c"]) }
        #expect(layout.items == ["a"])
        #expect(!layout.contains("b"))
    }

    @Test("An item without a cell can't be removed, pushed or moved")
    func unknown() throws {
        let layout = try ForceLayout<String>(bounds: bounds)
        #expect(throws: LayoutError.unknown(item: "x")) { try layout.remove("x") }
        #expect(throws: LayoutError.unknown(item: "x")) { try layout.push("x", by: .zero) }
        #expect(throws: LayoutError.unknown(item: "x")) { try layout.moveToStart("x") }
        #expect(layout.center(of: "x") == nil)
    }

    @Test("More cells than a layout holds are refused")
    func tooMany() throws {
        let limit = 1_000_000
        let layout = try ForceLayout<Int>(bounds: bounds, hash: { UInt64($0) })
        #expect(throws: LayoutError.tooMany(count: limit + 1, limit: limit)) {
            try layout.insert(0...limit)
        }
        #expect(layout.count == 0)
    }

    @Test("Items with the same hash have separate cells")
    func sameHash() throws {
        let layout = try ForceLayout<Int>(bounds: bounds, hash: { _ in 7 })
        var options = layout.options
        options.start = .random
        try layout.setOptions(options)
        try layout.insert(0..<20)
        #expect(layout.run().finish == .rest)
        let points = (0..<20).compactMap { layout.center(of: $0) }
        for (index, point) in points.enumerated() {
            for other in points[(index + 1)...] { #expect(point.distance(to: other) > 5) }
        }
    }
}
