import DirectoryWatching
import Glibc
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Without an inotify instance")
struct NoQueueTests {
    private static let fault = SystemError(.tooManyOpenFiles, operation: "make an inotify queue")

    private func makeTree(_ fixture: WatchFixture) {
        fixture.root.makeFolders("a/b")
        fixture.root.write("a/b/1", "1")
        fixture.root.write("2", "1")
    }

    @Test("All files are listed from the start, and the root says why it is polled")
    func listed() throws {
        let fixture = try WatchFixture(queueFault: Self.fault)
        makeTree(fixture)
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        fixture.expectTruth()
        let path = fixture.root.bytes
        #expect(fixture.status?.state == .polling)
        #expect(fixture.status?.degraded.map(\.path) == [path])
        #expect(fixture.status?.degraded.first?.reason.contains("max_user_instances") == true)
        let told = fixture.reports.filter { if case .degraded = $0 { true } else { false } }
        #expect(told == [.degraded(path: path, reason: .noQueue(EMFILE))], "once, for the root")
    }

    @Test("Changes are seen by a sync, and by the poll after some seconds")
    func polled() throws {
        let fixture = try WatchFixture(queueFault: Self.fault)
        makeTree(fixture)
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        fixture.root.write("a/b/3", "1")
        fixture.root.makeFolder("new")
        fixture.root.write("new/4", "1")
        fixture.settle()
        fixture.expectTruth()
        fixture.root.remove("a/b/3")
        fixture.root.append("new/4", "23")
        fixture.loop.advance(by: .seconds(5))
        fixture.expectTruth()
    }

    @Test(
        "A freed instance is used without a restart: by the poll, and by a reload",
        arguments: [false, true])
    func recovers(byReload: Bool) throws {
        let fixture = try WatchFixture(queueFault: Self.fault)
        makeTree(fixture)
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        let keys = Set(fixture.store.documents.map(\.key))
        fixture.access.queueFault = nil
        if byReload {
            try fixture.watcher.setRoots([fixture.root.path])
            fixture.loop.turn()
        } else {
            fixture.loop.advance(by: .seconds(5))
        }
        #expect(fixture.status?.state == .watching)
        #expect(fixture.status?.degraded == [])
        #expect(fixture.reports.last == .restored(path: fixture.root.bytes))
        #expect(Set(fixture.store.documents.map(\.key)) == keys)
        fixture.root.write("a/b/5", "1")
        fixture.loop.turn()
        fixture.expectTruth()
        fixture.loop.advance(by: .seconds(5))
        #expect(fixture.loop.nextTimer == nil)
    }

    @Test("A root that is missing is found by the poll")
    func missing() throws {
        let fixture = try WatchFixture(queueFault: Self.fault)
        let late = Disk(fixture.root.path + "/late")
        try fixture.watcher.setRoots([late.path])
        fixture.settle()
        #expect(fixture.status?.state == .missing)
        late.makeFolder("")
        late.write("a", "1")
        fixture.loop.advance(by: .seconds(5))
        fixture.expectTruth([late])
        #expect(fixture.status?.state == .polling)
    }

    @Test("A root that is a file says so, and one that does not exist says that")
    func absence() throws {
        let fixture = try WatchFixture()
        fixture.root.write("file", "1")
        let path = Array("\(fixture.root.path)/file".utf8)
        try fixture.watcher.setRoots([path])
        fixture.settle()
        #expect(fixture.reports == [.rootMissing(path: path, .notAFolder)])
        #expect(fixture.status?.degraded.first?.reason.contains("not a folder") == true)
        fixture.root.remove("file")
        fixture.settle()
        #expect(fixture.status?.degraded.first?.reason.contains("not there") == true)
        fixture.root.makeFolder("file")
        fixture.root.write("file/a", "1")
        fixture.settle()
        #expect(fixture.names == ["a"] && fixture.status?.degraded == [])
    }

    @Test(
        "A missing root in a /tmp that is the service's own says so, and only that",
        arguments: [
            ("/tmp/pickerd test/x", "/tmp/systemd-private-8f-pickerd.service-a/tmp /tmp", true),
            ("/tmp/pickerd test/x", "/systemd-private-8f-pickerd.service-a/tmp /tmp", true),
            ("/var/tmp/pickerd x", "/systemd-private-8f-pickerd.service-a/tmp /var/tmp", true),
            ("/tmp/pickerd test/x", "/systemd-private-8f-pickerd.service-a/tmp /var/tmp", false),
            ("/tmp/pickerd test/x", "/ /tmp", false),
            ("/tmpx/pickerd test", "/systemd-private-8f-pickerd.service-a/tmp /tmp", false),
        ])
    func privateTemporary(_ path: String, _ mount: String, _ isOwn: Bool) throws {
        let fixture = try WatchFixture()
        fixture.access.mountsText = Array("36 35 98:0 \(mount) rw - ext4 /dev/sda1 rw\n".utf8)
        try fixture.watcher.setRoots([Array(path.utf8)])
        fixture.settle()
        let reason = try #require(fixture.status?.degraded.first?.reason)
        #expect(reason.contains("PrivateTmp=no") == isOwn, "\(reason)")
    }

    @Test("A folder with inaccessible files is reported once, and listed when they are accessible")
    func closed() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("closed")
        fixture.root.write("closed/a", "1")
        fixture.root.write("b", "1")
        let fault = SystemError(.permissionDenied, operation: "look at")
        fixture.access.scanFault = { $0 == [UInt8(ascii: "a")] ? fault : nil }
        fixture.access.lookFault = { $0.suffix(9) == Array("/closed/a".utf8) ? fault : nil }
        try fixture.watcher.setRoots([fixture.root.path])
        fixture.settle()
        let path = Array("\(fixture.root.path)/closed".utf8)
        fixture.loop.advance(by: .seconds(20))
        #expect(fixture.names == ["b"])
        #expect(fixture.status?.degraded.map(\.path) == [path])
        let told = fixture.reports.filter { if case .degraded = $0 { true } else { false } }
        #expect(told == [.degraded(path: path, reason: .closed)])
        fixture.access.scanFault = nil
        fixture.access.lookFault = nil
        fixture.loop.advance(by: .seconds(30))
        #expect(fixture.status?.state == .watching && fixture.status?.degraded == [])
        fixture.expectTruth()
    }
}
