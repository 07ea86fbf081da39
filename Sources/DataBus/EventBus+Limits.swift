// What is dropped when. The oldest go first, one at a time, each of them only after the buffer is in order
// again.

extension EventBus {
    /// How much a bus keeps for replay. The oldest go first.
    public struct Limits: Equatable, Sendable {
        /// The most events kept. After ``EventBus/restore(_:lastSequence:)`` it is the numbers that
        /// count: no event is kept that is not one of the last so many, were all of them there.
        public var count: Int
        /// The most bytes kept, by ``Event/retainedBytes``. An event larger than that is delivered
        /// and not kept, and neither is any before it.
        public var bytes: Int
        /// How long an event is kept, in the unit of the clock of the bus; nil for as long as there
        /// is room. It is looked at when something is sent, replayed or subscribed to with replay,
        /// and by ``EventBus/dropExpired()``.
        public var age: Double?

        /// Limits of `count` events and `bytes` bytes, and of `age` if that is given.
        public init(count: Int = 5, bytes: Int = .max, age: Double? = nil) {
            precondition(count >= 0 && bytes >= 0, "a bus can't keep less than nothing")
            self.count = count
            self.bytes = bytes
            self.age = age
        }
    }

    /// The number of events kept, ``Limits/count``, under the name of old. Setting it drops at once
    /// what is over.
    public var bufferLength: Int {
        get { limits.count }
        set { limits.count = newValue }
    }

    /// Drops what is older than ``Limits/age``, as sending and replaying do. For buses that may be
    /// silent for longer than that.
    ///
    /// - Complexity: O(1) for each event dropped.
    public func dropExpired() {
        guard limits.age != nil else { return }
        drop(before: now())
    }

    func limitsDidChange() {
        precondition(
            limits.count >= 0 && limits.bytes >= 0, "a bus can't keep less than nothing")
        while buffer.isOver(limits, lastSequence: lastSequence) { _ = buffer.popFirst() }
        dropExpired()
        buffer.giveBackRoom()
    }

    /// Numbers an event, and keeps it as far as the limits allow.
    @usableFromInline
    func keep(_ event: any Event, bytes: Int) -> SentEvent {
        let time = now()
        lastSequence += 1
        let sent = SentEvent(sequence: lastSequence, time: time, event: event)
        // The one that makes room is let go of last.
        var dropped: SentEvent?
        if limits.count > 0 {
            if buffer.isFull(for: lastSequence, count: limits.count) { dropped = buffer.popFirst() }
            buffer.append(sent, bytes: max(bytes, 0))
        }
        while buffer.isOver(limits, lastSequence: lastSequence) { _ = buffer.popFirst() }
        if limits.age != nil { drop(before: time) }
        withExtendedLifetime(dropped) {}
        return sent
    }

    private func drop(before time: Double) {
        while let age = limits.age, let oldest = buffer.first, oldest.time < time - age {
            _ = buffer.popFirst()
        }
    }
}
