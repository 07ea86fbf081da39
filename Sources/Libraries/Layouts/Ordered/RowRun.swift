/// Consecutive rows: one measured row, or any number of unmeasured ones.
struct RowRun: Hashable {
    var count: Int
    /// The height in units; negative if it is not measured.
    var height: Int

    var isMeasured: Bool { height >= 0 }

    static func estimated(_ count: Int) -> RowRun { RowRun(count: count, height: -1) }
    static func measured(_ height: Int) -> RowRun { RowRun(count: 1, height: height) }
}

/// The summary of several runs of rows.
struct RowRunSummary: Hashable {
    /// The number of runs.
    var count: Int
    var rows: Int
    /// The number of unmeasured rows.
    var estimated: Int
    /// The sum of the measured heights, in units.
    var height: Int

    static let zero = RowRunSummary(count: 0, rows: 0, estimated: 0, height: 0)
}

extension RowRunSummary: BlockSummary {
    init(_ run: RowRun) {
        self.init(
            count: 1, rows: run.count, estimated: run.isMeasured ? 0 : run.count,
            height: run.isMeasured ? run.height : 0)
    }

    static func + (first: RowRunSummary, second: RowRunSummary) -> RowRunSummary {
        RowRunSummary(
            count: first.count + second.count, rows: first.rows + second.rows,
            estimated: first.estimated + second.estimated, height: first.height + second.height)
    }
}
