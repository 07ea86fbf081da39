// The keys of recently vanished files, by file identity.
//
// A file that is moved out and back, or whose move was seen in halves, keeps its key this way. Time and number
// are limited. There is no timer: each commit forgets some of the expired keys.

import EventLoops
import PickerModel

struct KeyMemory {
    private struct Record {
        let identity: UInt64
        let key: DocumentKey
        let until: MonotonicInstant
    }

    /// Where there are so many keys, there is room for as many as there can be: a table that grows moves all of them at
    /// once, for milliseconds. What is not used of the room takes no memory.
    static let many = 256
    /// The most expired keys that are forgotten at once: a fraction of a millisecond.
    static let forgottenAtOnce = 2048

    private let limit: Int
    private let span: Duration
    private var byIdentity: [UInt64: (key: DocumentKey, until: MonotonicInstant)] = [:]
    private var records: [Record] = []
    private var first = 0

    init(limit: Int, span: Duration) {
        self.limit = limit
        self.span = span
    }

    var isEmpty: Bool { byIdentity.isEmpty }
    var count: Int { byIdentity.count }

    mutating func remember(_ key: DocumentKey, identity: UInt64, now: MonotonicInstant) {
        let until = now.advanced(by: span)
        if byIdentity.count == min(Self.many, limit), byIdentity.capacity < limit {
            byIdentity.reserveCapacity(limit + 1)
            // As many have been forgotten at most.
            records.reserveCapacity(2 * limit + 2)
        }
        byIdentity[identity] = (key, until)
        records.append(Record(identity: identity, key: key, until: until))
        while records.count - first > limit { forgetFirst() }
    }

    /// Removes and returns the key of that file, unless it has expired.
    mutating func takeKey(of identity: UInt64, now: MonotonicInstant) -> DocumentKey? {
        guard let known = byIdentity.removeValue(forKey: identity), known.until > now else {
            return nil
        }
        return known.key
    }

    /// Forgets the oldest expired keys, a limited number.
    mutating func forgetOld(_ now: MonotonicInstant) {
        var left = Self.forgottenAtOnce
        while left > 0, first < records.count, records[first].until <= now {
            forgetFirst()
            left -= 1
        }
        if first == records.count {
            byIdentity = [:]
            records = []
            first = 0
        }
    }

    private mutating func forgetFirst() {
        let record = records[first]
        if let known = byIdentity[record.identity], known.key == record.key,
            known.until == record.until
        {
            byIdentity.removeValue(forKey: record.identity)
        }
        first += 1
        if first > Self.many, first * 2 > records.count {
            records.removeFirst(first)
            first = 0
        }
    }
}
