// Enforcement of the limits. The oldest events are dropped first, one at a time, each only after the
// buffer is consistent again.

extension EventBus {
    /// The limits of the events that a bus keeps for replay. The oldest are dropped first.
    public struct Limits: Equatable, Sendable {
        /// The maximum number of kept events. After ``EventBus/restore(_:lastSequence:)`` the limit
        /// applies to the numbers, as if none were missing: only events among the last `count` numbers
        /// are kept.
        public var count: Int
        /// The maximum number of kept bytes, by ``Event/retainedBytes``. An event larger than that is
        /// delivered but not kept, and neither is any event before it.
        public var bytes: Int
        /// How long an event is kept, in the unit of the clock of the bus; `nil` for no age limit. It is
        /// checked on sending, on replay, on subscribing with replay, and by ``EventBus/dropExpired()``.
        public var age: Double?

        /// Limits of `count` events and `bytes` bytes, and of `age` if given.
        public init(count: Int = 5, bytes: Int = .max, age: Double? = nil) {
            precondition(count >= 0 && bytes >= 0, "the limits of a bus must not be negative")
            self.count = count
            self.bytes = bytes
            self.age = age
        }
    }

    /// The maximum number of kept events, the former name of ``Limits/count``. Setting it drops excess
    /// events at once.
    public var bufferLength: Int {
        get { limits.count }
        set { limits.count = newValue }
    }

    /// Drops events older than ``Limits/age``, as sending and replaying do. For buses that may be idle
    /// for longer than that.
    ///
    /// - Complexity: O(1) for each event dropped.
    public func dropExpired() {
        guard limits.age != nil else { return }
        drop(before: now())
    }

    func applyLimits() {
        precondition(
            limits.count >= 0 && limits.bytes >= 0, "the limits of a bus must not be negative")
        dropExcessEvents()
        dropExpired()
        buffer.releaseUnusedCapacity()
    }

    /// Numbers an event, and keeps it as far as the limits allow. Afterwards, `entry` holds what the
    /// caller has to release: the event that was dropped for it, or the event itself, if it isn't kept.
    @usableFromInline
    func keep(_ entry: inout EventBuffer.Entry) -> Stamp {
        let stamp = Stamp(sequence: lastSequence + 1, time: now())
        lastSequence = stamp.sequence
        entry.sequence = stamp.sequence
        entry.time = stamp.time
        if limits.count > 0 { buffer.append(&entry, limit: limits.count) }
        if buffer.isOver(limits, lastSequence: lastSequence) { dropExcessEvents() }
        if limits.age != nil { drop(before: stamp.time) }
        return stamp
    }

    /// The number and the time of an event, as in ``SentEvent``.
    public struct Stamp: Sendable {
        /// The position of the event in the order of all events of its bus.
        public let sequence: Int

        /// The time when it was sent, in the clock and the unit of the bus.
        public let time: Double

        @usableFromInline
        init(sequence: Int, time: Double) {
            self.sequence = sequence
            self.time = time
        }
    }

    private func dropExcessEvents() {
        while buffer.isOver(limits, lastSequence: lastSequence) { _ = buffer.popFirst() }
    }

    private func drop(before time: Double) {
        while let age = limits.age, let oldest = buffer.firstTime, oldest < time - age {
            _ = buffer.popFirst()
        }
    }
}
