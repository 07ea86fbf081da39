import DataBus

/// What some of the events are: for a subscriber to a protocol.
protocol Numbered {
    var number: Int { get }
}

/// One word.
struct Tick: Event, Numbered {
    let number: Int
    var topic: String { "app.tick" }
}

/// Three words, one of them a reference to text.
struct Saved: Event, Numbered {
    let path: String
    let number: Int
    var topic: String { "app.saved" }
}

/// More than is kept where it stands: it is put into memory of its own when it is sent.
struct Moved: Event, Numbered {
    let old: String
    let new: String
    let number: Int
    var topic: String { "app.moved" }
}
