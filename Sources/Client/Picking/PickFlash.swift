/// The documents whose rows have changed a moment ago, and are drawn so.
///
/// A timer runs only while there are some. When it ends, those that were there when it began are forgotten, so each is
/// lit up for one to two of its turns.
struct PickFlash: Equatable {
    static let milliseconds = 600
    /// The most documents; more changes at once are not to be seen as such.
    static let most = 64

    /// The number of the timer; nil at rest.
    private(set) var timer: Int?
    private var new: Set<String> = []
    private var old: Set<String> = []

    func contains(_ key: String) -> Bool { new.contains(key) || old.contains(key) }

    mutating func add(_ keys: [String], timer number: () -> Int) {
        new.formUnion(keys.prefix(max(0, Self.most - new.count)))
        if timer == nil, !new.isEmpty { timer = number() }
    }

    mutating func age(timer number: () -> Int) {
        old = new
        new = []
        timer = old.isEmpty ? nil : number()
    }
}
