import Synchronization

/// Tells a thread of a test to end, and that it has.
final class DoneFlag: Sendable {
    private let asked = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)

    var isSet: Bool { asked.load(ordering: .acquiring) }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func set() { asked.store(true, ordering: .releasing) }
    func end() { ended.store(true, ordering: .releasing) }
}
