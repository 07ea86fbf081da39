/// The size of an item in units; negative if it is not measured.
struct FlowItem: Hashable {
    // 1e7 px are 6.4e8 units.
    var width: Int32
    var height: Int32

    static let estimated = FlowItem(width: -1, height: -1)

    var isMeasured: Bool { width >= 0 }
}

extension FlowItem {
    /// An item of this size, which is valid.
    init(_ size: Size) {
        width = Int32(Units.floor(size.width))
        height = Int32(Units.floor(size.height))
    }
}

/// The summary of a block of items: their count.
struct FlowItemCount: BlockSummary, Hashable {
    var count: Int

    static let zero = FlowItemCount(count: 0)

    private init(count: Int) { self.count = count }
    init(_ item: FlowItem) { count = 1 }
    init(_ items: ContiguousArray<FlowItem>) { count = items.count }

    static func + (first: FlowItemCount, second: FlowItemCount) -> FlowItemCount {
        FlowItemCount(count: first.count + second.count)
    }
}

/// Items side by side, in units.
struct FlowLine: Hashable {
    /// The number of items.
    var items: Int32
    /// The greatest height.
    var height: Int32
    /// The sum of their widths and the minimum gaps between them; negative if items were inserted,
    /// removed or changed since.
    var width: Int

    static let empty = FlowLine(items: 0, height: 0, width: 0)

    static func stale(_ items: Int) -> FlowLine {
        FlowLine(items: Int32(items), height: 0, width: -1)
    }

    var isStale: Bool { width < 0 }
}

/// The summary of several lines.
struct FlowLineSummary: Hashable {
    /// The number of lines.
    var count: Int
    var items: Int
    /// The sum of their heights, in units.
    var height: Int
    /// The greatest of their widths, in units.
    var width: Int
    /// The number of stale lines.
    var stale: Int

    static let zero = FlowLineSummary(count: 0, items: 0, height: 0, width: 0, stale: 0)
}

extension FlowLineSummary: BlockSummary {
    init(_ line: FlowLine) {
        self.init(
            count: 1, items: Int(line.items), height: Int(line.height), width: max(0, line.width),
            stale: line.isStale ? 1 : 0)
    }

    static func + (first: FlowLineSummary, second: FlowLineSummary) -> FlowLineSummary {
        FlowLineSummary(
            count: first.count + second.count, items: first.items + second.items,
            height: first.height + second.height, width: max(first.width, second.width),
            stale: first.stale + second.stale)
    }
}
