import DataBus

// Events of all kinds: small and large structs, classes, some of them with a protocol of the user's.

protocol Marked {
    var value: Int { get }
}

/// Stored inline.
struct Saved: Event, Marked {
    var topic: String { "app.saved" }
    var value = 0
}

struct Closed: Event {
    let topic = "app.closed"
    var retainedBytes: Int { 1000 }
}

/// Needs an allocation.
struct Described: Event {
    var value: Int
    var topic: String
    var retainedBytes: Int
    var more = (1, 2, 3)
}

class Opened: Event {
    let value: Int
    var topic: String { "app.opened" }

    init(value: Int = 0) {
        self.value = value
    }
}

final class OpenedAgain: Opened, Marked {
    override var topic: String { "app.opened.again" }
}

/// An event that holds an object, to observe its lifetime.
struct Holding: Event {
    let token: AnyObject
    var topic: String { "app.holding" }
}

/// Calls a function when it is released.
final class Ending: Event {
    private let action: () -> Void
    var topic: String { "app.ending" }

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    deinit { action() }
}

extension EventBus {
    /// The kept numbers.
    var keptNumbers: [Int] {
        var numbers: [Int] = []
        replay { (sent: SentEvent) in numbers.append(sent.sequence) }
        return numbers
    }
}
