import Layouts
import Testing

@Suite struct GridLayoutTests {
    private func options(_ random: inout TestRandom) -> GridOptions {
        var options = GridOptions()
        options.cell =
            Bool.random(using: &random)
            ? .fixed(random.size()) : .atLeast(width: max(1, random.length()))
        options.columnSpacing = [0, 5.25, 10].randomElement(using: &random) ?? 0
        options.rowSpacing = [0, 5.25, 10].randomElement(using: &random) ?? 0
        if Bool.random(using: &random) { options.insets = random.insets() }
        return options
    }

    @Test(
        "After each change of any script, cells equal those of a plain loop",
        arguments: 0..<30 as Range<UInt64>)
    func scripts(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let layout = try GridLayout(bounds: random.bounds(), options: options(&random))
        var model = OrderedModel()
        var anchor = ScrollAnchor(index: 0, distance: 0)
        for step in 0..<80 {
            let place = "seed \(seed), step \(step), \(layout.options)"
            try random.edit(layout, &model, &anchor)
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try layout.setBounds(random.bounds())
            case 1: try layout.setOptions(options(&random))
            default: break
            }
            let plain = PlainLayout.grid(
                model.sizes.count, bounds: layout.bounds, options: layout.options)
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
        }
    }

    @Test("Cells of a minimum width fill the row")
    func leastWidth() throws {
        var options = GridOptions()
        options.cell = .atLeast(width: 90)
        let layout = try GridLayout(
            bounds: Rect(x: 0, y: 0, width: 320, height: 0), options: options)
        try layout.insert(count: 4, at: 0)
        #expect(layout.columns == 3)
        #expect(layout.frame(at: 2) == Rect(x: 220, y: 0, width: 100, height: 100))
        #expect(layout.frame(at: 3) == Rect(x: 0, y: 110, width: 100, height: 100))
        try layout.setBounds(Rect(x: 0, y: 0, width: 60, height: 0))
        #expect(layout.columns == 1)
        #expect(layout.frame(at: 1) == Rect(x: 0, y: 70, width: 60, height: 60))
    }
}
