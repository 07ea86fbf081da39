/// A message of an ``EventFeed``.
public enum FeedMessage: Sendable {
    /// The subscription has begun. Earlier losses follow next, as a `lost`.
    case subscribed
    /// A matching event.
    case event(ReceivedEvent)
    /// Events that will not come, at their position in the sequence.
    case lost(EventLoss)
    /// The daemon refused the subscription, or the connection ended. The feed is silent until it
    /// is attached again.
    case ended(ClientError)
}
