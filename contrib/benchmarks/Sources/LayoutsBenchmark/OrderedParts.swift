import CAllocations
import Layouts
import Measuring

/// A flow of a million items of all sizes, in a window of 1,000 px.
private func flow(_ sizes: [Size?]) throws -> FlowLayout {
    let layout = try FlowLayout(bounds: Rect(x: 0, y: 0, width: 1000, height: 800))
    try layout.insert(sizes, at: 0)
    _ = layout.contentSize
    return layout
}

private struct Sizes {
    var random = Numbers(state: 1)

    mutating func next() -> Size {
        Size(width: Double(random.below(100) + 20), height: Double(random.below(60) + 20))
    }
}

/// Reproducible numbers (Knuth's MMIX generator).
private struct Numbers {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % limit
    }
}

/// The least processor time, in seconds, and the allocations of one of many calls of `body`.
private func least(_ runs: Int, _ body: () throws -> Void) rethrows -> (Double, Double) {
    var time = Double.infinity
    let before = allocation_count()
    for _ in 0..<runs {
        let started = Clock.thread.seconds
        try body()
        time = min(time, Clock.thread.seconds - started)
    }
    return (time, Double(allocation_count() - before) / Double(runs))
}

/// The mean processor time of one of `calls` calls: the least of five rounds.
private func mean(_ calls: Int, _ body: () throws -> Void) rethrows -> (Double, Double) {
    let (time, allocations) = try least(5) { for _ in 0..<calls { try body() } }
    return (time / Double(calls), allocations / Double(calls))
}

/// The baseline: all frames computed afresh, into an existing array.
private func plainFlow(_ sizes: [Size?], _ frames: inout [Rect]) -> Double {
    frames.removeAll(keepingCapacity: true)
    var first = 0
    var y = 0.0
    while first < sizes.count {
        var end = first
        var x = 0.0
        var height = 0.0
        while end < sizes.count {
            let size = sizes[end] ?? Size(width: 50, height: 50)
            if end > first, x + size.width > 1000 { break }
            frames.append(Rect(x: x, y: y, width: size.width, height: size.height))
            x += size.width + 10
            height = max(height, size.height)
            end += 1
        }
        for index in first..<end { frames[index].origin.y += (height - sizes[index].height) / 2 }
        y += height + 10
        first = end
    }
    return y - 10
}

extension Size? {
    fileprivate var height: Double { self?.height ?? 50 }
}

/// A flow of a million items: the first layout, one change, one screen; compared with a full plain pass.
func measureFlow() throws -> Bool {
    let thresholds = Thresholds("layouts: flow")
    let count = 1_000_000
    var source = Sizes()
    let sizes: [Size?] = (0..<count).map { _ in source.next() }
    var frames: [Rect] = []
    frames.reserveCapacity(count)
    var height = 0.0
    let plain = least(10) { height = plainFlow(sizes, &frames) }.0
    report("all frames of 1e6 items, plainly", plain * 1e3, unit: "ms")
    let (first, allocations) = try least(10) { _ = try flow(sizes) }
    report("first layout of 1e6 items", first * 1e3, unit: "ms", bound: 30)
    thresholds.hold(allocations, "allocations: first layout of 1e6 items")
    let layout = try flow(sizes)
    // A plain pass over the same items must give the same height.
    let good = check(
        "height beside the plain one, px", abs(layout.contentSize.height - height), atMost: 0)

    func one(
        _ name: String, calls: Int = 2_000, bound: Double? = nil, _ body: () throws -> Void
    ) rethrows {
        let (time, allocations) = try mean(calls, body)
        report(name, time * 1e6, unit: "µs", bound: bound)
        thresholds.hold(allocations, "allocations: \(name)")
    }
    var random = Numbers(state: 2)
    try one("a size measured again, and the content size", bound: 50) {
        try layout.measure(source.next(), at: random.below(count))
        _ = layout.contentSize
    }
    var kept = Size.zero
    try one("the same, at one place") {
        kept.width = kept.width == 40 ? 90 : 40
        try layout.measure(kept, at: count / 2)
        _ = layout.contentSize
    }
    try one("an item removed, another inserted") {
        let index = random.below(count)
        layout.remove(index..<index + 1)
        try layout.insert([source.next()], at: random.below(count))
        _ = layout.contentSize
    }
    let bottom = Int(layout.contentSize.height) - 800
    var seen = 0
    one("the items of a screen of 1000 × 800 px, and their frames") {
        let top = Double(random.below(bottom))
        let range = layout.indexes(fromY: top, toY: top + 800)
        layout.forEachFrame(in: range) { _, _ in seen += 1 }
    }
    report("    items on a screen", Double(seen) / 10_000, unit: "")
    let worst = try least(5) {
        try layout.setBounds(Rect(x: 0, y: 0, width: layout.bounds.size.width - 1, height: 800))
        _ = layout.contentSize
    }
    report("every line broken again, by another width", worst.0 * 1e3, unit: "ms")
    thresholds.hold(worst.1, "allocations: every line broken again")
    let alike = try flow([Size?](repeating: nil, count: count - 10))
    let shifted = try least(5) {
        try alike.insert([nil], at: 0)
        _ = alike.contentSize
    }
    report("an item in front of 1e6 that are all alike", shifted.0 * 1e3, unit: "ms")
    try measureListAndGrid(thresholds)
    return thresholds.areKept() && good
}

/// A list and a grid of a million: any frame, and any screen.
private func measureListAndGrid(_ thresholds: Thresholds) throws {
    let count = 1_000_000
    let bounds = Rect(x: 0, y: 0, width: 1000, height: 800)
    var random = Numbers(state: 3)
    let list = try ListLayout(bounds: bounds)
    try list.insert(count: count, at: 0)
    let grid = try GridLayout(bounds: bounds)
    try grid.insert(count: count, at: 0)
    var sum = 0.0
    func screens(_ name: String, _ layout: some OrderedLayout) {
        let bottom = Int(layout.contentSize.height) - 800
        let (time, allocations) = mean(5_000) {
            let top = Double(random.below(bottom))
            let range = layout.indexes(fromY: top, toY: top + 800)
            layout.forEachFrame(in: range) { sum += $1.minY }
        }
        report(name, time * 1e6, unit: "µs")
        thresholds.hold(allocations, "allocations: \(name)")
    }
    screens("a screen of a grid of 1e6", grid)
    screens("a screen of a list of 1e6", list)
    for _ in 0..<100_000 {
        try list.measure(
            Size(width: 0, height: Double(random.below(100))), at: random.below(count))
    }
    screens("a screen of a list with 1e5 rows measured", list)
    let (time, allocations) = try mean(2_000) {
        try list.measure(
            Size(width: 0, height: Double(random.below(100))), at: random.below(count))
        _ = list.contentSize
    }
    report("a row of a list measured", time * 1e6, unit: "µs")
    thresholds.hold(allocations, "allocations: a row of a list measured")
}
