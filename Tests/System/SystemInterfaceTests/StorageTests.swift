import Glibc
import SystemInterface
import TestSupport
import Testing

@Suite("Storage files: positioned access, truncation, locks, renames")
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

    @Test("data is read from where it was written; beyond the end there is nothing")
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

    @Test("opening follows no link, does not block on a pipe, and creates only on request")
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

    @Test("a lock has one open file at a time, and ends with it")
    func lock() throws {
        do {
            let first = try open("lock", creates: true)
            #expect(try first.tryLock())
            #expect(try !open("lock").tryLock())
        }
        #expect(try open("lock").tryLock())
    }

    @Test("a file is renamed over another")
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

    @Test("a wait ends when there is something to read, or at the time limit")
    func waiting() throws {
        let wake = try OwnedDescriptor.wakeUp()
        wake.waitUntilReadable(milliseconds: 1)
        wake.signalWakeUp()
        wake.waitUntilReadable(milliseconds: nil)
        wake.clearWakeUp()
    }

    @Test("the boot identifier is constant")
    func boot() throws {
        let name = try CurrentProcess.bootIdentifier()
        #expect(name.utf8.count == 36)
        #expect(try CurrentProcess.bootIdentifier() == name)
    }
}
