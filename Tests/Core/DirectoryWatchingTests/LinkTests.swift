import DirectoryWatching
import EventLoops
import FileRules
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("Symbolic links")
struct LinkTests {
    private static let report = DocumentRules(symlinks: .report)
    private static let follow = DocumentRules(symlinks: .follow)

    /// Follows the root by these rules, beside a folder "out" that is outside of it.
    private func start(
        _ rules: DocumentRules, limits: WatchLimits = WatchLimits(),
        _ prepare: (_ root: Disk, _ out: Disk) -> Void
    ) throws -> (fixture: WatchFixture, out: Disk) {
        let fixture = try WatchFixture(limits: limits)
        let out = Disk(fixture.folder.path("out"))
        out.makeFolder("")
        prepare(fixture.root, out)
        try fixture.follow(rules)
        return (fixture, out)
    }

    // MARK: To files

    @Test("A link to a file is a document of its own, with the size and time of the file")
    func report() throws {
        let (fixture, out) = try start(Self.report) { root, out in
            root.write("a.md", "text")
            root.link("a.md", "hard.md")
            root.symlink("a.md", "inside.md")
            out.write("b.md", "longer text")
            out.setModified("b.md", 1_000_000, 5)
            root.symlink("../out/b.md", "outside.md")
            root.symlink(out.path + "/nothing", "dangling.md")
            root.symlink("../out", "folder")
            root.makeFolder("real")
            root.symlink("real", "again")
        }
        #expect(fixture.names == ["a.md", "hard.md", "inside.md", "outside.md"])
        #expect(Set(fixture.names.map { fixture.key($0) }).count == 4)
        #expect(fixture.document("inside.md")?.size == 4)
        #expect(fixture.document("outside.md")?.size == 11)
        #expect(fixture.document("outside.md")?.modified.seconds == 1_000_000)
        // The target has no watch; the link is looked at again when somebody waits for what there is.
        out.write("b.md", "short")
        out.write("nothing", "something")
        fixture.settle()
        #expect(fixture.document("outside.md")?.size == 5)
        #expect(fixture.document("dangling.md")?.size == 9)
        out.remove("b.md")
        fixture.settle()
        #expect(fixture.names == ["a.md", "dangling.md", "hard.md", "inside.md"])
        let status = fixture.watcher.status(
            root: fixture.root.bytes, relativePath: Array("inside.md".utf8))
        #expect(status?.kind == .regular && status?.size == 4)
        let other = fixture.watcher.status(
            root: fixture.root.bytes, relativePath: Array("folder".utf8))
        #expect(other == nil)
    }

    @Test("A link that is renamed keeps its key, and the file has another one")
    func renamed() throws {
        let (fixture, out) = try start(Self.report) { root, out in
            out.write("a.md", "text")
            root.write("b.md")
            root.symlink("../out/a.md", "one")
            root.makeFolder("folder")
            root.symlink("b.md", "two")
        }
        let keys = ["one", "two", "b.md"].map { fixture.key($0) }
        #expect(!keys.contains(nil) && Set(keys).count == 3)
        fixture.root.move("one", "three")
        fixture.root.move("b.md", "c.md")
        fixture.settle()
        #expect(fixture.names == ["c.md", "three"])
        #expect(fixture.key("three") == keys[0] && fixture.key("c.md") == keys[2])
        // Another folder, from where it leads nowhere.
        fixture.root.move("three", "folder/four")
        fixture.settle()
        #expect(fixture.names == ["c.md"])
        fixture.root.move("folder/four", "five")
        fixture.settle()
        #expect(fixture.names == ["c.md", "five"])
        #expect(fixture.key("five") == keys[0])
        // A file that a link leads to from now on is another document than the link.
        fixture.root.symlink("../out/d.md", "six")
        fixture.root.move("c.md", outTo: out.path + "/d.md")
        fixture.settle()
        #expect(fixture.names == ["five", "six"])
        #expect(fixture.key("six") != keys[2])
    }

