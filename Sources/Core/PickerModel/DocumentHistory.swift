/// The history that a store goes on with.
package struct DocumentHistory: Sendable {
    package let epoch: String
    /// The revision of the documents.
    package let rev: Int
    /// The number of the first key that no document ever had.
    package let nextKey: UInt64
    /// After this revision it is known which documents were changed, as far as there is room.
    package let knownSince: Int
    /// Nothing is known of revisions after this one and before `rev`, which the last run may have made.
    package let lastKnown: Int

    package init(epoch: String, rev: Int, nextKey: UInt64, knownSince: Int, lastKnown: Int) {
        precondition(knownSince <= lastKnown && lastKnown <= rev)
        self.epoch = epoch
        self.rev = rev
        self.nextKey = nextKey
        self.knownSince = knownSince
        self.lastKnown = lastKnown
    }
}
