/// Events that a feed will not get, as they are no longer kept.
///
/// Events of all topics have one row of numbers, so some of these may be of topics that the feed
/// does not ask for: the numbers say at most how many it missed.
public struct EventLoss: Hashable, Sendable {
    /// Why they are lost.
    public enum Reason: Hashable, Sendable {
        /// The feed came too late for them.
        case notKept
        /// The daemon's events have a new epoch, as after a loss of power, or were begun anew. Of those
        /// after this place, in the epoch that has ended, nothing can be said. All that is kept
        /// comes, so some of it may have come before; the numbers are of the new epoch.
        case newEpoch(after: EventPosition)
        /// The daemon's own word, sent in the middle of the events: `slow` if the client was.
        case told(String)
    }

    /// The numbers that are lost right before ``position``; nil if there are none.
    public let numbers: ClosedRange<Int>?
    /// How many numbers more are missing further on, among what is kept, as after a daemon was
    /// killed. Which ones is not known.
    public let gaps: Int
    /// Why they are lost.
    public let reason: Reason
    /// The end of the gap: a feed that starts there gets all that is still kept. Nil from a daemon
    /// that does not name its epoch.
    public let position: EventPosition?

    /// How many numbers are lost; in a new epoch it may be 0.
    public var count: Int { (numbers?.count ?? 0) + gaps }
}
