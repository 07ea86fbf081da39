import Testing

@testable import Layouts

@Suite struct ListLayoutTests {
    private func options(_ random: inout TestRandom) -> ListOptions {
        var options = ListOptions()
        options.rowHeight = random.length()
        options.spacing = [0, 5.25, 10].randomElement(using: &random) ?? 0
        if Bool.random(using: &random) { options.insets = random.insets() }
        return options
    }

    @Test(
        "After each change of any script, rows equal those of a plain loop",
        arguments: 0..<30 as Range<UInt64>)
    func scripts(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let layout = try ListLayout(
            bounds: random.bounds(), options: options(&random), blocks: 4)
        var model = OrderedModel()
        var anchor = ScrollAnchor(index: 0, distance: 0)
        for step in 0..<80 {
            let place = "seed \(seed), step \(step)"
            if Int.random(in: 0..<6, using: &random) == 0 {
                let index = Int.random(in: 0...layout.count, using: &random)
                try layout.insert(count: 5, at: index)
                model.insert([Size?](repeating: nil, count: 5), at: index)
            }
            try random.edit(layout, &model, &anchor)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: try layout.setBounds(random.bounds())
            case 1: try layout.setOptions(options(&random))
            default: break
            }
            layout.checkInvariants()
            let plain = PlainLayout.list(
                model.sizes, bounds: layout.bounds, options: layout.options)
            let frames = layout.frames(in: 0..<layout.count)
            try #require(frames == plain.frames, "\(place)")
            #expect(layout.contentSize == plain.content, "\(place)")
            let isTrue = model.agrees(with: layout.takeChange(), frames: frames)
            #expect(isTrue, "what changed is not what was said, \(place)")
            let edges = frames.flatMap { [$0.minY, $0.maxY] } + [-.infinity, .infinity]
            for _ in 0..<4 {
                let minY = (edges.randomElement(using: &random) ?? 0) + random.nudge()
                let maxY = (edges.randomElement(using: &random) ?? 0) + random.nudge()
                let found = layout.indexes(fromY: minY, toY: maxY)
                let expected = plain.indexes(fromY: minY, toY: maxY)
                #expect(
                    found.isEmpty ? expected == nil : found == expected,
                    "from \(minY) to \(maxY): \(found), \(place)")
            }
            #expect(frames.indices.allSatisfy { layout.frame(at: $0) == frames[$0] }, "\(place)")
        }
    }

    @Test("A million unmeasured rows are one run, in which each of them is found")
    func closedForm() throws {
        let layout = try ListLayout(bounds: Rect(x: 0, y: 0, width: 300, height: 600))
        try layout.insert(count: 1_000_000, at: 0)
        #expect(layout.frame(at: 999_999) == Rect(x: 0, y: 43_999_956, width: 300, height: 44))
        #expect(layout.indexes(fromY: 440_000, toY: 440_600) == 10_000..<10_014)
        try layout.measure(Size(width: 300, height: 100), at: 500_000)
        #expect(layout.frame(at: 999_999).minY == 43_999_956 + 56)
        #expect(layout.contentSize.height == 44_000_056)
        let change = layout.takeChange()
        #expect(change.placed == 0..<1_000_000)
        try layout.measure(Size(width: 300, height: 144), at: 500_000)
        #expect(
            layout.takeChange()
                == LayoutChange(
                    placed: 500_000..<500_001, shifted: 500_001..<1_000_000, dy: 44))
    }

    @Test("A row keeps its measured height when the height of the others changes")
    func rowHeight() throws {
        let layout = try ListLayout(bounds: Rect(x: 0, y: 0, width: 300, height: 0))
        try layout.insert([nil, Size(width: 1, height: 44), nil], at: 0)
        var options = layout.options
        options.rowHeight = 20
        try layout.setOptions(options)
        #expect(layout.frames(in: 0..<3).map(\.minY) == [0, 20, 64])
        #expect(try !layout.measure(Size(width: 500, height: 44), at: 1))
        #expect(try layout.measure(Size(width: 500, height: 44.25), at: 1))
    }
}
