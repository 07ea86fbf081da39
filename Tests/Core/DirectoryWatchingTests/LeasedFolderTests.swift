import DirectoryWatching
import FileRules
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Leased folders")
struct LeasedFolderTests {
    private static func area(_ disk: Disk, _ path: String = "") -> DocumentArea {
        DocumentArea(root: disk.path, path: Array(path.utf8))
    }

    /// Folders a, a/b and c, with a file in each.
    private func fixture() throws -> (WatchFixture, a: Disk, b: Disk, c: Disk) {
        let fixture = try WatchFixture()
        let disks = ["a", "a/b", "c"].map { Disk(fixture.root.path + "/" + $0) }
        for disk in disks {
            disk.makeFolder("")
            disk.write("x", "1")
        }
        return (fixture, disks[0], disks[1], disks[2])
    }

    private func paths(_ fixture: WatchFixture, _ disk: Disk) -> [String] {
        fixture.store.documents.filter { $0.root == disk.path }.map(\.path.text).sorted()
    }

    @Test("A leased folder in a root is a folder of that root, with its rules")
    func insideRoot() throws {
        let (fixture, a, b, _) = try fixture()
        b.write(".hidden", "1")
        let skipping = DocumentRules()
        try fixture.watcher.setRoots([
            RootToWatch(a.bytes, skipping), RootToWatch(b.bytes, .none, isLeased: true),
        ])
        fixture.settle()
        #expect(paths(fixture, a) == ["b/x", "x"])
        #expect(fixture.watcher.areas(of: b.bytes) == [Self.area(a, "b/")])
        try fixture.watcher.setRoots([RootToWatch(a.bytes, skipping)])
        fixture.settle()
        #expect(paths(fixture, a) == ["b/x", "x"] && fixture.watcher.areas(of: b.bytes) == [])
    }

