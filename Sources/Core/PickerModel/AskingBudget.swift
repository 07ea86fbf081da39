/// How much may be asked of documents while they change.
///
/// What a change of the documents asks is asked within one transaction, and nothing else happens meanwhile. For
/// one saved file that is nothing; thousands of files, each held against a filter of hundreds of patterns, in many
/// lists, take seconds. So dear questions have a limit for each transaction: a list that would go
/// beyond it is not kept up any more, and is worked out anew in slices.
package final class AskingBudget {
    /// What takes fewer steps is always asked.
    package static let dearSteps = 128

    private let most: Int
    private var left: Int

    /// In steps: the most that dear questions take in one transaction.
    package init(_ most: Int = 400_000) {
        self.most = most
        left = most
    }

    /// Begins anew, for the next transaction.
    func refill() { left = most }

    /// Whether there is room for a question of so many steps, which is asked then.
    func take(_ steps: Int) -> Bool {
        if steps < Self.dearSteps { return true }
        guard left >= steps else { return false }
        left -= steps
        return true
    }
}
