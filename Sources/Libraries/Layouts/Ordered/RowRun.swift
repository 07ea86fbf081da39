/// Rows one after the other that are known in the same way: one that was measured, or any number that were
/// not.
struct RowRun: Hashable {
    var count: Int
    /// The height in units; negative if it was not measured.
    var height: Int

    var isMeasured: Bool { height >= 0 }

    static func estimated(_ count: Int) -> RowRun { RowRun(count: count, height: -1) }
    static func measured(_ height: Int) -> RowRun { RowRun(count: 1, height: height) }
}

/// What is known of some runs of rows.
struct RowRunSummary: BlockSummary, Hashable {
    /// How many runs.
    var count: Int
    var rows: Int
    /// How many of the rows were not measured.
    var estimated: Int
    /// The heights of the others, in units.
    var height: Int

    static let zero = RowRunSummary(count: 0, rows: 0, estimated: 0, height: 0)

    private init(count: Int, rows: Int, estimated: Int, height: Int) {
        self.count = count
        self.rows = rows
        self.estimated = estimated
        self.height = height
    }

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