    @Test("A link takes the place of a file or folder, and gives it back")
    func replaced() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolder("x")
            out.write("x/a.md", "a")
            out.write("b.md", "long")
            root.write("name", "c")
        }
        for _ in 0..<2 {
            fixture.root.remove("name")
            fixture.root.symlink("../out/x", "name")
            fixture.settle()
            #expect(fixture.names == ["name/a.md"])
            fixture.root.remove("name")
            fixture.root.symlink("../out/b.md", "name")
            fixture.settle()
            #expect(fixture.names == ["name"])
            fixture.root.remove("name")
            fixture.root.makeFolder("name")
            fixture.root.write("name/b.md")
            fixture.settle()
            #expect(fixture.names == ["name/b.md"])
            fixture.root.removeTree("name")
            fixture.root.symlink("../out/x", "name")
            fixture.settle()
            fixture.root.remove("name")
            fixture.root.write("name", "c")
            fixture.settle()
            #expect(fixture.names == ["name"] && fixture.document("name")?.size == 1)
        }
        // What a link leads to changes without an event: from a file to a folder.
        fixture.root.symlink("../out/b.md", "other")
        fixture.settle()
        out.remove("b.md")
        out.makeFolder("b.md")
        out.write("b.md/c.md")
        fixture.settle()
        #expect(fixture.names == ["name", "other/c.md"])
    }

    @Test("Links that lead nowhere, to themselves, to pipes and to devices are no documents")
    func hostile() throws {
        let (fixture, _) = try start(Self.follow) { root, out in
            root.symlink("a", "a")
            root.symlink("c", "b")
            root.symlink("b", "c")
            root.symlink("d/../d", "d")
            root.symlink("/dev/null", "device")
            out.makePipe("pipe")
            root.symlink("../out/pipe", "pipe")
            root.symlink("/proc/self/root", "all")
            root.symlink("/proc/self/root/proc/self/root", "all again")
            root.symlink("/", "top")
            root.symlink(".", "here")
            root.symlink("..", "above")
            root.makeFolders("x/y")
            root.symlink("../..", "x/y/loop")
            root.symlink(String(repeating: "n/", count: 2000), "long")
        }
        #expect(fixture.names.isEmpty)
        // The root, and two folders in it.
        #expect(fixture.access.watchCount == 3)
        #expect(fixture.reports.isEmpty && fixture.status?.degraded.isEmpty == true)
    }

    // MARK: To folders

    @Test("The files below a followed link are documents, and are watched")
    func follow() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            out.write("x/a.md", "a")
            out.write("x/deep/b.md", "b")
            root.symlink("../out/x", "link")
        }
        #expect(fixture.names == ["link/a.md", "link/deep/b.md"])
        #expect(fixture.access.watchCount == 3)
        let keys = fixture.names.map { fixture.key($0) }
        out.write("x/deep/c.md")
        out.makeFolder("x/new")
        out.write("x/new/d.md")
        out.append("x/a.md", "more")
        // By events alone.
        let wanted = ["link/a.md", "link/deep/b.md", "link/deep/c.md", "link/new/d.md"]
        let isSeen = fixture.runsUntil {
            fixture.names == wanted && fixture.document("link/a.md")?.size == 5
        }
        #expect(isSeen)
        #expect([fixture.key("link/a.md"), fixture.key("link/deep/b.md")] == keys)
        let status = fixture.watcher.status(
            root: fixture.root.bytes, relativePath: Array("link/deep/b.md".utf8))
        #expect(status?.size == 1)
        out.move("x/deep/b.md", "x/e.md")
        out.move("x/deep", "x/deeper")
        fixture.settle()
        #expect(
            fixture.names == ["link/a.md", "link/deeper/c.md", "link/e.md", "link/new/d.md"])
        #expect(fixture.key("link/e.md") == keys[1])
    }

    @Test("Its documents go with the link, with its target, and with what it led to before")
    func gone() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            for name in ["x", "y"] {
                out.makeFolder(name)
                out.write("\(name)/\(name).md")
            }
            root.symlink("../out/x", "link")
        }
        fixture.root.remove("link")
        fixture.root.symlink("../out/y", "link")
        fixture.settle()
        #expect(fixture.names == ["link/y.md"])
        // The folder is watched, so no check of the link is needed.
        out.removeTree("y")
        #expect(fixture.runsUntil { fixture.names == [] })
        out.makeFolder("y")
        out.write("y/z.md")
        fixture.settle()
        #expect(fixture.names == ["link/z.md"])
        out.move("y", "elsewhere")
        #expect(fixture.runsUntil { fixture.names == [] })
        fixture.root.remove("link")
        fixture.root.symlink("../out/x", "link")
        fixture.settle()
        #expect(fixture.names == ["link/x.md"])
        fixture.root.remove("link")
        fixture.settle()
        #expect(fixture.names.isEmpty)
        out.write("x/more.md")
        fixture.settle()
        #expect(fixture.names.isEmpty)
    }

    @Test("A link that is renamed, or whose folder is moved into the root, takes the keys along")
    func moved() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            out.write("x/a.md")
            out.write("x/deep/b.md")
            root.symlink(out.path + "/x", "link")
            root.makeFolder("folder")
        }
        let keys = ["link/a.md", "link/deep/b.md"].map { fixture.key($0) }
        #expect(!keys.contains(nil))
        fixture.root.move("link", "folder/other")
        fixture.settle()
        #expect(fixture.names == ["folder/other/a.md", "folder/other/deep/b.md"])
        #expect(fixture.names.map { fixture.key($0) } == keys)
        fixture.root.move("folder", "again")
        fixture.settle()
        #expect(fixture.names == ["again/other/a.md", "again/other/deep/b.md"])
        #expect(fixture.names.map { fixture.key($0) } == keys)
        fixture.root.move(from: out.path + "/x", "real")
        fixture.settle()
        #expect(fixture.names == ["real/a.md", "real/deep/b.md"])
        #expect(fixture.names.map { fixture.key($0) } == keys)
        fixture.root.move("real", outTo: out.path + "/x")
        fixture.settle()
        #expect(fixture.names == ["again/other/a.md", "again/other/deep/b.md"])
        #expect(fixture.names.map { fixture.key($0) } == keys)
    }

    @Test("No folder is listed twice: the first of several links is followed, and then the next")
    func twice() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            out.write("x/a.md")
            out.write("x/deep/b.md")
            root.makeFolder("real")
            root.write("real/c.md")
            root.symlink("../out/x", "b")
            root.symlink("../out/x/deep", "c")
            root.symlink("../out", "d")
            root.symlink("real", "e")
            root.symlink("../out/x", "f")
        }
        #expect(fixture.names == ["b/a.md", "b/deep/b.md", "real/c.md"])
        let root = fixture.root.path
        #expect(fixture.why("c") == .refused(.listed(at: Array("\(root)/b/deep".utf8))))
        #expect(fixture.why("d") == .refused(.around(Array("\(root)/b".utf8))))
        #expect(fixture.why("e") == .refused(.listed(at: Array("\(root)/real".utf8))))
        #expect(fixture.why("f/a.md") == .refused(.listed(at: Array("\(root)/b".utf8))))
        let keys = ["b/a.md", "b/deep/b.md"].map { fixture.key($0) }
        // The next ones in the order of their paths.
        fixture.root.remove("b")
        fixture.settle()
        #expect(fixture.names == ["c/b.md", "real/c.md"])
        #expect(fixture.key("c/b.md") == keys[1])
        fixture.root.remove("c")
        fixture.settle()
        #expect(fixture.names == ["d/x/a.md", "d/x/deep/b.md", "real/c.md"])
        fixture.root.symlink("../out/x", "a")
        fixture.settle()
        #expect(fixture.names == ["a/a.md", "a/deep/b.md", "real/c.md"])
        #expect(fixture.key("a/deep/b.md") == keys[1])
        _ = out
    }

    @Test("Links behind links are followed, at most as many as the limit says")
    func behind() throws {
        let (fixture, _) = try start(Self.follow) { root, out in
            for number in 0..<10 {
                out.makeFolder("\(number)")
                out.write("\(number)/a.md")
                out.symlink("../\(number + 1)", "\(number)/next")
            }
            root.symlink("../out/0", "link")
        }
        let next = String(repeating: "/next", count: 7)
        #expect(fixture.names.count == 8)
        #expect(fixture.document("link\(next)/a.md") != nil)
        #expect(fixture.why("link\(next)/next") == .refused(.tooDeep(limit: 8)))
        // The same folders by fewer links: none is listed twice.
        fixture.root.symlink("../out/5", "short")
        fixture.settle()
        #expect(fixture.names.count == 10)
        #expect(fixture.document("link/next/next/next/next/a.md") != nil)
        #expect(fixture.document("short/next/next/next/next/a.md") != nil)
        fixture.root.remove("link")
        fixture.settle()
        #expect(fixture.names.count == 5)
    }

    @Test("A folder behind a link that is opened through another link is not read")
    func race() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/sub")
            out.makeFolders("private/deep")
            out.write("private/deep/secret.md")
            root.symlink("../out/x", "link")
        }
        var state = 0
        fixture.access.openFault = { path in
            // When the new folder is opened, another link is on the way for a moment.
            if state == 0, path == Array("\(out.path)/x/sub/deep".utf8) {
                state = 1
                out.move("x/sub", "x/aside")
                out.symlink("../private", "x/sub")
            }
            return nil
        }
        fixture.access.onStatus = { path in
            if state == 1, path == Array("\(out.path)/x/sub/deep/..".utf8) {
                state = 2
                out.remove("x/sub")
                out.move("x/aside", "x/sub")
            }
        }
        out.makeFolder("x/sub/deep")
        out.write("x/sub/deep/a.md")
        fixture.settleWithThreads()
        #expect(state == 2)
        #expect(fixture.names == ["link/sub/deep/a.md"])
        let added = fixture.transactions.flatMap { change in
            change.addedRows.map { fixture.store.table.document(of: $0).path.text }
        }
        #expect(added == ["link/sub/deep/a.md"])
    }

    @Test("Thousands of links to one folder are one folder")
    func many() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolder("x")
            out.write("x/a.md")
            for number in 0..<3000 { root.symlink("../out/x", "\(10_000 + number)") }
        }
        fixture.settleWithThreads()
        #expect(fixture.names == ["10000/a.md"])
        for number in 0..<1000 { fixture.root.remove("\(10_000 + number)") }
        out.write("x/b.md")
        fixture.settleWithThreads()
        #expect(fixture.names == ["11000/a.md", "11000/b.md"])
        #expect(fixture.status?.degraded.isEmpty == true)
    }

    @Test("Links beyond the limit are not followed, and those to files are documents nonetheless")
    func limit() throws {
        var limits = WatchLimits()
        limits.links = 3
        let (fixture, _) = try start(Self.follow, limits: limits) { root, out in
            out.write("a.md")
            for number in 0..<3 { root.symlink("../out/a.md", "\(number)") }
        }
        fixture.root.symlink("../out", "link")
        fixture.root.symlink("../out/a.md", "3")
        fixture.settle()
        #expect(fixture.names == ["0", "1", "2", "3"])
        #expect(fixture.why("link") == .outOfReach(limit: 3))
    }

    // MARK: Rules and roots

    @Test("A change of the setting takes effect at once")
    func setting() throws {
        let (fixture, _) = try start(DocumentRules()) { root, out in
            out.write("a.md")
            root.symlink("../out", "link")
            root.symlink("../out/a.md", "a")
            root.write("b.md")
        }
        #expect(fixture.names == ["b.md"])
        #expect(fixture.why("a") == .ignored && fixture.why("link/a.md") == .ignored)
        let key = fixture.key("b.md")
        try fixture.follow(Self.report)
        #expect(fixture.names == ["a", "b.md"])
        #expect(fixture.why("link") == .toFolder && fixture.why("a") == nil)
        try fixture.follow(Self.follow)
        #expect(fixture.names == ["a", "b.md", "link/a.md"])
        #expect(fixture.why("link") == nil)
        try fixture.follow(Self.report)
        #expect(fixture.names == ["a", "b.md"])
        try fixture.follow(Self.follow)
        try fixture.follow(DocumentRules())
        #expect(fixture.names == ["b.md"])
        #expect(fixture.key("b.md") == key)
    }

    @Test("Rules apply to a link as to a file, and to one that is followed as to a folder, too")
    func rules() throws {
        var rules = Self.follow
        rules.ignore = ["folder/", "pattern", "*.log"]
        rules.readsIgnoreFiles = true
        let (fixture, _) = try start(rules) { root, out in
            out.makeFolder(".x")
            out.write(".x/a.md")
            out.write(".x/b.log")
            out.write(".x/c.o")
            out.write(".x/.gitignore", "*.o\n")
            for name in [".hidden", "folder", "pattern", "node_modules", "link"] {
                root.symlink("../out/.x", name)
            }
            root.symlink("../out/.x/a.md", ".a.md")
            root.symlink("../out/.x/a.md", "a.log")
            root.symlink("../out/.x/b.log", "b")
        }
        #expect(fixture.names == ["b", "link/a.md"])
        guard case .leftOut = fixture.outcome("folder/a.md") else {
            Issue.record("the folder is not left out")
            return
        }
        try fixture.follow(DocumentRules(ignore: ["link"], symlinks: .follow))
        #expect(fixture.names == ["a.log", "b", "folder/a.md", "folder/b.log", "folder/c.o"])
    }

    @Test("A root of its own in the folder of a link is listed as that root, and watched")
    func root() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            out.write("x/deep/a.md")
            root.symlink("../out", "link")
        }
        #expect(fixture.names == ["link/x/deep/a.md"])
        let roots = [fixture.root.bytes, Array((out.path + "/x").utf8)].map {
            RootToWatch($0, Self.follow)
        }
        try fixture.watcher.setRoots(roots)
        fixture.settleWithThreads()
        #expect(fixture.names == ["deep/a.md"])
        #expect(fixture.watcher.roots.map(\.state) == [.watching, .watching])
        #expect(!fixture.reports.contains { if case .degraded = $0 { true } else { false } })
        try fixture.watcher.setRoots([roots[0]])
        fixture.settleWithThreads()
        #expect(fixture.names == ["link/x/deep/a.md"])
    }

    @Test("The documents behind links return with their root, under their keys")
    func returned() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolder("x")
            out.write("x/a.md")
            out.write("b.md")
            root.symlink(out.path + "/x", "link")
            root.symlink(out.path + "/b.md", "b.md")
        }
        let keys = fixture.names.map { fixture.key($0) }
        let place = fixture.folder.path("away")
        fixture.root.move("", outTo: place)
        fixture.settle()
        #expect(fixture.names.isEmpty)
        Disk(place).move("", outTo: fixture.root.path)
        fixture.settleWithThreads()
        #expect(fixture.names == ["b.md", "link/a.md"])
        #expect(fixture.names.map { fixture.key($0) } == keys)
        out.write("x/c.md")
        fixture.settle()
        #expect(fixture.names == ["b.md", "link/a.md", "link/c.md"])
    }

    @Test("A fault of a folder behind a link is told by the path under which it is listed")
    func degraded() throws {
        let fixture = try WatchFixture()
        let out = Disk(fixture.folder.path("out"))
        out.makeFolder("")
        out.makeFolders("x/deep")
        out.write("x/deep/a.md")
        fixture.root.symlink("../out/x", "link")
        fixture.access.watchFault = { path in
            path.suffix(4) == Array("deep".utf8)[...]
                ? SystemError(.noSpace, operation: "watch") : nil
        }
        try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, Self.follow)])
        fixture.settleWithThreads()
        #expect(fixture.names == ["link/deep/a.md"])
        let path = Array("\(fixture.root.path)/link/deep".utf8)
        #expect(fixture.status?.degraded.map(\.path) == [path])
    }

    @Test("All below links is read again after a lost event")
    func overflow() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            out.write("x/deep/a.md")
            root.symlink("../out/x", "link")
        }
        out.write("x/deep/b.md")
        out.makeFolder("y")
        out.write("y/c.md")
        fixture.root.makeFolder("folder")
        fixture.root.symlink("../../out/y", "folder/other")
        fixture.root.symlink("../out/y", "second")
        fixture.access.loseQueue = true
        fixture.settleWithThreads()
        #expect(fixture.names == ["folder/other/c.md", "link/deep/a.md", "link/deep/b.md"])
        fixture.root.move("folder", outTo: out.path + "/aside")
        fixture.access.loseQueue = true
        fixture.settleWithThreads()
        #expect(fixture.names == ["link/deep/a.md", "link/deep/b.md", "second/c.md"])
    }

    @Test("A mount below the folder of a link is seen by its mount point")
    func mount() throws {
        let (fixture, out) = try start(Self.follow) { root, out in
            out.makeFolders("x/deep")
            root.symlink("../out/x", "link")
        }
        fixture.access.resetCounts()
        var looks: [[UInt8]] = []
        fixture.access.onStatus = { looks.append($0) }
        fixture.access.mountsText = Array(
            "1 0 0:1 / \(out.path)/x/deep rw - tmpfs tmpfs rw\n".utf8)
        fixture.settle()
        #expect(looks.contains(Array("\(out.path)/x/deep".utf8)))
    }
}

extension WatchFixture {
    /// Lets time pass, without a drain.
    fileprivate func runsUntil(_ condition: () -> Bool) -> Bool {
        loop.run {
            loop.spend(.milliseconds(1))
            return condition()
        }
    }

    fileprivate func outcome(_ path: String) -> PathFinding.Outcome {
        watcher.explain(Array("\(root.path)/\(path)".utf8)).outcome
    }

    /// Why a link, or one on the way to a path, is not followed or no document; `nil` if it is.
    fileprivate func why(_ path: String) -> LinkFinding? {
        if case .link(let finding) = outcome(path) { finding } else { nil }
    }
}
