internal import PickerModel
internal import PluginInterface
internal import WireProtocol

/// Those who follow the rows of a list, such as layouts. They are told what the client is told, right after it.
struct RowFollowers {
    private var followers: [any ItemsFollower] = []

    /// Tells a new one of the rows that the client has, if it has any.
    mutating func add(_ follower: any ItemsFollower, _ sent: SentRows?) {
        followers.append(follower)
        if let sent { Self.tell(follower, sent) }
    }

    mutating func remove(_ follower: any ItemsFollower) {
        followers.removeAll { $0 === follower }
    }

    /// The client has these rows now.
    func wereReset(to sent: SentRows) {
        for follower in followers { Self.tell(follower, sent) }
    }

    func changed(by delta: ItemsDelta) {
        for follower in followers { follower.itemsChanged(by: delta) }
    }

    /// Ends them all. What they do then may add or remove others.
    mutating func takeAll() -> [any ItemsFollower] {
        defer { followers = [] }
        return followers
    }

    private static func tell(_ follower: any ItemsFollower, _ sent: SentRows) {
        let table = sent.items.table
        follower.itemsWereReset(to: sent.items.rows.map { table.key(of: $0) }, rev: sent.rev)
    }
}
