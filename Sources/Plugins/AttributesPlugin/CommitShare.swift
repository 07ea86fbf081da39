/// How many values become one change of the documents.
///
/// Lists that are sorted by what has come follow each value, so that a change of the same size may take much longer: the
/// values of one that took more than a millisecond of the loop are halved for the next, and doubled again when one took a
/// third of that.
struct CommitShare {
    static let most = 512
    static let least = 64
    static let slice = Duration.milliseconds(1)

    /// From 64 to 512. How long a change takes is not known before the first one.
    private(set) var values = 256

    /// Called with what a change of so many values took.
    mutating func adapt(to spent: Duration) {
        if spent > Self.slice {
            values = max(Self.least, values / 2)
        } else if spent < Self.slice / 3 {
            values = min(Self.most, values * 2)
        }
    }
}
