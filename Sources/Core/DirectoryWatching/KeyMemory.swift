// The keys of files that vanished a moment ago, by the identity of the file.
//
// A file that is moved out and back, or whose move was seen in halves, keeps its key that way.
// Bounded in time and number; nothing is timed: what is too old is thrown out when the memory is
// next used.

import PickerModel
import SystemdEventLoop

struct KeyMemory {
    private struct Record {
        let identity: UInt64
        let key: DocumentKey
        let until: MonotonicInstant
    }

    private let limit: Int
    private let span: Duration
    private var byIdentity: [UInt64: DocumentKey] = [:]
    private var records: [Record] = []
    private var first = 0

    init(limit: Int, span: Duration) {
        self.limit = limit
        self.span = span
    }

    var isEmpty: Bool { byIdentity.isEmpty }
    var count: Int { byIdentity.count }

    mutating func remember(_ key: DocumentKey, identity: UInt64, now: MonotonicInstant) {
        byIdentity[identity] = key
        records.append(Record(identity: identity, key: key, until: now.advanced(by: span)))
        while records.count - first > limit { forgetFirst() }
    }

    /// The key of that file, which is forgotten with this.
    mutating func take(_ identity: UInt64, now: MonotonicInstant) -> DocumentKey? {
        forgetOld(now)
        return byIdentity.removeValue(forKey: identity)
    }

    mutating func forgetOld(_ now: MonotonicInstant) {
        while first < records.count, records[first].until <= now { forgetFirst() }
        if first == records.count {
            byIdentity = [:]
            records = []
            first = 0
        }
    }

    private mutating func forgetFirst() {
        let record = records[first]
        if byIdentity[record.identity] == record.key {
            byIdentity.removeValue(forKey: record.identity)
        }
        first += 1
        if first > 1024, first * 2 > records.count {
            records.removeFirst(first)
            first = 0
        }
    }
}
