internal import Layouts

/// What a worker is to do with one force layout: values only.
struct ForceOrder: Sendable {
    /// How many ticks it is to have.
    enum Ticks: Sendable {
        case none
        /// As many as it takes for something to be seen to move.
        case visible
        /// As many as it takes to come to rest.
        case all
    }

    /// Whether the frames that changed are to be written down.
    enum Taking: Sendable {
        case never, always
        case ifFinished
    }

    /// Other items than before.
    struct Items: Sendable {
        var keys: [String]
        /// Those that left since the last order, even if they have come back.
        var removed: Set<String> = []
        /// Any others may have left, too.
        var isReset = false
    }

    /// The revision of the list that the layout has with this order.
    var rev = 0
    var bounds: Rect?
    var options: ForceOptions?
    var items: Items?
    var pushes: [String: Force] = [:]
    var ticks = Ticks.none
    var taking = Taking.never

    /// Whether it is to change anything.
    var hasChanges: Bool {
        bounds != nil || options != nil || items != nil || !pushes.isEmpty
    }
}

/// What came of an order.
struct ForceAnswer: Sendable {
    /// The revision of the list that it shows.
    var rev: Int
    /// Whether there is nothing more to do until something changes.
    var isFinished = false
    /// The last tick, if it finished the layout in this order.
    var newFinish: ForceTick?
    /// Whether there is something to be seen of it that was not written down.
    var hasNews = false
    /// Whether the time for one order was up before all was done.
    var isCutShort = false
    /// Lines to be sent, each with its end.
    var lines: [[UInt8]] = []
    /// Why the layout can't go on.
    var failure: String?
}
