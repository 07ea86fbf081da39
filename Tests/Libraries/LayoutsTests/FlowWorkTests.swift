import Testing

@testable import Layouts

@Suite struct FlowWorkTests {
    @Test(
        "A change breaks the lines that begin elsewhere after it, and at most two more",
        arguments: 0..<20 as Range<UInt64>)
    func linesBroken(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        let layout = try FlowLayout(
            bounds: Rect(x: 0, y: 0, width: 320, height: 0), options: FlowOptions(),
            itemBlocks: 8, lineBlocks: 8)
        var model = OrderedModel()
        let start: [Size?] = (0..<400).map { _ in random.size() }
        try layout.insert(start, at: 0)
        model.insert(start, at: 0)
        for step in 0..<100 {
            let before = lineStarts(layout, model)
            let done = layout.linesBroken
            let index = Int.random(in: 0..<model.sizes.count, using: &random)
            let size = random.size()
            switch Int.random(in: 0..<3, using: &random) {
            case 0:
                try layout.insert([size], at: index)
                model.insert([size], at: index)
            case 1:
                layout.remove(index..<index + 1)
                model.remove(index..<index + 1)
            default:
                try layout.measure(size, at: index)
                model.measure(size, at: index)
            }
            let after = lineStarts(layout, model)
            let broken = layout.linesBroken - done
            let elsewhere = after.subtracting(before).count
            #expect(
                broken <= elsewhere + 2,
                "\(broken) lines broken, \(elsewhere) begin elsewhere, seed \(seed), step \(step)")
        }
    }

    /// The names of the first items of lines.
    private func lineStarts(_ layout: FlowLayout, _ model: OrderedModel) -> Set<Int> {
        let plain = PlainLayout.flow(
            model.sizes, bounds: layout.bounds, options: layout.options)
        // Reads a frame, so that the lines are broken now.
        _ = layout.contentSize
        return Set(plain.lines.map { model.names[$0.lowerBound] })
    }

    @Test("One size among 100,000 of all kinds breaks a few lines again")
    func fewLines() throws {
        let seed: UInt64 = 5
        var random = TestRandom(seed: seed)
        func size() -> Size {
            Size(
                width: .random(in: 20...120, using: &random),
                height: .random(in: 20...60, using: &random))
        }
        let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 800, height: 600))
        try layout.insert((0..<100_000).map { _ in size() }, at: 0)
        _ = layout.contentSize
        let whole = layout.linesBroken
        #expect(whole > 9_000)
        for _ in 0..<1_000 {
            try layout.measure(size(), at: .random(in: 0..<100_000, using: &random))
            _ = layout.contentSize
        }
        let each = Double(layout.linesBroken - whole) / 1_000
        #expect(each < 20, "\(each) of \(whole) lines for each size, seed \(seed)")
    }

    @Test("Many changes before a read of a frame are one pass over the lines")
    func batch() throws {
        let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 590, height: 600))
        // Ten equal items per line: one more moves the start of every later line.
        try layout.insert([Size?](repeating: nil, count: 10_000), at: 0)
        _ = layout.contentSize
        #expect(layout.linesBroken == 1_000)
        for index in 0..<55 { try layout.insert([nil], at: index * 100) }
        _ = layout.contentSize
        #expect(layout.linesBroken <= 1_000 + 1_006 + 55)
    }
}
