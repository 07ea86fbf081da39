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
        dropWhatIsOver()
        dropExpired()
        buffer.giveBackRoom()
    }

    /// Numbers an event, and keeps it as far as the limits allow. What is left in `place` is for the
    /// caller to let go of: the one that made room, or the event itself, if it isn't kept.
    @usableFromInline
    func keep(_ place: inout EventBuffer.Place) -> Stamp {
        let stamp = Stamp(sequence: lastSequence + 1, time: now())
        lastSequence = stamp.sequence
        place.sequence = stamp.sequence
        place.time = stamp.time
        if limits.count > 0 { buffer.append(&place, limit: limits.count) }
        if buffer.isOver(limits, lastSequence: lastSequence) { dropWhatIsOver() }
        if limits.age != nil { drop(before: stamp.time) }
        return stamp
    }

    /// The number and the time of an event, as ``SentEvent`` has them.
    public struct Stamp: Sendable {
        /// The place of the event in the order of all events of its bus.
        public let sequence: Int

        /// When it was sent: by the clock given to the bus, and in its unit.
        public let time: Double

        @usableFromInline
        init(sequence: Int, time: Double) {
            self.sequence = sequence
            self.time = time
        }
    }

    private func dropWhatIsOver() {
        while buffer.isOver(limits, lastSequence: lastSequence) { _ = buffer.popFirst() }
    }

    private func drop(before time: Double) {
        while let age = limits.age, let oldest = buffer.firstTime, oldest < time - age {
            _ = buffer.popFirst()
        }
    }
}
