/// A limit for the matching of documents as they change.
///
/// All matching for one change of the documents happens within one transaction, and blocks everything else. For
/// one saved file that is negligible; thousands of files, matched against a filter of hundreds of patterns in
/// many lists, take seconds. So expensive matches have a limit per transaction: a list that would exceed it is
/// no longer kept up to date, and is computed again in slices.
package final class AskingBudget {
    /// Matches with fewer steps are always allowed.
    package static let dearSteps = 128

    private let most: Int
    private var left: Int

    /// The most steps that expensive matches take in one transaction.
    package init(_ most: Int = 400_000) {
        self.most = most
        left = most
    }

    /// Restores the full budget, for the next transaction.
    func refill() { left = most }

    /// Spends `steps` if the budget suffices.
    /// - Returns: whether it did.
    func spend(_ steps: Int) -> Bool {
        if steps < Self.dearSteps { return true }
        guard left >= steps else { return false }
        left -= steps
        return true
    }
}
