/// Events that a feed will not get, because they are no longer kept.
///
/// Events of all topics share one sequence of numbers, so some of these may be of topics that the feed does
/// not follow: the numbers are an upper bound of the missed events.
public struct EventLoss: Hashable, Sendable {
    /// The reason for the loss.
    public enum Reason: Hashable, Sendable {
        /// The feed came too late for them.
        case notKept
        /// The daemon's events have a new epoch, for example after a loss of power. The events after this
        /// position in the old epoch are unknown. All kept events come, some of which may have come before;
        /// the numbers are of the new epoch.
        case newEpoch(after: EventPosition)
        /// The daemon's reason, sent among the events: `slow` for a slow client.
        case told(String)
    }

    /// The lost numbers right before ``position``; nil if there are none.
    public let numbers: ClosedRange<Int>?
    /// The number of later gaps among the kept events, for example after a daemon was killed. The numbers
    /// themselves are unknown.
    public let gaps: Int
    /// The reason for the loss.
    public let reason: Reason
    /// The end of the gap: a feed that starts there gets everything that is still kept. Nil from a daemon
    /// that does not name its epoch.
    public let position: EventPosition?

    /// The number of lost numbers; in a new epoch it may be 0.
    public var count: Int { (numbers?.count ?? 0) + gaps }
}
