// The wait of work that is worth doing only when the documents have stopped changing.
//
// It is asked once in each slice of the work. Slices take turns with what changes the documents, so some of them
// without a great change in between mean that nothing more is there to be committed. Files that are saved now and
// then do not count. If it is known that more is to be committed, as while threads read folders, the slices are many
// more, and if nothing else is done, there is a pause between them. A limit remains, because what is waited for may
// never come.

/// Tells for how long to wait.
struct QuietWait {
    /// The slices without a change after which the documents are quiet.
    static let quietSlices = 16
    /// The same while more changes are expected.
    static let quietSlicesIfExpected = 256
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
    init(isQuiet: Bool) { quiet = isQuiet ? Self.quietSlicesIfExpected : 0 }

    /// Whether to wait in this slice. `rows` have changed so far, there are `count` documents, and more changes are
    /// expected or not.
    mutating func mustWait(_ rows: Int, of count: Int, expectingMore: Bool = false) -> Bool {
        if isOver { return false }
        let first = first ?? rows
        self.first = first
        if rows &- first >= max(Self.mostAtLeast, count / Self.mostShare) {
            isOver = true
            return false
        }
        if rows &- (seen ?? rows) > Self.fewRows { quiet = 0 }
        seen = rows
        if quiet >= (expectingMore ? Self.quietSlicesIfExpected : Self.quietSlices) { return false }
        quiet += 1
        return true
    }
}
