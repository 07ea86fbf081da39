import Layouts
import Testing

@Suite struct OrderedRangesTests {
    @Test("Every range of indexes, and every range of heights between two edges, of a few items")
    func every() throws {
        var random = TestRandom(seed: 3)
        let bounds = Rect(x: 3, y: 7, width: 133.328125, height: 50)
        let sizes: [Size?] = (0..<14).map { $0 % 5 == 0 ? nil : random.size() }
        let flow = try FlowLayout(bounds: bounds)
        let list = try ListLayout(bounds: bounds)
        let grid = try GridLayout(bounds: bounds)
        let all: [(any OrderedLayout, PlainLayout)] = [
            (flow, .flow(sizes, bounds: bounds, options: flow.options)),
            (list, .list(sizes, bounds: bounds, options: list.options)),
            (grid, .grid(sizes.count, bounds: bounds, options: grid.options)),
        ]
        for (layout, plain) in all {
            try layout.insert(sizes, at: 0)
            check(layout, plain)
        }
    }

    private func check(_ layout: some OrderedLayout, _ plain: PlainLayout) {
        for start in 0...layout.count {
            for end in start...layout.count
            where layout.frames(in: start..<end) != Array(plain.frames[start..<end]) {
                Issue.record("\(type(of: layout)): frames \(start)..<\(end)")
            }
        }
        var edges: Set<Double> = [-.infinity, .infinity, 0]
        for frame in plain.frames {
            for edge in [frame.minY, frame.maxY] {
                edges.formUnion([edge.nextDown, edge, edge.nextUp, edge + 1])
            }
        }
        for minY in edges {
            for maxY in edges {
                let found = layout.indexes(fromY: minY, toY: maxY)
                let expected = plain.indexes(fromY: minY, toY: maxY)
                if found.isEmpty ? expected != nil : found != expected {
                    Issue.record("\(type(of: layout)): from \(minY) to \(maxY): \(found)")
                }
            }
        }
    }
}
