package import WireProtocol

/// A stream of rows that other streams of the same session may follow, whichever plugins they belong to.
///
/// Followers are told what the client was sent, right after it was sent, so what they have to say of these
/// rows goes behind it. A stream asks for room in turn with others: between two deltas of the rows, a follower
/// that asked after the first one is asked for its lines.
package protocol FollowableItems: SessionStream {
    /// How many rows the client has or is about to be sent.
    var rowCount: Int { get }

    /// Tells `follower` of the rows from now on; at once of those that the client has, if it has them all.
    /// The stream holds it until it is removed or the stream ends.
    func add(_ follower: any ItemsFollower)

    /// Tells `follower` nothing more.
    func remove(_ follower: any ItemsFollower)
}

/// What follows the rows of another stream. It sends nothing while it is told: it asks for room.
package protocol ItemsFollower: AnyObject {
    /// The client has just these rows, in this order: the first, or others than before.
    func itemsWereReset(to keys: [String], rev: Int)

    /// The client was sent this delta.
    func itemsChanged(by delta: ItemsDelta)

    /// The rows' stream is closed, or its session is gone. Nothing more is told.
    func itemsEnded()
}
