import Glibc
import JSONText
import Observables
import PickerModel
import PickerService
import PluginInterface
import PluginProcesses
import TestSupport
import Testing

@testable import ProcessesPlugin

@Suite("When a source is open") struct SourceLifeTests {
    private typealias Fixture = SourceFixture

    @Test("nothing is started that nobody wants; its collection waits")
    func unwanted() throws {
        let fixture = try Fixture()
        fixture.wait(120)
        #expect(fixture.house.launcher.processes.isEmpty && fixture.state == .waiting)
        #expect(fixture.collection()?.title == "Albums")
        // A list of documents wants none.
        _ = fixture.house.call("items.open")
        #expect(fixture.house.launcher.processes.isEmpty)
        // What runs for something else is not asked either.
        let use = try fixture.documents.attributes.use(
            AttributeWish(
                shown: [],
                needed: [
                    try #require(fixture.documents.attributes.attribute(named: "image.width"))
                ],
                query: DocumentQuery(), range: .listed))
        fixture.documents.apply(inserted: [
            Document(
                key: fixture.documents.mintKey(), root: "/r", path: FileName("a.jpg"), size: 1,
                modified: FileTime(seconds: 1))
        ])
        fixture.loop.turn()
        let process = try fixture.greet()
        #expect(fixture.take("source.open", of: process).isEmpty && fixture.state == .waiting)
        withExtendedLifetime(use) {}
    }