    @Test("A leased folder above a root leaves it out, and both are its documents")
    func aboveRoot() throws {
        let (fixture, a, b, _) = try fixture()
        try fixture.watcher.setRoots([RootToWatch(b.bytes)])
        fixture.settle()
        let key = fixture.store[root: b.path, path: FileName("x")]?.key
        try fixture.watcher.setRoots([
            RootToWatch(b.bytes), RootToWatch(a.bytes, .none, isLeased: true),
        ])
        fixture.settle()
        #expect(paths(fixture, a) == ["x"] && paths(fixture, b) == ["x"])
        #expect(fixture.store[root: b.path, path: FileName("x")]?.key == key)
        #expect(
            Set(fixture.watcher.areas(of: a.bytes)) == [Self.area(a), Self.area(b)])
        b.write("y", "1")
        a.write("z", "1")
        fixture.settle()
        #expect(paths(fixture, a) == ["x", "z"] && paths(fixture, b) == ["x", "y"])
        // A file keeps its key from one to the other.
        let moved = fixture.store[root: a.path, path: FileName("z")]?.key
        a.move("z", "b/z")
        fixture.settle()
        #expect(fixture.store[root: b.path, path: FileName("z")]?.key == moved)
        #expect(fixture.watcher.roots.map(\.isLeased) == [false, true])
    }

    @Test("Names that are patterns are left out exactly")
    func patterns() throws {
        let fixture = try WatchFixture()
        for name in ["[x]*", "x", "x ", "!y", "#z\\", "xx"] {
            fixture.root.makeFolder(name)
            Disk(fixture.root.path + "/" + name).write("file", "1")
        }
        let roots = ["[x]*", "x ", "!y", "#z\\"].map { Disk(fixture.root.path + "/" + $0) }
        try fixture.watcher.setRoots(
            roots.map { RootToWatch($0.bytes) }
                + [RootToWatch(fixture.root.bytes, .none, isLeased: true)])
        fixture.settle()
        #expect(paths(fixture, fixture.root) == ["x/file", "xx/file"])
        for root in roots { #expect(paths(fixture, root) == ["file"]) }
    }

    @Test("A root that a link leads into a leased folder keeps its documents")
    func link() throws {
        let (fixture, a, b, _) = try fixture()
        fixture.root.symlink(b.path, "link")
        let link = Disk(fixture.root.path + "/link")
        let roots = [RootToWatch(link.bytes), RootToWatch(a.bytes, .none, isLeased: true)]
        try fixture.watcher.setRoots(roots)
        fixture.settle()
        #expect(paths(fixture, link) == ["x"] && paths(fixture, a) == ["x"])
        #expect(fixture.watcher.areas(of: a.bytes).contains(Self.area(link)))
        try fixture.watcher.setRoots([
            RootToWatch(link.bytes), RootToWatch(b.bytes, .none, isLeased: true),
        ])
        fixture.settle()
        #expect(fixture.watcher.areas(of: b.bytes) == [Self.area(link)])
        #expect(fixture.store.documents.count == 1)
    }

    @Test("What is stored for the next run has no leased documents")
    func stored() throws {
        let (fixture, _, b, c) = try fixture()
        try fixture.watcher.setRoots([
            RootToWatch(b.bytes), RootToWatch(c.bytes, .none, isLeased: true),
        ])
        fixture.settle()
        var bytes: [UInt8] = []
        while fixture.watcher.walkTree().write(to: &bytes, atMost: 1000) {}
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(b.path) && !text.contains(c.path))
    }

    @Test("Roots and leases come and go at random, and each file is the document of one of them")
    func random() throws {
        try withSeed { random in
            for round in 0..<6 {
                let fixture = try WatchFixture()
                let names = ["a", "a/b", "a/b/c", "d", "d/e"]
                let disks = names.map { Disk(fixture.root.path + "/" + $0) }
                for disk in disks { disk.makeFolder("") }
                for step in 0..<30 {
                    for _ in 0..<Int.random(in: 0...4, using: &random) {
                        Self.edit(fixture.root, names, &random)
                    }
                    var roots = disks.filter { _ in random.chance(0.3) }.map {
                        RootToWatch($0.bytes)
                    }
                    roots += disks.filter { _ in random.chance(0.5) }.shuffled(using: &random).map {
                        RootToWatch($0.bytes, .none, isLeased: true)
                    }
                    try fixture.watcher.setRoots(roots)
                    if random.chance(0.5) { Self.edit(fixture.root, names, &random) }
                    fixture.settle()
                    let wanted = Self.owners(of: fixture.root, roots)
                    let found = fixture.store.documents.map { $0.root + "//" + $0.path.text }
                    #expect(
                        found.sorted() == wanted.sorted(),
                        "step \(step) of round \(round): seed \(random.seed)")
                    guard found.sorted() == wanted.sorted() else { return }
                    for root in roots {
                        let areas = fixture.watcher.areas(of: root.path)
                        let mine = fixture.store.documents.filter { document in
                            areas.contains {
                                document.root == $0.root
                                    && document.path.bytes.starts(with: $0.path)
                            }
                        }
                        let path = String(decoding: root.path, as: UTF8.self) + "/"
                        let below = fixture.store.documents.filter {
                            ($0.root + "/" + $0.path.text).hasPrefix(path)
                        }
                        #expect(
                            Set(mine.map(\.key)) == Set(below.map(\.key)),
                            "\(path), step \(step) of round \(round): seed \(random.seed)")
                    }
                }
            }
        }
    }

    private static func edit(
        _ root: Disk, _ folders: [String], _ random: inout SeededRandom
    ) {
        func name(_ random: inout SeededRandom) -> String {
            (folders.randomElement(using: &random) ?? "a")
                + "/f\(Int.random(in: 0..<6, using: &random))"
        }
        let path = name(&random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: root.write(path, "\(Int.random(in: 0..<9, using: &random))")
        case 1 where root.exists(path): root.move(path, name(&random))
        default: root.write(path, "new")
        }
    }

    /// The plain rule: a file is the innermost root's that has documents of its own.
    private static func owners(of root: Disk, _ roots: [RootToWatch]) -> [String] {
        func lies(_ path: [UInt8], in other: [UInt8]) -> Bool {
            path.count > other.count && path.starts(with: other + [47])
        }
        let separate = roots.enumerated().filter { index, mine in
            !roots.enumerated().contains { place, other in
                if other.path == mine.path { return place < index }
                guard lies(mine.path, in: other.path) else { return false }
                if !other.isLeased { return true }
                if !mine.isLeased { return false }
                // The innermost decides that leaves it out.
                let isLeftOut = roots.enumerated().contains { earlier, each in
                    (each.path == mine.path || lies(mine.path, in: each.path))
                        && lies(each.path, in: other.path) && (!each.isLeased || earlier < place)
                }
                return !isLeftOut
            }
        }.map(\.element.path)
        var found: Set<Truth> = []
        root.walk(into: &found)
        return found.compactMap { truth in
            let path = Array((truth.root + "/").utf8) + truth.path.bytes
            let owner = separate.filter { lies(path, in: $0) }.max { $0.count < $1.count }
            return owner.map {
                String(decoding: $0, as: UTF8.self) + "//"
                    + String(decoding: path.dropFirst($0.count + 1), as: UTF8.self)
            }
        }
    }
}
