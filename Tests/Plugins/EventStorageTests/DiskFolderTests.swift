// The real folder: permissions and contents.

import EventStorage
import Glibc
import StateFolder
import SystemInterface
import TestSupport
import Testing

@Suite struct DiskFolderTests {
    private let place: TemporaryFolder

    init() throws { place = try TemporaryFolder() }

    private func permissions(_ name: String) throws -> UInt32 {
        try FileStatus.of(place.rawPath(name)).permissions
    }

    @Test("a store is created with its parent folders, for this user only")
    func roundTrip() throws {
        let path = place.path("a/b/events")
        do {
            let folder = try DiskFolder(at: path)
            var opened = try EventStore.reopen(folder)
            try opened.store.append(events(1...100))
            try opened.store.synchronize()
            try opened.mark.store(100)
        }
        for name in ["a", "a/b", "a/b/events"] { #expect(try permissions(name) == 0o700) }
        let folder = try DiskFolder(at: path)
        for name in try folder.names() { #expect(try permissions("a/b/events/\(name)") == 0o600) }
        let again = try EventStore.reopen(folder)
        #expect(again.continues)
        #expect(again.events == events(1...100))
    }

    @Test("a folder that others can read is made private")
    func tooOpen() throws {
        try place.makeFolder("events")
        // The path is a C string for the length of the call.
        #expect(unsafe chmod(place.path("events"), 0o755) == 0)
        _ = try DiskFolder(at: place.path("events"))
        #expect(try permissions("events") == 0o700)
    }

    @Test("a folder has one owner at a time")
    func lock() throws {
        let path = place.path("events")
        do {
            let first = try DiskFolder(at: path)
            #expect(throws: StorageError.inUse(path: path)) { _ = try DiskFolder(at: path) }
            _ = try first.names()
        }
        _ = try DiskFolder(at: path)
    }

    @Test("a file, a link or nothing at the folder's path is an error with the path")
    func noFolder() throws {
        try place.write("file")
        try place.makeFolder("real")
        try place.makeLink("link", to: place.path("real"))
        for name in ["file", "link"] {
            let error = #expect(throws: StorageError.self) {
                _ = try DiskFolder(at: place.path(name))
            }
            #expect("\(error as Any)".contains(place.path(name)))
        }
    }

    @Test("folders, links and pipes in place of files are set aside without blocking")
    func hostileEntries() throws {
        let path = place.path("events")
        func name(_ number: Int) -> String {
            "events-" + String(repeating: "0", count: 18) + "\(number).log"
        }
        try place.makeFolder("events/" + name(10))
        try place.makeFolder("events/" + name(11) + "/inner")
        try place.write("target", "secret")
        try place.makeLink("events/" + name(12), to: place.path("target"))
        place.makePipe("events/" + name(13))
        try place.makeFolder("events/mark")
        let folder = try DiskFolder(at: path)
        var opened = try EventStore.reopen(folder)
        #expect(opened.notes.count == 5, "\(opened.notes)")
        #expect(opened.events.isEmpty)
        try opened.store.append(events(1...3))
        try opened.mark.store(3)
        #expect(try place.contents(of: "target") == "secret")
        let again = try EventStore.reopen(folder)
        #expect(again.events == events(1...3) && again.continues && again.notes.isEmpty)
    }
}