    @Test("a list opens the source that it names, and no other, and follows it")
    func list() throws {
        let fixture = try Fixture()
        let sub = try #require(fixture.openList()?["result"]?["sub"])
        #expect(fixture.state == .scanning && fixture.collection("image:shops")?.state == .waiting)
        let process = try fixture.greet()
        let params = try fixture.answerOpen(process, rev: 7)
        #expect(params == ["source": "albums"])
        #expect(fixture.state == .scanning)
        let first = fixture.ask(
            "source.reset", Fixture.reset(rev: 7, last: false, put: Fixture.items(["1", "2"])),
            of: process)
        #expect(
            first?["result"] == [:] && fixture.state == .scanning
                && fixture.names() == ["n1", "n2"])
        let last = fixture.ask(
            "source.reset", Fixture.reset(rev: 7, chunk: 1, put: Fixture.items(["3"])), of: process)
        #expect(last?["result"] == [:] && fixture.state == .watching)
        let change = fixture.ask(
            "source.change",
            Fixture.change(from: 7, to: 9, removed: ["1"], put: Fixture.items(["2"], ["size": 5])),
            of: process)
        #expect(change?["result"] == [:] && fixture.names() == ["n2", "n3"])
        let told = fixture.house.client?.read() ?? []
        #expect(told.contains { $0["params"]?["sub"] == sub }, "\(told)")
        #expect(fixture.collection("image:shops")?.state == .waiting)
        #expect(fixture.house.reports.filter { $0.level == .warning }.isEmpty)
    }

    @Test("a request for items waits until all are there")
    func get() throws {
        let fixture = try Fixture()
        let id = fixture.get()
        let process = try fixture.greet()
        try fixture.answerOpen(process)
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 0, last: false, put: Fixture.items(["1"])),
            of: process)
        #expect(fixture.house.answer(to: id) == nil)
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 0, chunk: 1, put: Fixture.items(["2"])), of: process)
        // The row of a new document is one, too.
        #expect(fixture.house.answer(to: id)?["result"]?["total"] == 3)
    }

    @Test("one that is kept always is opened at once")
    func always() throws {
        let fixture = try Fixture(#""keep":"always""#)
        fixture.loop.turn()
        let process = try fixture.greet()
        let names = fixture.take("source.open", of: process).map { $0["params"]?["source"] }
        #expect(names == ["albums", "shops"])
    }

    @Test("after a restart it is asked for what has changed since, and its items stay meanwhile")
    func resumes() throws {
        let fixture = try Fixture()
        let first = try fixture.watching()
        _ = fixture.ask(
            "source.change", Fixture.change(from: 7, to: 8, put: Fixture.items(["3"])), of: first)
        let keys = fixture.documents.documents(
            in: DocumentRange(.all, of: CollectionSet(["image:albums"]))
        )
        .value
        first.end(.killed(signal: SIGKILL))
        fixture.loop.turn()
        #expect(fixture.state == .missing && fixture.names() == ["n1", "n2", "n3"])
        fixture.wait(1)
        let second = try fixture.greet()
        let params = try fixture.answerOpen(second, rev: 8, resumed: true)
        #expect(params == ["source": "albums", "since": "a1:8"])
        #expect(fixture.state == .watching)
        #expect(
            fixture.documents.documents(
                in: DocumentRange(.all, of: CollectionSet(["image:albums"]))
            )
            .value == keys, "not one row has changed")
        let change = fixture.ask(
            "source.change", Fixture.change(from: 8, to: 9, removed: ["1"]), of: second)
        #expect(change?["result"] == [:] && fixture.names() == ["n2", "n3"])
    }

    @Test(
        "one that resumes elsewhere is asked again, for all that it has",
        arguments: [("a1", 8), ("a1", 6), ("a2", 7)])
    func resumesElsewhere(epoch: String, rev: Int) throws {
        let fixture = try Fixture()
        let first = try fixture.watching()
        first.end(.exited(0))
        fixture.loop.turn()
        fixture.wait(1)
        let second = try fixture.greet()
        try fixture.answerOpen(second, epoch: epoch, rev: rev, resumed: true)
        #expect(fixture.state == .missing)
        let change = fixture.ask(
            "source.change", Fixture.change(from: rev, to: rev + 1, removed: ["1"]), of: second)
        #expect(change?["error"]?["code"] == 1013 && fixture.names() == ["n1", "n2"])
        fixture.wait(2, second)
        #expect(try fixture.answerOpen(second, epoch: "a3", rev: 1) == ["source": "albums"])
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 1, put: Fixture.items(["5"])), of: second)
        #expect(fixture.state == .watching && fixture.names() == ["n5"])
    }

    @Test(
        "one that is killed in the middle of a reset keeps what it had, and has to send all again")
    func killedInReset() throws {
        let fixture = try Fixture()
        let first = try fixture.watching()
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 9, last: false, put: Fixture.items(["3"])), of: first
        )
        #expect(fixture.names() == ["n1", "n2", "n3"])
        first.end(.killed(signal: SIGKILL))
        fixture.loop.turn()
        #expect(fixture.names() == ["n1", "n2", "n3"])
        fixture.wait(1)
        let second = try fixture.greet()
        #expect(try fixture.answerOpen(second, rev: 10) == ["source": "albums"])
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 10, put: Fixture.items(["3", "4"])), of: second)
        #expect(fixture.state == .watching && fixture.names() == ["n3", "n4"])
    }

    @Test("one that falls while a request waits for it is opened again", arguments: [0, 1, 2, 3])
    func fallsWhileAwaited(when: Int) throws {
        let fixture = try Fixture()
        let id = fixture.get()
        let first = try fixture.house.process
        // Before its greeting, before the answer, before the reset, within it.
        if when > 0 { try fixture.greet() }
        if when > 1 { try fixture.answerOpen(first) }
        if when > 2 {
            _ = fixture.ask(
                "source.reset", Fixture.reset(rev: 0, last: false, put: Fixture.items(["1"])),
                of: first)
        }
        first.end(.killed(signal: SIGKILL))
        fixture.loop.turn()
        fixture.wait(1)
        let second = try fixture.greet()
        try #require(first !== second)
        try fixture.answerOpen(second)
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 0, put: Fixture.items(["1", "2"])), of: second)
        #expect(fixture.house.answer(to: id)?["result"]?["total"] == 3)
    }

    @Test("requests do not wait for one that is quarantined; it has what it had")
    func quarantined() throws {
        let fixture = try Fixture()
        var process = try fixture.watching()
        for fall in 1...5 {
            process.end(.exited(1))
            fixture.loop.turn()
            if fall == 5 { break }
            // It must be greeted before its time for that is over.
            for _ in 0..<5 where fixture.house.launcher.processes.count == fall { fixture.wait(1) }
            process = try fixture.greet()
        }
        #expect(fixture.house.state() == "quarantined")
        #expect(fixture.state == .missing)
        #expect(fixture.house.answer(to: fixture.get())?["result"]?["total"] == 3)
        // Of one that was never open, nothing is waited for either.
        #expect(fixture.house.answer(to: fixture.get("image:shops"))?["result"]?["total"] == 1)
        #expect(fixture.collection("image:shops")?.state == .missing)
        _ = fixture.house.call("plugins.restart", ["id": "image"])
        process = try fixture.greet()
        let opened = fixture.take("source.open", of: process).map { $0["params"] }
        #expect(opened.contains(["source": "albums", "since": "a1:7"]))
    }

    @Test("a request that waits for one that is then quarantined is answered")
    func quarantinedMeanwhile() throws {
        let fixture = try Fixture()
        let id = fixture.get()
        for _ in 1...5 {
            try fixture.house.process.end(.exited(1))
            fixture.loop.turn()
            fixture.wait(10)
        }
        #expect(fixture.house.state() == "quarantined" && fixture.state == .missing)
        #expect(fixture.house.answer(to: id)?["result"]?["total"] == 1)
    }

    @Test("one that nobody has wanted for five minutes rests with its items, and resumes")
    func rests() throws {
        let fixture = try Fixture()
        let wanted = CollectionSet(["image:albums"])
        fixture.documents.want(wanted)
        fixture.loop.turn()
        let first = try fixture.greet()
        try fixture.answerOpen(first, rev: 7)
        _ = fixture.ask("source.reset", Fixture.reset(rev: 7, put: Fixture.items(["1"])), of: first)
        fixture.wait(310, first)
        #expect(fixture.state == .waiting && fixture.names() == ["n1"])
        #expect(fixture.take("plugin.stop", of: first).count == 1)
        first.end(.exited(0))
        fixture.loop.turn()
        fixture.documents.want(wanted)
        fixture.loop.turn()
        #expect(fixture.state == .scanning)
        let second = try fixture.greet()
        #expect(
            try fixture.answerOpen(second, rev: 7, resumed: true)
                == ["source": "albums", "since": "a1:7"])
        #expect(fixture.state == .watching && fixture.names() == ["n1"])
    }

    @Test(
        "a call that comes while it is being opened is sent then, by one that does one thing at a time"
    )
    func callMeanwhile() throws {
        let fixture = try Fixture(HouseFixture.method)
        fixture.openList()
        let process = try fixture.greet()
        let id = fixture.house.send("image.palette", ["count": 1])
        #expect(fixture.take("image.palette", of: process).isEmpty)
        try fixture.answerOpen(process)
        let call = try #require(fixture.take("image.palette", of: process).first)
        process.send(["id": call["id"] ?? .null, "result": []])
        #expect(fixture.house.answer(to: id)?["result"] == [])
    }

    @Test("while a list is open it is not stopped as unused")
    func used() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        fixture.wait(700, process)
        #expect(fixture.state == .watching && fixture.take("plugin.stop", of: process).isEmpty)
    }

    @Test("a new version resumes where the old one was")
    func upgrade() throws {
        let fixture = try Fixture()
        let old = try fixture.watching()
        try fixture.find(version: 2)
        fixture.loop.turn()
        let new = try fixture.greet()
        try #require(old !== new)
        let params = try fixture.answerOpen(new, rev: 7, resumed: true)
        #expect(params == ["source": "albums", "since": "a1:7"])
        #expect(fixture.state == .watching)
        // What the old one says now is refused, and costs the new one nothing.
        let late = fixture.ask(
            "source.change", Fixture.change(from: 7, to: 8, removed: ["1"]), of: old)
        #expect(late?["error"]?["code"] == 1013)
        #expect(
            late?["error"]?["message"]
                == "the source 'albums' is not open: it is asked for when it is wanted")
        let change = fixture.ask(
            "source.change", Fixture.change(from: 7, to: 8, removed: ["2"]), of: new)
        #expect(change?["result"] == [:] && fixture.names() == ["n1"])
    }

    @Test(
        "a source that a new version has no more is withdrawn, and one of another title is another")
    func otherSources() throws {
        let fixture = try Fixture()
        let old = try fixture.watching()
        let manifest = #""sources":[{"name":"albums","title":"Photo albums"}]"#
        fixture.house.find(try HouseFixture.found("image", manifest, version: 2))
        fixture.loop.turn()
        let new = try fixture.greet()
        try #require(old !== new)
        #expect(fixture.collection("image:shops") == nil)
        #expect(fixture.collection()?.title == "Photo albums")
        #expect(try fixture.answerOpen(new) == ["source": "albums"])
    }

    @Test("items of one that is gone leave the lists in slices")
    func gone() throws {
        let fixture = try Fixture()
        let ids = (0..<1000).map { "\($0)" }
        _ = try fixture.watching(ids)
        fixture.house.find()
        #expect(fixture.collection() == nil)
        var left = fixture.documents.sources.count
        #expect(left == 1000)
        while left > 0 {
            try #require(fixture.loop.runOne())
            let now = fixture.documents.sources.count
            #expect(left - now <= HostedSource.itemsAtOnce && fixture.names().count == now)
            left = now
        }
        fixture.loop.turn()
        #expect(fixture.documents.all.value.isEmpty)
        fixture.documents.checkInvariants()
    }

    @Test("one that comes back while its items are removed has the others until it sends all")
    func comesBack() throws {
        let fixture = try Fixture()
        _ = try fixture.watching((0..<1000).map { "\($0)" })
        fixture.house.find()
        while fixture.documents.sources.count > 500 { try #require(fixture.loop.runOne()) }
        try fixture.find()
        let left = fixture.documents.sources.count
        fixture.loop.turn()
        #expect(fixture.documents.sources.count == left && left > 0)
        #expect(fixture.names().count == left)
        let process = try fixture.greet()
        #expect(try fixture.answerOpen(process) == ["source": "albums"])
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 1, put: Fixture.items(["1"])), of: process)
        #expect(fixture.names() == ["n1"] && fixture.state == .watching)
        fixture.documents.checkInvariants()
    }

    @Test("switched off and on while the documents must not change, it has the items that it sends")
    func switched() throws {
        let fixture = try Fixture()
        _ = try fixture.watching(["1", "2"])
        fixture.documents.hold.begin()
        _ = fixture.house.observer?.call("plugins.disable", ["id": "image"])
        #expect(fixture.documents.sources.count == 2 && fixture.collection() == nil)
        fixture.documents.hold.end()
        fixture.loop.turn()
        #expect(fixture.documents.sources.count == 0)
        _ = fixture.house.observer?.call("plugins.enable", ["id": "image"])
        // The list is still open.
        let process = try fixture.greet()
        #expect(try fixture.answerOpen(process) == ["source": "albums"])
        _ = fixture.ask(
            "source.reset", Fixture.reset(rev: 1, put: Fixture.items(["3"])), of: process)
        #expect(fixture.names() == ["n3"])
    }

    @Test("one that does not answer as agreed is asked again, later and later")
    func openFaults() throws {
        let fixture = try Fixture()
        fixture.openList()
        let process = try fixture.greet()
        let answers: [(JSONValue, Int)] = [
            (["error": ["code": -32603, "message": "no disk"]], 1),
            (["result": [:]], 2),
            (["result": ["epoch": "", "rev": 1, "resumed": false]], 4),
            (
                [
                    "result": [
                        "epoch": .string(String(repeating: "e", count: 65)), "rev": 1,
                        "resumed": false,
                    ]
                ], 8
            ),
            (["result": ["epoch": "a", "rev": -1, "resumed": false]], 16),
            (["result": ["epoch": "a", "rev": 1, "resumed": true]], 32),
            (["result": []], 60),
        ]
        for (answer, seconds) in answers {
            let asked = fixture.take("source.open", of: process)
            try #require(asked.count == 1)
            var line = try #require(answer.objectValue)
            line["id"] = asked[0]["id"]
            process.send(.object(line))
            fixture.loop.turn()
            #expect(fixture.state == .missing)
            fixture.wait(seconds - 1, process)
            #expect(fixture.take("source.open", of: process).isEmpty, "after \(answer)")
            fixture.wait(2, process)
        }
        let told = fixture.house.reports.filter { $0.level == .warning }.map(\.message)
        #expect(
            told == ["the source 'image:albums' does not do as agreed: source.open: no disk"],
            "once")
        try fixture.answerOpen(process)
        _ = fixture.ask("source.reset", Fixture.reset(rev: 1), of: process)
        #expect(fixture.state == .watching)
    }

    @Test("one that owes a reset and sends none is opened again")
    func noReset() throws {
        let fixture = try Fixture()
        fixture.openList()
        let process = try fixture.greet()
        try fixture.answerOpen(process)
        fixture.wait(29, process)
        #expect(fixture.state == .scanning)
        // Each chunk gives it as long again.
        _ = fixture.ask("source.reset", Fixture.reset(rev: 1, last: false), of: process)
        fixture.wait(29, process)
        #expect(fixture.state == .scanning)
        fixture.wait(2, process)
        #expect(fixture.state == .missing)
        fixture.wait(1, process)
        try fixture.answerOpen(process)
        _ = fixture.ask("source.reset", Fixture.reset(rev: 1), of: process)
        #expect(fixture.state == .watching)
        fixture.wait(100, process)
        #expect(fixture.state == .watching, "then it owes nothing")
    }

    @Test("what a process says whose plugin host is gone is nobody's")
    func afterTheHost() throws {
        let fixture = try Fixture()
        let process = try fixture.watching()
        process.obeys = false
        fixture.house.host.deactivateAll()
        _ = fixture.post("source.change", Fixture.change(from: 7, to: 8), from: process)
        fixture.loop.turn()
        process.end(.exited(0))
        fixture.loop.turn()
    }
}
