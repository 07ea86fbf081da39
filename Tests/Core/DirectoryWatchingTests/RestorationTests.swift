// Documents that are stored by a walk and a log of changes, and restored by another watcher.

import DirectoryWatching
import EventLoops
import FileRules
import Observables
import PickerModel
import SystemInterface
import TestSupport
import Testing

/// Stores what a watcher has, as the daemon does.
private final class Storing {
    private let watcher: DirectoryWatcher
    private let store: DocumentStore
    private(set) var snapshot: [[UInt8]] = []
    private(set) var log: [[UInt8]] = []
    private var walk: TreeWalk?

    init(_ watcher: DirectoryWatcher, _ store: DocumentStore) {
        self.watcher = watcher
        self.store = store
        // The store keeps this, and the watcher the store.
        store.whenChanged = { [unowned self] change in
            var records: [UInt8] = []
            self.watcher.encode(change, to: &records)
            log.append(records)
        }
    }

    func begin() {
        snapshot = []
        log = []
        walk = watcher.walkTree()
    }

    /// Writes a part of the snapshot.
    /// - Returns: whether there is more.
    @discardableResult
    func step(files: Int) -> Bool {
        guard let walk else { return false }
        var records: [UInt8] = []
        let isMore = walk.write(to: &records, atMost: files)
        snapshot.append(records)
        if !isMore { self.walk = nil }
        return isMore
    }

    func finishWalk(files: Int = 1000) { while step(files: files) {} }
}

extension DirectoryWatcher {
    fileprivate func restore(
        _ parts: [[UInt8]], into store: DocumentStore, roots: [[UInt8]],
        from former: DocumentStore
    ) -> Bool {
        let restoration = TreeRestoration(self, roots: roots)
        restoration.reserve(16, nameBytes: 100)
        restoration.hasTypes = true
        let decode = TreeRestoration.decoder(for: store)
        for part in parts {
            guard let records = decode(part[...]), restoration.restore(records) else {
                restoration.giveUp()
                return false
            }
        }
        _ = restoration.finish(
            DocumentHistory(
                epoch: former.epoch, rev: former.rev, nextKey: former.nextKey, knownSince: 0,
                lastKnown: former.rev))
        return true
    }
}

/// A watcher of the same root in another run.
private final class NextRun {
    let loop = FakeLoop()
    let store = DocumentStore(epoch: "other")
    let access = FaultyAccess(LinuxFileAccess())
    let watcher: DirectoryWatcher
    let root: Disk
    private(set) var reports: [WatchReport] = []
    private(set) var changes: [DocumentChange] = []

    init(of fixture: WatchFixture, _ parts: [[UInt8]]) {
        root = fixture.root
        watcher = DirectoryWatcher(loop: loop, store: store, access: access)
        let isRestored = watcher.restore(
            parts, into: store, roots: [root.bytes], from: fixture.store)
        #expect(isRestored)
        store.table.checkInvariants()
        watcher.onReport = { [unowned self] in reports.append($0) }
        watcher.onChange = { [unowned self] in changes.append($0) }
    }

    func follow(_ rules: DocumentRules = .none) throws {
        try watcher.setRoots([RootToWatch(root.bytes, rules)])
        for _ in 0..<10 where !watcher.isSettled {
            watcher.drainNow()
            loop.turn()
        }
        #expect(watcher.isSettled)
    }

    func key(_ path: String) -> String? { store[root: root.path, path: FileName(path)]?.key }

    func expectTruth() {
        var found: Set<Truth> = []
        root.walk(into: &found)
        #expect(Set(store.documents.map(Truth.init)) == found)
        #expect(store.count == found.count)
        #expect(watcher.roots.map(\.documents) == [found.count])
    }
}

