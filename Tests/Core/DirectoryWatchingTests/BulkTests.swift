import PickerModel
import SystemInterface
import TestSupport
import Testing

@testable import DirectoryWatching

@Suite("Changes of many documents")
struct BulkTests {
    private static let most = 16

    /// A root with a folder of 90 files, in three folders, and a file beside.
    private func fixture() throws -> WatchFixture {
        var limits = WatchLimits()
        limits.changesPerTransaction = Self.most
        limits.fewestChangesPerTransaction = 4
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolders("many/a/b")
        for number in 0..<30 {
            for folder in ["many", "many/a", "many/a/b"] {
                fixture.root.write("\(folder)/\(number)", "1")
            }
        }
        fixture.root.write("beside", "1")
        try fixture.start()
        return fixture
    }

    private func keys(_ fixture: WatchFixture) -> Set<String> {
        Set(fixture.store.documents.map(\.key))
    }

    private func expectParts(_ fixture: WatchFixture, _ count: (DocumentChange) -> Int) {
        #expect(fixture.transactions.map(count).reduce(0, +) == 90)
        #expect(fixture.transactions.allSatisfy { (1...Self.most).contains(count($0)) })
        #expect(fixture.watcher.isSettled)
        fixture.expectTruth()
    }

    @Test(
        "A first scan ends whatever is left for its last commit",
        arguments: [0, 1, 15, 16, 17, 31, 33, 48])
    func firstScan(count: Int) throws {
        var limits = WatchLimits()
        limits.changesPerTransaction = Self.most
        limits.fewestChangesPerTransaction = 4
        let fixture = try WatchFixture(limits: limits)
        for number in 0..<count { fixture.root.write("\(number)", "1") }
        try fixture.watcher.setRoots([fixture.root.path])
        while !fixture.loop.isIdle { fixture.loop.turn() }
        #expect(
            fixture.reports.last == .scanFinished(root: fixture.root.bytes, documents: count))
        fixture.expectTruth()
    }

    @Test("A file that a client makes behind many changes is told in turns, and once")
    func refreshBehindMany() throws {
        let fixture = try fixture()
        for number in 0..<100 { fixture.root.write("more \(number)", "1") }
        fixture.root.write("made", "123")
        var found: [Document?] = []
        let wait = fixture.watcher.refresh(
            root: fixture.root.bytes, relativePath: Array("made".utf8)
        ) { found.append($0) }
        #expect(found.isEmpty && !wait.isOver)
        let cancelled = fixture.watcher.refresh(
            root: fixture.root.bytes, relativePath: Array("more 1".utf8)
        ) { _ in Issue.record("it was cancelled") }
        cancelled.cancel()
        while !fixture.loop.isIdle { fixture.loop.turn() }
        #expect(found.count == 1 && found.first??.size == 3)
        #expect(fixture.transactions.allSatisfy { $0.addedRows.count <= Self.most })
        fixture.expectTruth()
    }

    @Test("A file that a client makes during a rescan is told before its end")
    func refreshDuringRescan() throws {
        let fixture = try fixture()
        fixture.watcher.perform { $0.startRescan() }
        fixture.root.write("made", "123")
        var found: [Document?] = []
        _ = fixture.watcher.refresh(
            root: fixture.root.bytes, relativePath: Array("made".utf8)
        ) { found.append($0) }
        while found.isEmpty, fixture.watcher.rescan != nil { fixture.loop.runOne() }
        #expect(found.count == 1 && found.first??.size == 3)
        while !fixture.loop.isIdle { fixture.loop.turn() }
        fixture.expectTruth()
    }

    @Test("A folder that is moved is committed in parts, and its documents keep their keys")
    func within() throws {
        let fixture = try fixture()
        let before = keys(fixture)
        fixture.root.move("many", "moved")
        fixture.loop.turn()
        expectParts(fixture) { $0.movedRows.count }
        #expect(fixture.transactions.allSatisfy { $0.added.isEmpty && $0.removed.isEmpty })
        #expect(keys(fixture) == before)
        #expect(fixture.transactions.first?.moved.first?.new.path.text.hasPrefix("moved/") == true)
    }

    @Test("A folder that is moved out of the root, and one that comes, are committed in parts")
    func outAndIn() throws {
        let fixture = try fixture()
        let outside = fixture.folder.path("outside")
        fixture.root.move("many", outTo: outside)
        fixture.loop.turn()
        fixture.loop.advance(by: .milliseconds(5))
        fixture.loop.turn()
        expectParts(fixture) { $0.removedRows.count }
        #expect(fixture.names == ["beside"])
        fixture.loop.advance(by: .seconds(2))
        fixture.forget()
        fixture.root.move(from: outside, "many")
        fixture.loop.turn()
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled)
        #expect(fixture.transactions.map(\.addedRows.count).reduce(0, +) == 90)
        fixture.expectTruth()
    }

    @Test("A folder that is moved out and back before it is committed keeps its keys")
    func outAndBack() throws {
        let fixture = try fixture()
        let before = keys(fixture)
        let outside = fixture.folder.path("outside")
        fixture.root.move("many", outTo: outside)
        fixture.root.move(from: outside, "other")
        fixture.loop.turn()
        fixture.loop.advance(by: .milliseconds(5))
        fixture.loop.turn()
        #expect(fixture.watcher.isSettled && keys(fixture) == before)
        fixture.expectTruth()
    }

    @Test("A caller that waits for the changes gets them in parts, with other work in between")
    func drain() throws {
        let fixture = try fixture()
        fixture.root.move("many", "moved")
        fixture.root.write("last", "1")
        var isSettled = false
        let wait = fixture.watcher.drain {
            isSettled = true
            #expect(fixture.names.contains("last"))
        }
        #expect(!fixture.watcher.isSettled && fixture.transactions.count == 1 && !isSettled)
        // What was changed after the call has its own time.
        fixture.root.write("later", "1")
        fixture.loop.turn()
        #expect(isSettled && fixture.watcher.isSettled)
        #expect(fixture.transactions.count >= 90 / Self.most)
        fixture.expectTruth()
        wait.cancel()
    }

    @Test("A call while parts are left waits for changes that no event has been read of")
    func drainDuringParts() throws {
        let fixture = try fixture()
        fixture.root.move("many", "moved")
        #expect(fixture.loop.runOne())
        #expect(fixture.transactions.count == 1)
        fixture.root.write("unread", "1")
        var names: [String] = []
        let wait = fixture.watcher.drain { names = fixture.names }
        #expect(!fixture.watcher.isSettled && names.isEmpty)
        fixture.loop.turn()
        #expect(names.contains("unread"))
        fixture.expectTruth()
        wait.cancel()
    }

    @Test("After an overflow the differences are committed in parts, and then reported")
    func overflow() throws {
        let fixture = try fixture()
        for name in ["many", "many/a", "many/a/b"] {
            for number in 0..<30 { fixture.root.remove("\(name)/\(number)") }
        }
        fixture.access.loseQueue = true
        fixture.loop.turn()
        expectParts(fixture) { $0.removedRows.count }
        #expect(fixture.reports == [.overflow, .rescanned(added: 0, removed: 90, changed: 0)])
    }

    @Test("Between the parts of a moved folder anything may happen to its files")
    func random() throws {
        try withSeed { random in
            for _ in 0..<8 {
                let fixture = try fixture()
                let before = keys(fixture)
                var name = "many"
                for step in 0..<6 {
                    let next = "many\(step)"
                    fixture.root.move(name, next)
                    // The former place is taken by others.
                    fixture.root.makeFolders("\(name)/a")
                    fixture.root.write("\(name)/\(Int.random(in: 0..<30, using: &random))", "2")
                    name = next
                    for _ in 0..<Int.random(in: 0..<4, using: &random) { _ = fixture.loop.runOne() }
                    let file = Int.random(in: 0..<30, using: &random)
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: fixture.root.append("\(name)/a/b/\(file)", "23")
                    case 1: fixture.root.save("\(name)/a/\(file)", "4")
                    case 2: fixture.root.write("\(name)/new \(step)", "4")
                    default: fixture.root.move("\(name)/\(step)", "\(name)/a/\(step)")
                    }
                }
                fixture.settle()
                fixture.loop.turn()
                fixture.expectTruth()
                // Nothing but a rename over another file has ended a key.
                #expect(keys(fixture).intersection(before).count >= before.count - 6)
            }
        }
    }

    @Test("A walk visits each file of a tree that changes meanwhile")
    func walk() {
        withSeed { random in
            for _ in 0..<50 {
                let root = WatchedFolder(name: [])
                var folders = [root]
                for number in 0..<6 {
                    let folder = WatchedFolder(name: [UInt8(number)])
                    folders[Int.random(in: 0..<folders.count, using: &random)]
                        .attach(folder, as: folder.name)
                    folders.append(folder)
                }
                var kept: Set<DocumentKey> = []
                var removable: [(folder: WatchedFolder, name: [UInt8])] = []
                for number in 0..<60 {
                    let folder = folders[Int.random(in: 0..<folders.count, using: &random)]
                    let key = DocumentKey(minted: UInt64(number))
                    let name = [UInt8(number), 1]
                    folder.files[name] = FileEntry(key: key, identity: UInt64(number))
                    if random.chance(0.5) {
                        kept.insert(key)
                    } else {
                        removable.append((folder, name))
                    }
                }
                var walk = FolderWalk()
                walk.add(root)
                var seen: Set<DocumentKey> = []
                var entered = 0
                while let (_, _, entry) = walk.next({
                    entered += 1
                    return Array($0.folders.values)
                }) {
                    seen.insert(entry.key)
                    if random.chance(0.2), let (folder, name) = removable.popLast() {
                        folder.files[name] = nil
                    }
                }
                #expect(seen.isSuperset(of: kept) && walk.isEmpty && entered == 7)
            }
        }
    }
}
