import DataBus

/// The protocol of some events, for a subscriber to a protocol.
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

/// Too large for inline storage: allocated when it is sent.
struct Moved: Event, Numbered {
    let old: String
    let new: String
    let number: Int
    var topic: String { "app.moved" }
}
