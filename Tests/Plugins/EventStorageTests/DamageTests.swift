// Files that are truncated, damaged or foreign.

import EventStorage
import SystemInterface
import TestSupport
import Testing

@Suite struct DamageTests {
    /// A segment of a few events, and the offsets at which complete records end.
    private func segment() throws -> (name: String, bytes: [UInt8], ends: [Int]) {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder)
        var ends: [Int] = []
        for number in 1...6 {
            try opened.store.append([event(number, number == 3 ? nil : "\(number)")])
            ends.append(opened.store.bytes)
        }
        let name = try #require(folder.segments.first)
        return (name, try #require(folder.files[name]), ends)
    }

    private func written(_ count: Int) -> [StoredEvent] {
        (0..<count).map { event($0 + 1, $0 == 2 ? nil : "\($0 + 1)") }
    }

    @Test("a file cut off at any byte keeps all complete events before it and accepts more")
    func everyTruncation() throws {
        let (name, bytes, ends) = try segment()
        for size in 0..<bytes.count {
            let folder = MemoryFolder([name: Array(bytes[..<size])])
            var opened = try EventStore.reopen(folder)
            let whole = ends.count { $0 <= size }
            #expect(opened.events == written(whole), "cut at \(size)")
            // A cut between two events is undetectable; any other is reported.
            let isSeen = whole == 0 ? size != 68 : !ends.contains(size)
            #expect(opened.notes.count == (isSeen ? 1 : 0), "cut at \(size): \(opened.notes)")
            opened.store.checkInvariants()
            try opened.store.append([event(100)])
            let again = try EventStore.reopen(folder)
            #expect(again.events == written(whole) + [event(100)], "cut at \(size)")
            #expect(again.notes.isEmpty)
        }
    }

    @Test("a damaged byte anywhere is found: earlier events are kept and correct")
    func everySpoiltByte() throws {
        let (name, bytes, ends) = try segment()
        for index in bytes.indices {
            for mask: UInt8 in [0x01, 0x80, 0xff] {
                var spoilt = bytes
                spoilt[index] ^= mask
                let folder = MemoryFolder([name: spoilt])
                let opened = try EventStore.reopen(folder)
                let whole = ends.count { $0 <= index }
                #expect(opened.events == written(whole), "byte \(index)")
                #expect(opened.notes.count == 1, "byte \(index)")
                if index < 68 { #expect(folder.files[name + ".bad"] == spoilt) }
            }
        }
    }

    @Test("a tail of zeros is cut off")
    func zeros() throws {
        let (name, bytes, _) = try segment()
        let folder = MemoryFolder([name: bytes + [UInt8](repeating: 0, count: 5000)])
        let opened = try EventStore.reopen(folder)
        #expect(opened.events == written(6))
        #expect(folder.files[name] == bytes)
        #expect(opened.notes.first?.contains("5000 bytes were cut off") == true)
    }

    @Test("a fault in one segment loses the rest of that segment only")
    func middle() throws {
        let folder = MemoryFolder()
        var opened = try EventStore.reopen(folder, limits: .init(count: 40, bytes: 1 << 20))
        try opened.store.append(events(1...30))
        let names = folder.segments
        #expect(names.count == 3)
        let size = try #require(folder.files[names[1]]?.count)
        folder.files[names[1]]?[size / 2] ^= 1
        let again = try EventStore.reopen(folder, limits: .init(count: 40, bytes: 1 << 20))
        #expect(again.notes.count == 1)
        #expect(again.events.prefix(11).map(\.number) == Array(1...11))
        #expect(again.events.suffix(10) == events(21...30)[...])
        #expect(again.events.count < 30)
    }

    @Test("an older file whose numbers overlap a newer one is cut off at the overlap")
    func overlap() throws {
        let old = MemoryFolder()
        var first = try EventStore.reopen(old)
        try first.store.append(events(1...20))
        let new = MemoryFolder()
        var second = try EventStore.reopen(new)
        try second.store.append(events(11...15))
        var files = new.files
        files.merge(old.files) { new, _ in new }
        let opened = try EventStore.reopen(MemoryFolder(files))
        #expect(opened.events == events(1...15))
        #expect(opened.notes.count == 1)
    }

    @Test("numbers that don't ascend end a segment even with valid checksums")
    func descending() throws {
        let (name, bytes, ends) = try segment()
        // The records of the second and third event once more.
        let folder = MemoryFolder([name: bytes + bytes[ends[0]..<ends[2]]])
        let opened = try EventStore.reopen(folder)
        #expect(opened.events == written(6))
        #expect(opened.notes.first?.contains("out of order") == true)
        #expect(folder.files[name] == bytes)
    }

    @Test("a duplicate number ends a segment: each event is read once")
    func twice() throws {
        let (name, bytes, ends) = try segment()
        // The last record once more.
        let folder = MemoryFolder([name: bytes + bytes[ends[4]..<ends[5]]])
        let opened = try EventStore.reopen(folder)
        #expect(opened.events == written(6))
        #expect(opened.notes.first?.contains("out of order") == true)
        #expect(folder.files[name] == bytes)
    }

    @Test("files that are not segments are set aside, a few are kept, the rest is used")
    func foreign() throws {
        let (name, bytes, _) = try segment()
        var files = [name: bytes]
        func named(_ number: Int) -> String {
            "events-" + String(repeating: "0", count: 18) + "\(number).log"
        }
        files[named(20)] = Array(String(repeating: "not a segment ", count: 20).utf8)
        files[named(30)] = bytes  // misnamed
        var newer = bytes
        newer[8] = 2
        files[named(40)] = newer
        for number in 50..<60 { files[named(number) + ".bad"] = [1] }
        files["notes.txt"] = [1]
        let folder = MemoryFolder(files)
        let opened = try EventStore.reopen(folder)
        #expect(opened.events == written(6))
        #expect(opened.notes.count == 3)
        #expect(folder.segments == [name])
        #expect(folder.files["notes.txt"] == [1])
        let again = try EventStore.reopen(folder)
        #expect(again.notes.isEmpty)
        #expect(folder.files.keys.count { $0.hasSuffix(".bad") } == 4)
    }

    @Test("an unreadable segment is set aside")
    func unreadable() throws {
        let (name, bytes, _) = try segment()
        let folder = MemoryFolder([name: bytes])
        folder.change { $0.unreadable[name] = .permissionDenied }
        let opened = try EventStore.reopen(folder)
        #expect(opened.events.isEmpty)
        #expect(opened.notes.first?.contains("Permission denied") == true)
        #expect(folder.files[name + ".bad"] == bytes)
    }
}
