// Access to the kept events by number, and restoring those of an earlier run.

extension EventBus {
    /// The number of the oldest event kept; one past ``lastSequence`` when none is.
    ///
    /// All later events are kept, too, unless some were missing when the events of an earlier run were
    /// restored (``restore(_:lastSequence:)``). The oldest itself is never missing.
    public var oldestSequence: Int {
        buffer.count == 0 ? lastSequence + 1 : buffer.firstSequence
    }

    /// The number of kept events. Missing ones don't count.
    package var keptCount: Int { buffer.count }

    /// The event with that number, or `nil` if it is no longer kept, is missing, or was never sent.
    ///
    /// - Complexity: O(1); O(log n) in the n events kept while numbers are missing among them.
    public func kept(sequence: Int) -> SentEvent? {
        let index = buffer.index(from: sequence)
        guard index < buffer.count else { return nil }
        let found = buffer[index]
        return found.sequence == sequence ? found : nil
    }

    /// The first kept event with a number greater than `sequence`; `nil` if there is none. A reader that
    /// follows the bus uses this to skip missing numbers.
    ///
    /// - Complexity: as ``kept(sequence:)``.
    public func firstKept(after sequence: Int) -> SentEvent? {
        guard sequence < lastSequence else { return nil }
        let index = buffer.index(from: sequence + 1)
        return index < buffer.count ? buffer[index] : nil
    }

    /// The number of events after `sequence` that are not kept: dropped, or missing. 0 from
    /// ``lastSequence`` on. It is computed as a difference, without a search for gaps.
    ///
    /// - Complexity: as ``kept(sequence:)``.
    public func missing(after sequence: Int) -> Int {
        let start = max(sequence, 0)
        guard start < lastSequence else { return 0 }
        return lastSequence - start - (buffer.count - buffer.index(from: start + 1))
    }

    /// Restores the events of an earlier run, so that they can be read and replayed, and continues their
    /// numbering. No handler receives them except by replay.
    ///
    /// Numbers missing between them, and from the last of them up to `lastSequence`, stay missing. They
    /// take no memory, but count for ``Limits/count``. Events beyond the limits are dropped at once.
    ///
    /// - Precondition: No event has been sent or restored before. The numbers are greater than 0,
    ///   ascend, and do not exceed `lastSequence`.
    /// - Parameters:
    ///   - events: The kept events, oldest first.
    ///   - lastSequence: The number of the last event of that run. The next event gets the number after it.
    /// - Complexity: O(`events`).
    public func restore(_ events: [SentEvent], lastSequence: Int) {
        precondition(
            self.lastSequence == 0 && buffer.count == 0,
            "events are restored once, and before any is sent")
        precondition(
            0 <= lastSequence && lastSequence <= .max / 2,
            "\(lastSequence) can't be the number of an event")
        var previous = 0
        for sent in events {
            precondition(
                previous < sent.sequence && sent.sequence <= lastSequence,
                "event \(sent.sequence) can't come after \(previous) and up to \(lastSequence)")
            previous = sent.sequence
        }
        let bytes = events.map(\.event.retainedBytes)
        precondition(self.lastSequence == 0, "an event was sent while others were restored")
        self.lastSequence = lastSequence
        for (sent, bytes) in zip(events, bytes)
        where lastSequence - sent.sequence < limits.count {
            var entry = EventBuffer.Entry(bytes: bytes, event: sent.event)
            entry.sequence = sent.sequence
            entry.time = sent.time
            buffer.append(&entry, limit: limits.count)
        }
        applyLimits()
    }
}