@Suite("Documents of the last run")
struct RestorationTests {
    @Test("They are there at once, with keys, and nothing has changed")
    func unchanged() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a/b")
        fixture.root.makeFolder("empty")
        for name in [
            "1", "a/Ä.MD", "a/写真.txt", "a/b/Late Capital Letters In a Long NAME", "a/b/\u{01}",
        ] {
            fixture.root.write(name, name)
        }
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        let next = NextRun(of: fixture, storing.snapshot)
        let documents = Set(fixture.store.documents)
        #expect(Set(next.store.documents) == documents)
        #expect(next.store.epoch == "test" && next.store.rev == fixture.store.rev)
        #expect(Set(next.store.listed.value.map { next.store.table.document(of: $0) }) == documents)
        try next.follow()
        next.expectTruth()
        #expect(next.reports.contains(.verified(added: 0, removed: 0, changed: 0)))
        #expect(next.changes.isEmpty && Set(next.store.documents) == documents)
        // It is watched.
        next.root.write("a/b/new", "1")
        next.watcher.drainNow()
        next.expectTruth()
        #expect(next.key("a/b/new").map { key in !documents.contains { $0.key == key } } == true)
    }

    @Test("What happened while no daemon ran is one change, and keys are kept")
    func changedMeanwhile() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a/b")
        for name in ["kept", "saved", "moved", "gone", "a/1", "a/b/2", "replaced"] {
            fixture.root.write(name, name)
        }
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        let former = Dictionary(
            uniqueKeysWithValues: fixture.store.documents.map { ($0.path.text, $0.key) })
        fixture.root.append("saved", "more")
        fixture.root.move("moved", "a/b/Moved")
        fixture.root.remove("gone")
        fixture.root.move("a", "z")
        fixture.root.write("replaced.new", "other")
        fixture.root.move("replaced.new", "replaced")
        fixture.root.write("new")
        let next = NextRun(of: fixture, storing.snapshot)
        try next.follow()
        next.expectTruth()
        #expect(next.changes.count == 1)
        #expect(next.key("kept") == former["kept"])
        #expect(next.key("saved") == former["saved"])
        #expect(next.key("z/b/Moved") == former["moved"])
        #expect(next.key("z/1") == former["a/1"])
        #expect(next.key("z/b/2") == former["a/b/2"])
        #expect(next.key("replaced") == former["replaced"])
        #expect(next.key("new").map { !former.values.contains($0) } == true)
        #expect(next.reports.contains(.verified(added: 1, removed: 1, changed: 5)))
    }

    /// Nothing is put at the place of its document, which would remove it.
    @Test("A file that was replaced by another one in a folder that was moved then is gone")
    func replacedAndMoved() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("one")
        fixture.root.makeFolder("other")
        for name in ["one/w", "one/x", "one/z", "other/y"] { fixture.root.write(name, name) }
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        let keys = ["other/y", "one/z", "one/w"].map { fixture.key($0) }
        fixture.root.move("other/y", "one/x")
        fixture.root.move("one", "two")
        fixture.root.move("two/w", "one")
        fixture.root.write("other/y", "another")
        fixture.root.move("two", "other/two")
        let next = NextRun(of: fixture, storing.snapshot)
        try next.follow()
        next.expectTruth()
        #expect(["other/two/x", "other/two/z", "one"].map { next.key($0) } == keys)
        #expect(!keys.contains(next.key("other/y")))
        next.store.table.checkInvariants()
    }

    @Test("Other rules at the next start are a change")
    func otherRules() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder("a")
        for name in [".hidden", "a/x.log", "a/y"] { fixture.root.write(name) }
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        let next = NextRun(of: fixture, storing.snapshot)
        var rules = DocumentRules()
        rules.ignore = ["*.log"]
        try next.follow(rules)
        #expect(next.store.documents.map(\.path.text) == ["a/y"])
        #expect(next.key("a/y") == fixture.key("a/y"))
    }

    @Test("A root that is gone loses its documents; one that is a link elsewhere is read anew")
    func otherRoot() throws {
        let fixture = try WatchFixture()
        fixture.root.write("1")
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        try fixture.folder.makeFolder("other")
        fixture.root.move("", outTo: fixture.folder.path("away"))
        let next = NextRun(of: fixture, storing.snapshot)
        #expect(next.store.count == 1)
        try next.watcher.setRoots([next.root.bytes])
        next.watcher.drainNow()
        #expect(next.store.count == 0 && next.watcher.roots.map(\.state) == [.missing])
        try fixture.folder.write("other/2")
        try fixture.folder.makeLink("root", to: fixture.folder.path("other"))
        let linked = NextRun(of: fixture, storing.snapshot)
        try linked.follow()
        #expect(linked.store.documents.map(\.path.text) == ["2"])
    }

    @Test("Documents of a root that is none any more are left out, and so is what moved there")
    func rootsLeftOut() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("one")
        fixture.root.makeFolders("two")
        for name in ["one/1", "one/moves", "two/2"] { fixture.root.write(name) }
        let (one, two) = (Disk(fixture.root.path + "/one"), Disk(fixture.root.path + "/two"))
        try fixture.watcher.setRoots([one.bytes, two.bytes])
        fixture.settle()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        fixture.root.move("one/moves", "two/moves")
        fixture.settle()
        let store = DocumentStore(epoch: "x")
        let watcher = DirectoryWatcher(loop: FakeLoop(), store: store, access: LinuxFileAccess())
        let isRestored = watcher.restore(
            storing.snapshot + storing.log, into: store, roots: [one.bytes], from: fixture.store)
        #expect(isRestored && store.documents.map(\.path.text) == ["1"])
        store.table.checkInvariants()
    }

    @Test("Bytes that are cut or changed are refused, or give other documents; nothing traps")
    func damaged() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolders("a")
        for name in ["Ünïcode Name", "a/LATE capitals in the name, after 32 BYTES", "1"] {
            fixture.root.write(name)
        }
        try fixture.start()
        let storing = Storing(fixture.watcher, fixture.store)
        storing.begin()
        storing.finishWalk()
        fixture.root.remove("1")
        fixture.settle()
        let bytes = (storing.snapshot + storing.log).flatMap { $0 }
        func restore(_ bytes: [UInt8]) -> Int? {
            let store = DocumentStore(epoch: "x")
            let access = FaultyAccess(LinuxFileAccess())
            // The system has few of them.
            access.queueFault = SystemError(.tooManyOpenFiles, operation: "make")
            let watcher = DirectoryWatcher(loop: FakeLoop(), store: store, access: access)
            let restoration = TreeRestoration(watcher, roots: [fixture.root.bytes])
            let records = TreeRestoration.decoder(for: store)(bytes[...])
            guard let records, restoration.restore(records) else {
                restoration.giveUp()
                #expect(store.table.count == 0)
                store.table.checkInvariants()
                return nil
            }
            for document in store.documents { _ = document.path.text }
            return store.count
        }
        #expect(restore(bytes) == 2)
        for size in 0..<bytes.count { _ = restore(Array(bytes[..<size])) }
        withSeed { random in
            for _ in 0..<testRounds(3000) {
                var other = bytes
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    other[Int.random(in: 0..<bytes.count, using: &random)] =
                        UInt8.random(in: 0...255, using: &random)
                }
                _ = restore(other)
            }
        }
    }

    @Test("A walk in parts among random edits, with the log behind it, has all documents")
    func randomWalks() throws {
        try withSeed { random in
            for _ in 0..<testRounds(40) {
                let fixture = try WatchFixture()
                var editor = RandomTree(fixture.root)
                for _ in 0..<40 { editor.edit(&random) }
                try fixture.start()
                let storing = Storing(fixture.watcher, fixture.store)
                storing.begin()
                var isMore = true
                while isMore {
                    for _ in 0..<Int.random(in: 0...4, using: &random) { editor.edit(&random) }
                    if random.chance(0.7) { fixture.settle() }
                    isMore = storing.step(files: Int.random(in: 1...5, using: &random))
                }
                for _ in 0..<Int.random(in: 0...10, using: &random) { editor.edit(&random) }
                fixture.settle()
                let next = NextRun(of: fixture, storing.snapshot + storing.log)
                let wanted = Set(fixture.store.documents)
                #expect(Set(next.store.documents) == wanted)
                try next.follow()
                next.expectTruth()
                #expect(Set(next.store.documents) == wanted, "\(next.reports)")
                #expect(next.changes.isEmpty)
                // And what happens while no daemon runs.
                let again = NextRun(of: fixture, storing.snapshot + storing.log)
                let former = again.store.documents.reduce(into: [:]) { $0[$1.inode] = $1.key }
                var wasRemoved = false
                for _ in 0..<Int.random(in: 0...10, using: &random) {
                    wasRemoved = editor.edit(&random) || wasRemoved
                }
                try again.follow()
                again.expectTruth()
                again.store.table.checkInvariants()
                // Without removals no inode is another file's.
                if wasRemoved { continue }
                for document in again.store.documents {
                    guard let key = former[document.inode] else { continue }
                    #expect(document.key == key, "\(document.path)")
                }
            }
        }
    }
}

