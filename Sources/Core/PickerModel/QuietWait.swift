// The wait of work that is worth doing only when the documents have stopped changing.
//
// It is asked once in each slice of the work. Slices take turns with what changes the documents, so some of them
// without a great change in between mean that nothing more is there to be committed. Files that are saved now and
// then do not count.

/// Tells for how long to wait.
struct QuietWait {
    /// The slices without a change after which the documents are quiet.
    static let quietSlices = 16
    /// The most rows that change between two slices of a quiet time.
    private static let fewRows = 64
    /// Of all documents, the part that may change meanwhile, and the least number.
    private static let mostShare = 4
    private static let mostAtLeast = 8192

    private var seen: Int?
    private var first: Int?
    private var quiet: Int
    private var isOver = false

    /// - Parameter isQuiet: whether the documents are taken as quiet until they change.
    init(isQuiet: Bool) { quiet = isQuiet ? Self.quietSlices : 0 }

    /// Whether to wait in this slice. `rows` have changed so far, and there are `count` documents. While more are known
    /// to come they are not quiet.
    mutating func mustWait(_ rows: Int, of count: Int, areMoreComing: Bool) -> Bool {
        if isOver { return false }
        let first = first ?? rows
        self.first = first
        if rows &- first >= max(Self.mostAtLeast, count / Self.mostShare) {
            isOver = true
            return false
        }
        if areMoreComing || rows &- (seen ?? rows) > Self.fewRows { quiet = 0 }
        seen = rows
        if quiet == Self.quietSlices { return false }
        quiet += 1
        return true
    }
}
