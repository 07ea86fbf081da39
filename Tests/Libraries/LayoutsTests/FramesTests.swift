import Layouts
import Testing

@Suite struct FramesTests {
    @Test(
        "Cells that must not overlap do not, at rest",
        arguments: [(100, 20.0, 20.0), (300, 90, 30), (1_000, 20, 20), (50, 5, 200)])
    func overlaps(count: Int, width: Double, height: Double) throws {
        let layout = try layout(count) {
            $0.cell = Size(width: width, height: height)
            $0.avoidOverlaps = true
            $0.charge = .fixed(1)
            $0.stop = .residual(1e-3)
        }
        #expect(layout.run(atMost: 3_000).finish == .rest)
        var frames: [Rect] = []
        layout.forEachFrame { frames.append($1) }
        var overlaps = 0
        for (index, frame) in frames.enumerated() {
            for other in frames[(index + 1)...] where frame.overlaps(other) { overlaps += 1 }
        }
        #expect(overlaps == 0)
        // They are not scattered: they take less than four times their area.
        let content = layout.contentRect
        let radius = max(width, height, (Double(count) * width * height).squareRoot())
        #expect(frames.allSatisfy { $0.center.distance(to: content.center) < 2 * radius })
    }

    @Test("Only frames that moved far enough are passed, and all of them exactly at the end")
    func takenFrames() throws {
        let layout = try layout(200) { $0.stop = .residual(1e-4) }
        var copy: [Int: Rect] = [:]
        layout.takeFrames { copy[$0] = $1 }
        #expect(copy.count == 200)
        var given = 0
        while layout.tick().finish == nil {
            layout.takeFrames {
                copy[$0] = $1
                given += 1
            }
            layout.forEachFrame { item, frame in
                let known = copy[item] ?? .zero
                #expect(known.center.distance(to: frame.center) <= 0.5)
            }
        }
        layout.takeFrames { copy[$0] = $1 }
        layout.forEachFrame { item, frame in #expect(copy[item] == frame) }
        #expect(given < 200 * layout.lastTick.ticks / 2)
        var more = 0
        layout.takeFrames { _, _ in more += 1 }
        #expect(more == 0)
        layout.forgetTakenFrames()
        layout.takeFrames { _, _ in more += 1 }
        #expect(more == 200)
    }

    @Test("The content contains the bounds and all frames")
    func content() throws {
        let layout = try layout(0, side: 100)
        try layout.insert(1, at: Point(x: -50, y: 30))
        try layout.insert(2, at: Point(x: 140, y: 300))
        #expect(layout.contentRect == Rect(x: -60, y: 0, width: 210, height: 310))
        #expect(layout.contentSize == Size(width: 210, height: 310))
        #expect(layout.frame(of: 2) == Rect(x: 130, y: 290, width: 20, height: 20))
        try layout.remove(2)
        #expect(layout.contentRect == Rect(x: -60, y: 0, width: 160, height: 100))
        #expect(layout.frame(of: 2) == nil)
    }
}
