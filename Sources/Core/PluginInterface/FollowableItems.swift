package import WireProtocol

/// A stream of rows that other streams of the same session may follow, even those of other plugins.
///
/// Followers are notified right after a line is sent to the client, so that their own lines about these rows
/// come after it. Streams take turns at requests for room: a follower that requested room after one delta of
/// the rows is called before the next delta.
package protocol FollowableItems: SessionStream {
    /// The number of rows that the client has or is about to get.
    var rowCount: Int { get }

    /// Notifies `follower` of changes from now on, and at once of the rows that the client has, if it has them
    /// all. The stream retains it until it is removed or the stream ends.
    func add(_ follower: any ItemsFollower)

    /// Stops notifying `follower`.
    func remove(_ follower: any ItemsFollower)
}

/// A follower of another stream's rows. It sends nothing during a notification; it requests room.
package protocol ItemsFollower: AnyObject {
    /// The client now has exactly these rows in this order: the first ones, or a replacement.
    func itemsWereReset(to keys: [String], rev: Int)

    /// The client was sent this delta.
    func itemsChanged(by delta: ItemsDelta)

    /// The rows' stream or its session was closed. No notification follows.
    func itemsEnded()
}
