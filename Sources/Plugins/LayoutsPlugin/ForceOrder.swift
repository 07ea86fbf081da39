internal import Layouts
internal import WireProtocol

/// An order to a worker for one force layout: values only.
struct ForceOrder: Sendable {
    /// The number of ticks to run.
    enum Ticks: Sendable {
        case none
        /// Until a cell has moved visibly.
        case visible
        /// Until all cells are at rest.
        case all
    }

    /// Whether to write the changed frames.
    enum Taking: Sendable {
        case never, always
        case ifFinished
    }

    /// A change of the items.
    struct Items: Sendable {
        var keys: [String]
        /// The items that left since the last order, even if they have come back.
        var removed: Set<String> = []
        /// Whether any others may have left, too.
        var isReset = false
    }

    /// The revision of the list after this order.
    var rev = 0
    var bounds: Rect?
    var options: ForceOptions?
    var items: Items?
    var pushes: [String: Force] = [:]
    var ticks = Ticks.none
    var taking = Taking.never

    /// Whether the order changes anything.
    var hasChanges: Bool {
        bounds != nil || options != nil || items != nil || !pushes.isEmpty
    }
}

/// The result of an order.
struct ForceAnswer: Sendable {
    /// The revision of the list that the layout shows.
    var rev: Int
    /// Whether the cells are at rest until the next change.
    var isFinished = false
    /// What is told of the end, if the layout came to rest in this order.
    var newFinish: LayoutFinished?
    /// Whether there are visible changes that were not written.
    var hasNews = false
    /// Whether the time limit of the order ended it early.
    var isCutShort = false
    /// The lines to send, each with its newline.
    var lines: [[UInt8]] = []
    /// The reason why the layout must end.
    var failure: String?
}
