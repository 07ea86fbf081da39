// The keys of recently vanished files, by file identity.
//
// A file that is moved out and back, or whose move was seen in halves, keeps its key this way. Time and number
// are limited. There is no timer: each use drops the expired keys.

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

    /// Removes and returns the key of that file.
    mutating func takeKey(of identity: UInt64, now: MonotonicInstant) -> DocumentKey? {
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