/// Makes, changes, moves and removes files and folders with few names.
private struct RandomTree {
    private let root: Disk
    private var folders = [""]
    private var files: [String] = []

    init(_ root: Disk) {
        self.root = root
    }

    private func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : folder + "/" + name
    }

    /// - Returns: whether a file was removed or replaced.
    @discardableResult
    mutating func edit(_ random: inout SeededRandom) -> Bool {
        let folder = folders.randomElement(using: &random) ?? ""
        let name = ["a", "B", "ç", "longer name.txt", "d.md"].randomElement(using: &random) ?? "x"
        let path = join(folder, name)
        let isTaken = files.contains(path) || folders.contains(path)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            if folders.contains(path) { return false }
            if files.contains(path) {
                root.append(path, "more")
            } else {
                root.write(path, path)
                files.append(path)
            }
        case 4:
            guard !isTaken, folders.count < 8 else { return false }
            root.makeFolder(path)
            folders.append(path)
        case 5...6:
            guard let file = files.randomElement(using: &random), !folders.contains(path),
                file != path
            else { return false }
            root.move(file, path)
            files.removeAll { $0 == file || $0 == path }
            files.append(path)
            return isTaken
        case 7:
            guard let file = files.randomElement(using: &random) else { return false }
            root.remove(file)
            files.removeAll { $0 == file }
            return true
        default:
            guard let moved = folders.dropFirst().randomElement(using: &random), !isTaken,
                !(path + "/").hasPrefix(moved + "/")
            else { return false }
            root.move(moved, path)
            func follow(_ old: String) -> String {
                (old + "/").hasPrefix(moved + "/") ? path + old.dropFirst(moved.count) : old
            }
            folders = folders.map(follow)
            files = files.map(follow)
        }
        return false
    }
}
