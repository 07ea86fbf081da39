import DirectoryWatching
import EventLoops
import FileRules
import PickerModel
import SystemInterface
import TestSupport
import Testing

@Suite("What rules leave out")
struct RuleTests {
    /// Follows the root by these rules, and waits for its scan.
    private func start(
        _ rules: DocumentRules = DocumentRules(), limits: WatchLimits = WatchLimits(),
        _ prepare: (Disk) -> Void
    ) throws -> WatchFixture {
        let fixture = try WatchFixture(limits: limits)
        prepare(fixture.root)
        try fixture.follow(rules)
        return fixture
    }

    @Test("What is left out is no document, has no watch, and no status is read of it")
    func scan() throws {
        let fixture = try start { root in
            root.write("a.md", "a")
            root.write(".env")
            root.write("a.md~")
            for folder in [".git", "node_modules", "kept"] {
                root.makeFolders("\(folder)/deep/deeper")
                root.write("\(folder)/deep/deeper/b.md")
            }
        }
        #expect(fixture.names == ["a.md", "kept/deep/deeper/b.md"])
        // The root, and three folders in it.
        #expect(fixture.access.watchCount == 4)
        #expect(fixture.status?.foldersScanned == 4)
    }

    @Test("Threads do not read what is left out", arguments: [1, 3000])
    func threads(count: Int) throws {
        var limits = WatchLimits()
        limits.entriesInline = 10
        limits.entriesPerSlice = 10
        let fixture = try WatchFixture(limits: limits)
        fixture.root.makeFolder("kept")
        fixture.root.makeFolder("node_modules")
        for number in 0..<count {
            fixture.root.write("kept/\(number).md")
            fixture.root.write("kept/.\(number).md.swp")
            fixture.root.write("node_modules/\(number).js")
        }
        let (first, second) = (ScriptedLoop(fixture), fixture.access)
        second.readers = first.start
        try fixture.watcher.setRoots([RootToWatch(fixture.root.bytes, DocumentRules())])
        first.run()
        fixture.settle()
        #expect(fixture.store.documents.count == count)
        #expect(fixture.access.watchCount == 2)
        for answer in first.entries { #expect(!answer.hasPrefix("."), "\(answer) was read") }
    }

    @Test("Events of what is left out change nothing, and cost no look at the disk")
    func events() throws {
        let fixture = try start { $0.write("a.md") }
        fixture.access.resetCounts()
        fixture.settle()
        let looks = fixture.access.looks
        fixture.access.resetCounts()
        fixture.root.write(".a.md.swp", "x")
        fixture.root.append(".a.md.swp", "y")
        fixture.root.write("4913")
        fixture.root.remove("4913")
        fixture.root.makeFolders("__pycache__/x")
        fixture.root.write("__pycache__/x/y.pyc")
        fixture.root.move(".a.md.swp", ".b.md.swp")
        fixture.settle()
        #expect(fixture.transactions.isEmpty && fixture.reports.isEmpty)
        // Those at the root, as without events.
        #expect(fixture.access.looks == looks)
        #expect(fixture.names == ["a.md"])
    }

    @Test("A file that is renamed to a name that is left out goes, and returns with its key")
    func renamed() throws {
        let fixture = try start { root in
            root.write("a.md", "text")
            root.makeFolders("folder/inner")
            root.write("folder/inner/b.md")
        }
        let (key, inner) = (fixture.key("a.md"), fixture.key("folder/inner/b.md"))
        fixture.root.move("a.md", ".a.md")
        fixture.root.move("folder", ".folder")
        fixture.settle()
        #expect(fixture.names.isEmpty)
        #expect(fixture.watcher.isSettled)
        fixture.root.move(".a.md", "b.md")
        fixture.root.move(".folder", "again")
        fixture.settle()
        #expect(fixture.names == ["again/inner/b.md", "b.md"])
        #expect(fixture.key("b.md") == key && key != nil)
        #expect(fixture.key("again/inner/b.md") == inner && inner != nil)
    }

    @Test("A change of the settings takes effect as a delta, and other documents keep their keys")
    func settings() throws {
        let fixture = try start { root in
            root.write("a.md")
            root.write(".hidden")
            root.makeFolders("logs/old")
            root.write("logs/old/x.log")
            root.write("logs/y.md")
        }
        let keys = ["a.md", "logs/y.md", "logs/old/x.log"].map { fixture.key($0) }
        #expect(!keys.contains(nil))
        fixture.forget()
        try fixture.follow(DocumentRules(hidden: .keep, ignore: ["*.log"]))
        #expect(fixture.names == [".hidden", "a.md", "logs/y.md"])
        #expect(fixture.key("a.md") == keys[0] && fixture.key("logs/y.md") == keys[1])
        try fixture.follow(DocumentRules(ignore: ["logs/*", "!logs/old/"]))
        #expect(fixture.names == ["a.md", "logs/old/x.log"])
        // The same again is no change.
        fixture.forget()
        fixture.access.resetCounts()
        try fixture.watcher.setRoots([
            RootToWatch(fixture.root.bytes, DocumentRules(ignore: ["logs/*", "!logs/old/"]))
        ])
        fixture.settle()
        #expect(fixture.access.looks <= 2)
    }

    @Test("An ignore file takes effect when it comes, changes, is renamed, and goes")
    func ignoreFile() throws {
        var rules = DocumentRules()
        rules.readsIgnoreFiles = true
        let fixture = try start(rules) { root in
            root.makeFolders("code/build")
            root.write("code/a.c")
            root.write("code/a.o")
            root.write("code/build/b.o")
            root.write("c.o")
        }
        #expect(fixture.names == ["c.o", "code/a.c", "code/a.o", "code/build/b.o"])
        let key = fixture.key("code/a.c")
        fixture.root.write("code/.gitignore", "*.o\n")
        fixture.settle()
        #expect(fixture.names == ["c.o", "code/a.c"])
        fixture.root.write("code/.gitignore", "/build/\n")
        fixture.settle()
        #expect(fixture.names == ["c.o", "code/a.c", "code/a.o"])
        // A later file, and one that is nearer.
        fixture.root.write("code/.ignore", "!build\na.o\n")
        fixture.root.write("code/build/.gitignore", "!*.o\n")
        fixture.settle()
        #expect(fixture.names == ["c.o", "code/a.c", "code/build/b.o"])
        fixture.root.move("code/.ignore", "code/ignored")
        fixture.settle()
        #expect(fixture.names == ["c.o", "code/a.c", "code/a.o", "code/ignored"])
        fixture.root.remove("code/.gitignore")
        fixture.settle()
        #expect(
            fixture.names == ["c.o", "code/a.c", "code/a.o", "code/build/b.o", "code/ignored"])
        #expect(fixture.key("code/a.c") == key && key != nil)
    }

