// How programs save, step by step. The watcher reads all events after each step, which is the worst that can happen:
// nothing may be told that is not true of the document as its user sees it.

import DirectoryWatching
import FileRules
import Glibc
import PickerModel
import SystemInterface
import TestSupport
import Testing

/// A step of a program that saves `a.md`.
private enum Step {
    case rename(String, String)
    case remove(String)
    /// Opens the file to write it, and makes it or empties it.
    case open(String)
    case write
    /// Closes what is open.
    case close
    case mode(String)
    case wait(Int)
}

/// What a program does at each save.
struct SavingProgram: Sendable, CustomTestStringConvertible {
    fileprivate let name: String
    fileprivate let steps: [Step]
    fileprivate var files = ["a.md"]

    var testDescription: String { name }

    static let all = [
        SavingProgram(
            name: "vim",
            steps: [
                .open("4913"), .close, .remove("4913"), .rename("a.md", "a.md~"), .open("a.md"),
                .write, .mode("a.md"), .close, .mode("a.md"), .remove("a.md~"),
            ]),
        SavingProgram(
            name: "vim with a slow disk",
            steps: [
                .rename("a.md", "a.md~"), .wait(20), .open("a.md"), .wait(40), .write, .close,
                .remove("a.md~"),
            ]),
        SavingProgram(
            name: "vim with backups",
            steps: [
                .rename("a.md", "a.md.bak"), .open("a.md"), .write, .close,
            ], files: ["a.md", "a.md.bak"]),
        SavingProgram(
            name: "Emacs",
            steps: [
                .rename("a.md", "a.md~"), .open("a.md"), .write, .close, .mode("a.md"),
            ]),
        SavingProgram(
            name: "in place", steps: [.open("a.md"), .wait(45), .write, .close]),
        SavingProgram(
            name: "nano with a backup",
            steps: [
                .open("a.md~"), .write, .close, .open("a.md"), .write, .write, .close,
            ]),
        SavingProgram(
            name: "sed", steps: [.open("sedXy12Ab"), .write, .close, .rename("sedXy12Ab", "a.md")]),
        SavingProgram(
            name: "sed with a backup",
            steps: [
                .open("sedXy12Ab"), .write, .close, .rename("a.md", "a.md.bak"), .wait(10),
                .rename("sedXy12Ab", "a.md"),
            ], files: ["a.md", "a.md.bak"]),
        SavingProgram(
            name: "Kate",
            steps: [
                .open("a.md.Xy12Ab"), .write, .close, .wait(10), .rename("a.md.Xy12Ab", "a.md"),
            ]),
        SavingProgram(
            name: "gedit",
            steps: [
                .open(".goutputstream-ABC123"), .write, .rename(".goutputstream-ABC123", "a.md"),
                .close,
            ]),
        SavingProgram(
            name: "LibreOffice",
            steps: [
                .rename("a.md", "a.md.osl-tmp"), .open("a.md"), .write, .close,
                .remove("a.md.osl-tmp"),
            ]),
        SavingProgram(
            name: "backups elsewhere",
            steps: [
                .rename("a.md", "../a.md~"), .open("a.md"), .wait(3), .write, .close,
            ]),
        SavingProgram(
            name: "git",
            steps: [
                .open(".git/index.lock"), .close, .remove("a.md"), .wait(5), .open("a.md"), .write,
                .close, .rename(".git/index.lock", ".git/index"),
            ]),
    ]
}

@Suite("Saves of programs")
struct SaveTests {
    @Test(
        "Each save is one change of the document, which is never gone or empty meanwhile",
        arguments: SavingProgram.all, [false, true])
    func saves(program: SavingProgram, atOnce: Bool) throws {
        // Where all comes at once, nothing tells a backup elsewhere from a document that was moved.
        if program.name == "backups elsewhere", atOnce { return }
        let fixture = try WatchFixture()
        fixture.root.makeFolder(".git")
        fixture.root.write("a.md", "text")
        fixture.root.write("other.md", "text")
        try fixture.follow(DocumentRules())
        let key = fixture.key("a.md")
        for round in 1...20 {
            fixture.forget()
            var saver = Saver(fixture)
            for step in program.steps {
                saver.take(step)
                if atOnce { continue }
                fixture.loop.turn()
                expectWhole(fixture, key, round)
            }
            fixture.loop.turn()
            expectWhole(fixture, key, round)
            let told = fixture.transactions
            #expect(told.flatMap(\.changed).map(\.new.key) == [key], "\(round): \(told)")
            #expect(fixture.document("a.md")?.size == UInt64(saver.written))
            fixture.loop.advance(by: .milliseconds(50))
            #expect(fixture.names == (program.files + ["other.md"]).sorted())
            #expect(fixture.key("a.md") == key && key != nil)
        }
        // Names that wait no more need no timer.
        fixture.loop.advance(by: .seconds(1))
        #expect(fixture.loop.nextTimer == nil)
        fixture.settle()
        #expect(fixture.names == (program.files + ["other.md"]).sorted())
    }

