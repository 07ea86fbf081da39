// Helpers for all tests of the store.

import EventStorage
import StateFolder
import TestSupport

extension EventStore {
    /// Opens a store like a daemon after a kill on the same run of the machine.
    static func reopen(
        _ folder: any StorageFolder, limits: Limits = Limits(count: 65_536, bytes: 16 << 20),
        boot: String = "boot", newEpoch: String = "new"
    ) throws(StorageError) -> Opened {
        try open(in: folder, limits: limits, boot: boot, newEpoch: newEpoch)
    }
}

/// An event with some data.
func event(_ number: Int, _ data: String? = #"{"key":"f1"}"#) -> StoredEvent {
    StoredEvent(
        number: number, time: 1_700_000_000.25 + Double(number), topic: "app.saved",
        data: data.map { Array($0.utf8) })
}

func events(_ numbers: ClosedRange<Int>) -> [StoredEvent] { numbers.map { event($0) } }

extension SeededRandom {
    mutating func event(_ number: Int) -> StoredEvent {
        let size =
            chance(0.1)
            ? Int.random(in: 0...2000, using: &self) : Int.random(in: 0...60, using: &self)
        let data =
            chance(0.2) ? nil : (0..<size).map { _ in UInt8.random(in: 0...255, using: &self) }
        return StoredEvent(
            number: number, time: Double.random(in: -1e9...1e12, using: &self),
            topic: String(repeating: "a", count: Int.random(in: 1...128, using: &self)), data: data)
    }
}