    @Test("Saving an ignore file without a change reads no folder again")
    func sameIgnoreFile() throws {
        var rules = DocumentRules()
        rules.readsIgnoreFiles = true
        let fixture = try start(rules) { root in
            root.write(".gitignore", "/build/x\n*.o\n")
            for number in 0..<50 { root.makeFolder("d\(number)") }
        }
        let scanned = fixture.status?.foldersScanned
        fixture.root.save(".gitignore", "/build/x\n*.o\n")
        fixture.settle()
        #expect(fixture.status?.foldersScanned == scanned)
        fixture.root.save(".gitignore", "*.o\n")
        fixture.settle()
        #expect(fixture.status?.foldersScanned == scanned.map { $0 + 51 })
    }

    @Test("A folder that moves to where other rules hold is read again")
    func movedFolder() throws {
        var rules = DocumentRules()
        rules.readsIgnoreFiles = true
        let fixture = try start(rules) { root in
            root.makeFolders("plain")
            root.makeFolders("strict")
            root.write("strict/.gitignore", "*.o\n/sub/secret/\n")
            root.makeFolders("plain/sub/secret")
            root.write("plain/sub/a.o")
            root.write("plain/sub/a.c")
            root.write("plain/sub/secret/s.md")
        }
        let key = fixture.key("plain/sub/a.c")
        fixture.root.move("plain/sub", "strict/sub")
        fixture.settle()
        #expect(fixture.names == ["strict/sub/a.c"])
        #expect(fixture.key("strict/sub/a.c") == key && key != nil)
        // Only the place of the folder decides here.
        fixture.root.move("strict/sub", "strict/other")
        fixture.settle()
        #expect(fixture.names == ["strict/other/a.c", "strict/other/secret/s.md"])
        fixture.root.move("strict/other", "plain/sub")
        fixture.settle()
        #expect(fixture.names == ["plain/sub/a.c", "plain/sub/a.o", "plain/sub/secret/s.md"])
        #expect(fixture.key("plain/sub/a.c") == key)
    }

