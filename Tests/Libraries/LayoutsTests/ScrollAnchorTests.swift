import Layouts
import Testing

@Suite struct ScrollAnchorTests {
    @Test(
        "The first visible item keeps its position on the screen, whatever changes around it",
        arguments: 0..<12 as Range<UInt64>)
    func held(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let bounds = Rect(x: 0, y: 0, width: 320, height: 200)
        let layouts: [any OrderedLayout] = [
            try ListLayout(bounds: bounds), try GridLayout(bounds: bounds),
            try FlowLayout(bounds: bounds),
        ]
        for layout in layouts {
            try check(layout, &random, "seed \(seed), \(type(of: layout))")
        }
    }

    private func check(
        _ layout: some OrderedLayout, _ random: inout TestRandom, _ place: String
    ) throws {
        var model = OrderedModel()
        let start: [Size?] = (0..<100).map { _ in random.size() }
        try layout.insert(start, at: 0)
        model.insert(start, at: 0)
        for step in 0..<40 {
            let offset = Double.random(in: 0...layout.contentSize.height, using: &random)
            guard var anchor = layout.anchor(at: offset) else { continue }
            let frames = layout.frames(in: 0..<layout.count)
            // All lines before the first visible one end above the offset.
            #expect(frames[anchor.index].maxY > offset, "\(place), step \(step)")
            #expect(
                frames[..<anchor.index].allSatisfy { $0.maxY <= offset },
                "\(place), step \(step)")
            #expect(anchor.distance == frames[anchor.index].minY - offset)
            let name = model.names[anchor.index]
            for _ in 0..<3 { try random.edit(layout, &model, &anchor) }
            let moved = layout.offset(for: anchor)
            guard let index = model.names.firstIndex(of: name) else { continue }
            #expect(index == anchor.index, "\(place), step \(step)")
            let distance = layout.frame(at: index).minY - moved
            // Subtracting an offset that is not a 64th of a px is not exact.
            #expect(abs(distance - anchor.distance) < 1e-9, "\(place), step \(step)")
        }
    }

    @Test("The next item replaces a removed one; without a next one, the last does")
    func gone() throws {
        let layout = try ListLayout(bounds: Rect(x: 0, y: 0, width: 100, height: 100))
        try layout.insert(count: 10, at: 0)
        var anchor = try #require(layout.anchor(at: 100))
        #expect(anchor == ScrollAnchor(index: 2, distance: -12))
        layout.remove(1..<4)
        anchor.removed(1..<4)
        #expect(anchor.index == 1)
        #expect(layout.offset(for: anchor) == 56)
        layout.remove(1..<7)
        anchor.removed(1..<7)
        #expect(layout.offset(for: anchor) == 12)
    }
}
