import Testing

@testable import Layouts

@Suite struct FlowLayoutTests {
    private func options(_ random: inout TestRandom) -> FlowOptions {
        var options = FlowOptions()
        options.itemSpacing = [0, 5.25, 10].randomElement(using: &random) ?? 0
        options.lineSpacing = [0, 5.25, 10].randomElement(using: &random) ?? 0
        if Bool.random(using: &random) { options.insets = random.insets() }
        options.alignment =
            [.leading, .center, .justified].randomElement(using: &random) ?? .leading
        options.estimated = random.size()
        return options
    }

    @Test(
        "After each change of any script, frames are those of a fresh layout",
        arguments: 0..<30 as Range<UInt64>)
    func scripts(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let layout = try FlowLayout(
            bounds: random.bounds(), options: options(&random), itemBlocks: 4, lineBlocks: 4)
        var model = OrderedModel()
        let start = random.sizes(120)
        try layout.insert(start, at: 0)
        model.insert(start, at: 0)
        var anchor = ScrollAnchor(index: 0, distance: 0)
        for step in 0..<60 {
            let place = "seed \(seed), step \(step)"
            // Occasionally several changes at once, so that stale lines are adjacent.
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                try random.edit(layout, &model, &anchor)
                layout.checkInvariants()
            }
            switch Int.random(in: 0..<12, using: &random) {
            case 0: try layout.setBounds(random.bounds())
            case 1: try layout.setOptions(options(&random))
            default: break
            }
            let plain = PlainLayout.flow(
                model.sizes, bounds: layout.bounds, options: layout.options)
            let frames = layout.frames(in: 0..<layout.count)
            try #require(frames == plain.frames, "\(place)")
            #expect(layout.contentSize == plain.content, "\(place)")
            layout.checkInvariants()
            let isTrue = model.agrees(with: layout.takeChange(), frames: frames)
            #expect(isTrue, "what changed is not what was said, \(place)")
            checkRanges(layout, plain, &random, place)
        }
    }

    private func checkRanges(
        _ layout: FlowLayout, _ plain: PlainLayout, _ random: inout TestRandom, _ place: String
    ) {
        let start = Int.random(in: 0...layout.count, using: &random)
        let end = Int.random(in: start...layout.count, using: &random)
        #expect(
            layout.frames(in: start..<end) == Array(plain.frames[start..<end]),
            "\(start)..<\(end), \(place)")
        let edges = plain.frames.flatMap { [$0.minY, $0.maxY] } + [-.infinity, .infinity]
        for _ in 0..<4 {
            let minY = (edges.randomElement(using: &random) ?? 0) + random.nudge()
            let maxY = (edges.randomElement(using: &random) ?? 0) + random.nudge()
            let found = layout.indexes(fromY: minY, toY: maxY)
            let expected = plain.indexes(fromY: minY, toY: maxY)
            #expect(
                found.isEmpty ? expected == nil : found == expected,
                "from \(minY) to \(maxY): \(found), \(place)")
        }
    }

    @Test(
        "Order is kept, nothing overlaps, and no line has room for the next item",
        arguments: [FlowOptions.Alignment.leading, .center, .justified])
    func lines(alignment: FlowOptions.Alignment) throws {
        var random = TestRandom(seed: 11)
        var options = FlowOptions()
        options.alignment = alignment
        options.itemSpacing = 5
        let layout = try FlowLayout(
            bounds: Rect(x: 0, y: 0, width: 200, height: 0), options: options)
        let sizes = (0..<500).map { _ in
            Size(
                width: .random(in: 1...90, using: &random),
                height: .random(in: 1...90, using: &random))
        }
        try layout.insert(sizes, at: 0)
        let frames = layout.frames(in: 0..<500)
        var lineEnd = 0.0
        var lineWidth = -5.0
        for (index, frame) in frames.enumerated() {
            #expect(frame.maxX <= 200)
            #expect(!frames[..<index].contains { $0.overlaps(frame) })
            if index > 0, frame.minX > frames[index - 1].minX {
                #expect(frame.minX - frames[index - 1].maxX >= 5)
                lineEnd = max(lineEnd, frame.maxY)
            } else {
                #expect(index == 0 || frame.minY >= lineEnd + 10)
                #expect(index == 0 || lineWidth + 5 + frame.size.width > 200)
                lineEnd = frame.maxY
                lineWidth = -5
            }
            lineWidth += 5 + frame.size.width
        }
    }

    @Test("Items fit exactly, even with thirds of a px")
    func exactFit() throws {
        var options = FlowOptions()
        options.itemSpacing = 0
        let layout = try FlowLayout(
            bounds: Rect(x: 0, y: 0, width: 200, height: 0), options: options)
        try layout.insert(
            [Size?](repeating: Size(width: 200.0 / 3, height: 20), count: 6), at: 0)
        #expect(layout.contentSize.height == 50)
        #expect(layout.frame(at: 2).minY == 0)
        #expect(layout.frame(at: 3).minX == 0)
    }

    @Test("An item wider than the bounds has a line of its own, and its width")
    func tooWide() throws {
        for alignment in [FlowOptions.Alignment.leading, .center, .justified] {
            var options = FlowOptions()
            options.alignment = alignment
            let layout = try FlowLayout(
                bounds: Rect(x: 0, y: 0, width: 100, height: 30), options: options)
            let small = Size(width: 10, height: 10)
            try layout.insert([small, Size(width: 300, height: 10), small], at: 0)
            #expect(layout.frame(at: 1) == Rect(x: 0, y: 20, width: 300, height: 10))
            #expect(layout.frame(at: 2).minY == 40)
            #expect(layout.contentSize == Size(width: 300, height: 50))
        }
    }

    @Test("Measured sizes replace estimates, and a new estimate does not affect them")
    func estimates() throws {
        let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 1000, height: 0))
        try layout.insert([nil, nil, nil], at: 0)
        #expect(layout.frame(at: 1).size == Size(width: 50, height: 50))
        #expect(try layout.measure(Size(width: 50.25, height: 50), at: 1))
        var options = layout.options
        options.estimated = Size(width: 80, height: 20)
        try layout.setOptions(options)
        #expect(layout.frame(at: 0).size == Size(width: 80, height: 20))
        #expect(layout.frame(at: 1).size == Size(width: 50.25, height: 50))
        layout.move(from: 1, to: 2)
        #expect(layout.frame(at: 2).size == Size(width: 50.25, height: 50))
    }

    @Test("The same size again, to a 64th of a px, changes nothing")
    func sameSize() throws {
        let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 1000, height: 0))
        try layout.insert([Size(width: 50, height: 50)], at: 0)
        _ = layout.takeChange()
        #expect(try !layout.measure(Size(width: 50.015, height: 50), at: 0))
        #expect(layout.takeChange().isEmpty)
        #expect(layout.frame(at: 0).size == Size(width: 50, height: 50))
        #expect(try layout.measure(Size(width: 50.016, height: 50), at: 0))
        #expect(!layout.takeChange().isEmpty)
        #expect(layout.frame(at: 0).size == Size(width: 50.015625, height: 50))
    }

    @Test("Bounds of the same width break no line; frames move only with the corner")
    func boundsThatChangeNothing() throws {
        let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 300, height: 100))
        try layout.insert([nil, nil], at: 0)
        _ = layout.takeChange()
        try layout.setBounds(Rect(x: 0, y: 0, width: 300, height: 500))
        #expect(layout.takeChange().isEmpty)
        #expect(layout.contentSize == Size(width: 300, height: 500))
        try layout.setBounds(Rect(x: 5, y: 0, width: 300, height: 500))
        #expect(layout.takeChange().placed == 0..<2)
        #expect(layout.frame(at: 0).minX == 5)
    }
}

extension TestRandom {
    /// Zero, or a small length.
    mutating func nudge() -> Double { [0, 0, 0.01, -0.01].randomElement(using: &self) ?? 0 }
}