    @Test("A target folder is left out while a Cargo.toml is beside it")
    func markers() throws {
        let fixture = try start { root in
            root.makeFolders("crate/target")
            root.write("crate/target/x.md")
        }
        #expect(fixture.names == ["crate/target/x.md"])
        fixture.root.write("crate/Cargo.toml")
        fixture.settle()
        #expect(fixture.names == ["crate/Cargo.toml"])
        fixture.root.write("crate/target/y.md")
        fixture.settle()
        #expect(fixture.names == ["crate/Cargo.toml"])
        fixture.root.move("crate/Cargo.toml", "crate/Other.toml")
        fixture.settle()
        #expect(
            fixture.names == ["crate/Other.toml", "crate/target/x.md", "crate/target/y.md"])
        fixture.root.move("crate/Other.toml", "crate/Cargo.toml")
        fixture.settle()
        #expect(fixture.names == ["crate/Cargo.toml"])
        fixture.root.remove("crate/Cargo.toml")
        fixture.settle()
        #expect(fixture.names == ["crate/target/x.md", "crate/target/y.md"])
    }

    @Test("A root within a root has rules of its own")
    func rootWithin() throws {
        let fixture = try start { root in
            root.makeFolders("code/sub")
            root.write("code/.a")
            root.write("code/sub/.b")
            root.write(".c")
        }
        let code = Disk(fixture.root.path + "/code")
        func follow(_ inner: DocumentRules) throws {
            try fixture.watcher.setRoots([
                RootToWatch(fixture.root.bytes, DocumentRules()), RootToWatch(code.bytes, inner),
            ])
            fixture.settle()
        }
        #expect(fixture.names.isEmpty)
        try follow(DocumentRules(hidden: .keep))
        #expect(fixture.names == ["code/.a", "code/sub/.b"])
        try follow(DocumentRules(hidden: .keep, ignore: ["/.a"]))
        #expect(fixture.names == ["code/sub/.b"])
        // What the outer rules leave out is not taken from a root.
        let outer = DocumentRules(ignore: ["co*"])
        try fixture.watcher.setRoots([
            RootToWatch(fixture.root.bytes, outer),
            RootToWatch(code.bytes, DocumentRules(hidden: .keep)),
        ])
        fixture.settle()
        #expect(fixture.names == [".a", "sub/.b"])
        #expect(fixture.watcher.roots.map(\.documents) == [0, 2])
        try fixture.follow(DocumentRules())
        #expect(fixture.names.isEmpty)
    }

    @Test("A root in a hidden folder of another root is a root of its own")
    func hiddenRoot() throws {
        let fixture = try start { root in
            root.makeFolders(".notes/sub")
            root.write(".notes/sub/a.md")
            root.write("b.md")
        }
        let notes = Disk(fixture.root.path + "/.notes")
        try fixture.watcher.setRoots([
            RootToWatch(fixture.root.bytes, DocumentRules()),
            RootToWatch(notes.bytes, DocumentRules()),
        ])
        fixture.settle()
        #expect(fixture.names == ["b.md", "sub/a.md"])
        #expect(fixture.watcher.roots.count == 2)
        fixture.root.write(".notes/c.md")
        fixture.settle()
        #expect(fixture.names == ["b.md", "c.md", "sub/a.md"])
        // All is kept: it is in the other root now.
        try fixture.watcher.setRoots([
            RootToWatch(fixture.root.bytes, DocumentRules(hidden: .keep)),
            RootToWatch(notes.bytes, DocumentRules()),
        ])
        fixture.settle()
        #expect(fixture.names == [".notes/c.md", ".notes/sub/a.md", "b.md"])
        #expect(fixture.watcher.roots.count == 1)
    }

    @Test("A folder that is polled follows the rules, too")
    func polled() throws {
        let fixture = try WatchFixture()
        fixture.access.watchFault = { _ in SystemError(.noSpace, operation: "watch") }
        fixture.root.write("a.md")
        fixture.root.write(".b.md")
        fixture.root.makeFolders("node_modules/x")
        fixture.root.write("node_modules/x/y.js")
        try fixture.follow(DocumentRules())
        #expect(fixture.names == ["a.md"])
        fixture.root.write("c.md")
        fixture.root.write("c.md~")
        fixture.settle()
        #expect(fixture.names == ["a.md", "c.md"])
    }
}

/// Readers of a test, and what they have read.
private final class ScriptedLoop {
    private let fixture: WatchFixture
    private var readers: ScriptedReaders?
    private(set) var entries: [String] = []

    init(_ fixture: WatchFixture) {
        self.fixture = fixture
    }

    func start(
        _ loop: any EventLoop, _ limit: Int, _ take: @escaping (FolderAnswer) -> Void
    ) -> (any FolderReaders)? {
        let readers = ScriptedReaders(limit: limit) { [unowned self] answer in
            for index in 0..<answer.part.batch.count {
                entries.append(String(decoding: answer.part.batch.name(index), as: UTF8.self))
            }
            take(answer)
        }
        self.readers = readers
        return readers
    }

    /// Runs until nothing is left to read.
    func run() {
        for _ in 0..<10_000 {
            fixture.loop.turn()
            guard let readers, !readers.isEnded else { return }
            readers.readOne()
            readers.deliverOne()
        }
        Issue.record("the scan does not end")
    }
}

extension WatchFixture {
    /// Follows the root by these rules, and waits for its scan.
    func follow(_ rules: DocumentRules) throws {
        try watcher.setRoots([RootToWatch(root.bytes, rules)])
        settle()
        forget()
    }
}
