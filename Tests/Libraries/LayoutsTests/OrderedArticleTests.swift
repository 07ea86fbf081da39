import Foundation
import Layouts
import Testing

// The examples of the article on ordered layouts, word for word, with their output. The last test
// checks that both stay the same.

@Suite struct OrderedArticleTests {
    private final class Printed {
        var lines: [String] = []
    }

    private let printed = Printed()

    /// Shadows the standard library's.
    private func print(_ item: Any) { printed.lines.append("\(item)") }

    @Test("The article on ordered layouts: sizes, an anchor, and another kind of layout")
    func article() throws {
        var order = ["f1", "f2", "f3", "f4"]
        var sizes = SizeCache<String>()
        let flow = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 200, height: 100))
        try flow.insert(order.map { sizes[$0] }, at: 0)
        print(flow.takeChange().placed)  // Prints "0..<4"
        print(flow.frames(in: 0..<4).map(\.minX))  // Prints "[0.0, 60.0, 120.0, 0.0]"
        #expect(printed.lines == ["0..<4", "[0.0, 60.0, 120.0, 0.0]"])

        for item in try sizes.measure([("f2", Size(width: 120, height: 80))]) {
            if let index = order.firstIndex(of: item), let size = sizes[item] {
                try flow.measure(size, at: index)
            }
        }
        print(flow.frame(at: 0))  // 15 px lower: centred beside the taller one
        print(flow.contentSize)  // 200 × 140 px: the union of the bounds and of all frames
        #expect(flow.frame(at: 0) == Rect(x: 0, y: 15, width: 50, height: 50))
        #expect(flow.contentSize == Size(width: 200, height: 140))

        printed.lines = []
        var anchor = flow.anchor(at: 90)  // f3 begins there
        order.insert("f0", at: 0)
        try flow.insert([sizes["f0"]], at: 0)
        anchor?.inserted(1, at: 0)
        if let anchor { print(flow.offset(for: anchor)) }  // Prints "75.0"
        #expect(printed.lines == ["75.0"])

        printed.lines = []
        var shown = FrameCache<String>()
        flow.forEachFrame(in: 0..<order.count) { shown.place(order[$0], at: $1) }
        let grid = try GridLayout(bounds: flow.bounds)
        try grid.insert(count: order.count, at: 0)
        grid.forEachFrame(in: 0..<order.count) { index, frame in
            let item = order[index]
            if let old = shown[item], shown.place(item, at: frame) {
                print("\(item) goes from \(old.minX), \(old.minY) to \(frame.minX), \(frame.minY)")
            }
        }
        let force = try ForceLayout<String>(bounds: flow.bounds)
        try force.insert(order.map { ($0, shown[$0]?.center) })
        #expect(
            printed.lines == [
                "f2 goes from 0.0, 60.0 to 120.0, 0.0", "f3 goes from 130.0, 75.0 to 0.0, 60.0",
                "f4 goes from 0.0, 150.0 to 60.0, 60.0",
            ])
        #expect(force.center(of: "f4") == Point(x: 85, y: 85))
    }

    @Test("Each example of the article is part of a test, word for word")
    func examples() throws {
        let tests = URL(fileURLWithPath: #filePath)
        let root = tests.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let article = root.appendingPathComponent(
            "Sources/Libraries/Layouts/Layouts.docc/OrderedLayouts.md")
        func lines(_ file: URL) throws -> [String] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        let source = try lines(tests)
        var example: [String]?
        var count = 0
        for line in try lines(article) {
            if line == "```swift" {
                example = []
            } else if line == "```", let found = example {
                count += 1
                let isTested = source.indices.contains { source[$0...].starts(with: found) }
                #expect(isTested, "\(found.first ?? "")")
                example = nil
            } else {
                example?.append(line)
            }
        }
        #expect(count == 4)
    }
}
