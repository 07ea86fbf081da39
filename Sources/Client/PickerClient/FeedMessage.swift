/// What an ``EventFeed`` has to tell.
public enum FeedMessage: Sendable {
    /// The daemon has taken the subscription. What was lost before it comes next, as a `lost`.
    case subscribed
    /// An event that matches.
    case event(ReceivedEvent)
    /// Events that will not come, at the place in the row where they are missing.
    case lost(EventLoss)
    /// The daemon refused the subscription, or the connection ended. The feed is silent until it
    /// is attached again.
    case ended(ClientError)
}
