import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Files of one's own: at a place, cut off, locked, renamed")
struct StorageTests {
    private let place: TemporaryFolder
    private let folder: DescriptorBox

    init() throws {
        place = try TemporaryFolder()
        folder = DescriptorBox(try OwnedDescriptor.openFolder(place.rawPath))
    }

    private func open(_ name: String, creates: Bool = false) throws -> OwnedDescriptor {
        try folder.descriptor.openFile(Array(name.utf8), creates: creates)
    }

    @Test("what is written at a place is read from there; beyond the end there is nothing")
    func places() throws {
        let file = try open("a", creates: true)
        try file.write(Array("hello".utf8), at: 3)
        try file.write([], at: 100)
        var buffer = [UInt8](repeating: 9, count: 4)
        #expect(try file.read(into: &buffer, at: 1) == 4)
        #expect(buffer == [0, 0] + Array("he".utf8))
        #expect(try file.read(into: &buffer, at: 6) == 2)
        #expect(try file.read(into: &buffer, at: 8) == 0)
        try file.truncate(to: 5)
        try file.synchronize()
        #expect(try FileStatus.of(file).size == 5)
        #expect(try FileStatus.of(file).permissions == 0o600)
        try file.setPermissions(0o640)
        #expect(try FileStatus.of(file).permissions == 0o640)
    }

    @Test("opening follows no link, waits for no pipe, and makes nothing unless asked to")
    func opening() throws {
        try place.write("target")
        try place.makeLink("link", to: place.path("target"))
        place.makePipe("pipe")
        try place.makeFolder("folder")
        for (name, code) in [
            ("link", ErrorNumber.tooManySymbolicLinks), ("folder", .isADirectory),
            ("none", .noSuchFile),
        ] {
            let error = #expect(throws: SystemError.self) { _ = try open(name) }
            #expect(error?.code == code, "\(name)")
        }
        #expect(try FileStatus.of(open("pipe")).kind == .other)
    }

    @Test("a lock is held by one opening at a time, and goes with it")
    func lock() throws {
        do {
            let first = try open("lock", creates: true)
            #expect(try first.tryLock())
            #expect(try !open("lock").tryLock())
        }
        #expect(try open("lock").tryLock())
    }

    @Test("a file takes another name, in place of what had it")
    func rename() throws {
        try place.write("a", "new")
        try place.write("b", "old")
        try folder.descriptor.renameFile(Array("a".utf8), to: Array("b".utf8))
        #expect(try place.contents(of: "b") == "new")
        let error = #expect(throws: SystemError.self) {
            try folder.descriptor.renameFile(Array("a".utf8), to: Array("b".utf8))
        }
        #expect(error?.code == .noSuchFile)
    }

    @Test(
        "folders are made with those on the way, for this user alone; a file in the way is an error"
    )
    func folders() throws {
        let deep = place.rawPath("a/b/c")
        try OwnedDescriptor.makeFolders(deep)
        try OwnedDescriptor.makeFolders(deep)
        #expect(try FileStatus.of(deep).permissions == 0o700)
        #expect(try FileStatus.of(place.rawPath("a")).permissions == 0o700)
        try place.write("file")
        let error = #expect(throws: SystemError.self) {
            try OwnedDescriptor.makeFolders(place.rawPath("file/x"))
        }
        #expect(error?.code == .notADirectory)
    }

    @Test("waiting ends when there is something to read, or when the time is up")
    func waiting() throws {
        let wake = try OwnedDescriptor.wakeUp()
        wake.waitUntilReadable(milliseconds: 1)
        wake.signalWakeUp()
        wake.waitUntilReadable(milliseconds: nil)
        wake.clearWakeUp()
    }

    @Test("the run of the machine has a name, the same for as long as it runs")
    func boot() throws {
        let name = try CurrentProcess.bootIdentifier()
        #expect(name.utf8.count == 36)
        #expect(try CurrentProcess.bootIdentifier() == name)
    }
}
