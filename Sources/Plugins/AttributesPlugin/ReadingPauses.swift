internal import EventLoops
internal import PickerModel

/// Documents that can't be read now, and are left alone for a while: a second first, and twice as long each time.
struct ReadingPauses {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// The most that are remembered. Beyond it all are forgotten, and may be read at once.
    static let most = 65_536

    private var entries: [KeyNumber: (until: MonotonicInstant, length: Duration)] = [:]
    /// When the next pause ends; nil if none does.
    private(set) var next: MonotonicInstant?

    /// Leaves a document alone.
    /// - Returns: whether all others were forgotten.
    mutating func begin(_ key: KeyNumber, at now: MonotonicInstant) -> Bool {
        let isFull = entries[key] == nil && entries.count >= Self.most
        if isFull { self = ReadingPauses() }
        let length = entries[key].map { min($0.length * 2, Self.longest) } ?? Self.first
        let until = now.advanced(by: length)
        entries[key] = (until, length)
        next = min(next ?? until, until)
        return isFull
    }

    /// Forgets a document that has been read.
    mutating func end(_ key: KeyNumber) { entries[key] = nil }

    func contains(_ key: KeyNumber, at now: MonotonicInstant) -> Bool {
        entries[key].map { $0.until > now } ?? false
    }

    /// How long the last pause of a document was; nil if it has had none since it was read.
    func length(of key: KeyNumber) -> Duration? { entries[key]?.length }

    func remembers(_ key: KeyNumber) -> Bool { entries[key] != nil }

    /// Moves on to the next end of a pause. How long those pauses were is remembered for documents that exist.
    /// - Complexity: O(n).
    mutating func end(at now: MonotonicInstant, exists: (KeyNumber) -> Bool) {
        entries = entries.filter { $0.value.until > now || exists($0.key) }
        next = entries.values.lazy.map(\.until).filter { $0 > now }.min()
    }
}