    private func expectWhole(_ fixture: WatchFixture, _ key: String?, _ round: Int) {
        #expect(fixture.key("a.md") == key, "in round \(round)")
        #expect(fixture.document("a.md")?.size ?? 0 > 0, "in round \(round)")
        let told = fixture.transactions.flatMap { $0.removed.map(\.path.text) }
        #expect(told.isEmpty, "in round \(round)")
    }

    @Test("A new document is told once, when it is whole")
    func new() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        var saver = Saver(fixture)
        for step in [Step.open("b.md"), .write, .mode("b.md"), .write] {
            saver.take(step)
            fixture.loop.turn()
            #expect(fixture.transactions.isEmpty)
        }
        saver.take(.close)
        fixture.loop.turn()
        #expect(fixture.transactions.map { $0.added.map(\.path.text) } == [["b.md"]])
        #expect(fixture.document("b.md")?.size == 8)
        #expect(fixture.loop.nextTimer == nil || fixture.watcher.isSettled)
    }

    @Test("What stays open, empty or away is told after a moment")
    func late() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a.md", "text")
        fixture.root.write("b.md", "text")
        try fixture.start()
        let key = fixture.key("b.md")
        var saver = Saver(fixture)
        saver.take(.open("a.md"))
        fixture.root.move("b.md", "b.md.bak")
        fixture.loop.advance(by: .milliseconds(49))
        #expect(fixture.names == ["a.md", "b.md"] && fixture.document("a.md")?.size == 4)
        fixture.loop.advance(by: .milliseconds(1))
        #expect(fixture.names == ["a.md", "b.md.bak"] && fixture.document("a.md")?.size == 0)
        #expect(fixture.key("b.md.bak") == key && key != nil)
        saver.take(.close)
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("A backup that is renamed again, or back, is the document")
    func backups() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a.md", "text")
        try fixture.start()
        let key = fixture.key("a.md")
        fixture.root.move("a.md", "a.md~")
        fixture.loop.turn()
        fixture.root.move("a.md~", "b.md")
        fixture.loop.turn()
        #expect(fixture.names == ["b.md"] && fixture.key("b.md") == key)
        fixture.root.move("b.md", "b.md~")
        fixture.loop.turn()
        fixture.root.move("b.md~", "b.md")
        fixture.loop.advance(by: .milliseconds(50))
        #expect(fixture.names == ["b.md"] && fixture.key("b.md") == key && key != nil)
        fixture.expectTruth()
    }

    @Test("A drain sees a save as it is at that moment")
    func drain() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a.md", "text")
        try fixture.start()
        let key = fixture.key("a.md")
        var saver = Saver(fixture)
        fixture.root.move("a.md", "a.md.bak")
        saver.take(.open("a.md"))
        fixture.loop.turn()
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.key("a.md") == key && key != nil)
        saver.take(.write)
        saver.take(.close)
        fixture.settle()
        fixture.expectTruth()
        #expect(fixture.key("a.md") == key)
    }

    @Test("A new file with the name of a draft is told after a second, unless it is renamed")
    func drafts() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a.md", "text")
        try fixture.start()
        fixture.root.write("a.md.Ab12cd", "text")
        fixture.root.write("seda1B2c3", "text")
        fixture.loop.advance(by: .milliseconds(999))
        #expect(fixture.names == ["a.md"])
        fixture.root.move("seda1B2c3", "a.md")
        fixture.loop.advance(by: .milliseconds(1))
        #expect(fixture.names == ["a.md", "a.md.Ab12cd"])
        // What is known already is told at once.
        fixture.root.write("a.md.Ab12cd", "more text")
        fixture.loop.turn()
        #expect(fixture.document("a.md.Ab12cd")?.size == 9)
    }

    @Test("In a work tree, what git is not changing is removed at once")
    func gitAtRest() throws {
        let fixture = try WatchFixture()
        fixture.root.makeFolder(".git")
        fixture.root.makeFolder("sub")
        for name in ["a", "sub/b", "sub/c"] { fixture.root.write(name) }
        try fixture.follow(DocumentRules())
        fixture.root.remove("sub/b")
        fixture.loop.turn()
        #expect(fixture.names == ["a", "sub/c"])
        fixture.root.write(".git/index.lock")
        fixture.root.remove("sub/c")
        fixture.loop.turn()
        #expect(fixture.names == ["a", "sub/c"])
        fixture.loop.advance(by: .milliseconds(50))
        #expect(fixture.names == ["a"])
        // It is no work tree any more.
        fixture.root.removeTree(".git")
        fixture.root.remove("a")
        fixture.loop.turn()
        #expect(fixture.names.isEmpty)
    }

    /// Only the event of its making tells of the second name; what is at that name later is another file.
    @Test("A second name of a file is known at once, so that no write through it is lost")
    func secondName() throws {
        let fixture = try WatchFixture()
        fixture.root.write("a", "1")
        try fixture.start()
        fixture.root.link("a", "b")
        fixture.root.makePipe("pipe")
        fixture.loop.turn()
        #expect(fixture.names == ["a", "b"])
        fixture.root.append("b", "23")
        fixture.root.save("b", "saved")
        fixture.settle()
        #expect(fixture.document("a")?.size == 3)
        fixture.expectTruth()
    }

    /// As Emacs writes a backup that is there, where the backup is a name of a document, too.
    @Test("What is written through a name that is left out shows at other names of the file")
    func leftOutName() throws {
        let fixture = try WatchFixture()
        for name in ["a", "c"] { fixture.root.write(name, "1") }
        fixture.root.link("a", "b")
        try fixture.follow(DocumentRules())
        fixture.root.link("a", "b~")
        fixture.settle()
        let looks = fixture.access.looks
        fixture.root.append("b~", "23")
        fixture.loop.turn()
        #expect(["a", "b"].map { fixture.document($0)?.size } == [3, 3])
        #expect(fixture.access.looks - looks <= 5)
        fixture.root.setModified("b~", 1_000_000, 5)
        fixture.settle()
        #expect(fixture.document("a")?.modified.seconds == 1_000_000)
        #expect(fixture.names == ["a", "b", "c"])
        // Without other names nobody looks.
        fixture.root.remove("b")
        fixture.root.remove("a")
        fixture.settle()
        let others = fixture.access.looks
        fixture.root.append("b~", "4")
        fixture.loop.turn()
        #expect(fixture.access.looks == others)
    }

    @Test("New files cost no other look because they might be links, if they are written at once")
    func writtenAtOnce() throws {
        let fixture = try WatchFixture()
        try fixture.start()
        let before = fixture.access.looks
        for number in 0..<100 { fixture.root.write("\(number)", "text") }
        fixture.loop.turn()
        #expect(fixture.names.count == 100)
        #expect(fixture.access.looks - before <= 102)
        // One that stays open is looked at once more.
        var saver = Saver(fixture)
        let open = fixture.access.looks
        saver.take(.open("new"))
        fixture.loop.turn()
        saver.take(.write)
        fixture.loop.turn()
        saver.take(.write)
        fixture.loop.turn()
        #expect(fixture.access.looks - open == 1)
        saver.take(.close)
        fixture.settle()
        fixture.expectTruth()
    }

    @Test("Of more files than may wait, the others are checked at once")
    func many() throws {
        var limits = WatchLimits()
        limits.namesHeld = 3
        let fixture = try WatchFixture(limits: limits)
        try fixture.start()
        var savers = (0..<4).map { _ in Saver(fixture) }
        for index in 0..<4 {
            savers[index].take(.open("\(index)"))
            fixture.loop.turn()
        }
        #expect(fixture.names == ["3"])
        fixture.loop.advance(by: .milliseconds(50))
        #expect(fixture.names == ["0", "1", "2", "3"])
        for index in 0..<4 { savers[index].take(.close) }
        fixture.settle()
        fixture.expectTruth()
    }
}

/// Makes the steps of a program.
private struct Saver {
    private let fixture: WatchFixture
    private var descriptor: Int32 = -1
    /// The bytes of what was opened last.
    private(set) var written = 0

    init(_ fixture: WatchFixture) {
        self.fixture = fixture
    }

    mutating func take(_ step: Step) {
        let root = fixture.root
        switch step {
        case .rename(let from, let to): root.move(from, to)
        case .remove(let name): root.remove(name)
        case .open(let name):
            descriptor = root.openForWriting(name)
            if name != ".git/index.lock", name != "4913" { written = 0 }
        case .write:
            let bytes: [UInt8] = Array("more".utf8)
            #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
            written += bytes.count
        case .close: closeWritten(descriptor)
        case .mode(let name): root.setMode(name, 0o640)
        case .wait(let milliseconds): fixture.loop.advance(by: .milliseconds(milliseconds))
        }
    }
}
