// Layouts over a client's own list: what is sent, when, and how a layout ends.

import JSONText
import Layouts
import LayoutsPlugin
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct LayoutsPluginTests {
    private let fixture: LayoutFixture
    private let documents: [Document]

    init() throws {
        fixture = try LayoutFixture()
        documents = fixture.lists.add((10..<20).map { "n\($0).md" })
    }

    @Test("frames follow the rows of a list, with their revision, and then its changes")
    func list() throws {
        try fixture.openList()
        try fixture.openLayout("list", ["rowHeight": 20, "spacing": 2])
        let lines = try fixture.read()
        #expect(lines.map { $0["method"] } == ["items.reset", "layout.frames"])
        #expect(fixture.frames().count == 11)
        #expect(fixture.frames()["new"] == Rect(x: 0, y: 0, width: 400, height: 20))
        let key = documents[9].key
        #expect(fixture.frames()[key] == Rect(x: 0, y: 220, width: 400, height: 20))
        fixture.lists.documents.apply(removed: [documents[8]], inserted: [])
        let more = try fixture.read()
        #expect(more.map { $0["method"] } == ["items.delta", "layout.frames"])
        let params = try #require(more.last?["params"])
        #expect(params["gone"] == [.string(documents[8].key)])
        #expect(params["frames"] == [[.string(key), 0, 198, 400, 20]])
        #expect(params["rev"] == more[0]["params"]?["to"])
        #expect(params["content"] == [400, 300])
    }

    @Test("a layout of an existing list has its frames at once")
    func late() throws {
        try fixture.openList()
        try fixture.read()
        try fixture.openLayout("grid", ["cell": [90, 30], "spacing": [10, 5]])
        #expect(try fixture.read().count == 1)
        #expect(fixture.frames().count == 11)
        #expect(fixture.frames()[documents[3].key] == Rect(x: 0, y: 35, width: 90, height: 30))
    }

    @Test("only the window is laid out")
    func window() throws {
        try fixture.openList(["window": ["start": 2, "count": 3]])
        try fixture.openLayout("list")
        try fixture.read()
        #expect(Set(fixture.frames().keys) == Set(documents[1...3].map(\.key)))
        try fixture.call("items.update", ["sub": 1, "window": ["start": 3, "count": 3]])
        try fixture.read()
        #expect(Set(fixture.frames().keys) == Set(documents[2...4].map(\.key)))
        #expect(fixture.frames()[documents[2].key]?.minY == 0)
    }

    @Test(
        "a change that moves no frame is reported with its revision, without frames",
        arguments: ["list", "grid", "flow"])
    func contents(kind: String) throws {
        try fixture.openList(["window": ["start": 0, "count": 5]])
        try fixture.openLayout(kind)
        try fixture.read()
        // A row that changes, and one behind the window, of which the list tells the total.
        let changed = documents[2].with(size: 99, modified: documents[2].modified)
        fixture.lists.replace(documents[2], with: changed)
        try expectEmptyFrames(rev: 2)
        fixture.lists.documents.apply(removed: [documents[9]], inserted: [])
        try expectEmptyFrames(rev: 3)
        // Of changes that are not read one by one it is told at once.
        fixture.lists.replace(changed, with: documents[2])
        try fixture.read(lines: 1)
        fixture.lists.documents.apply(removed: [documents[8]], inserted: [])
        fixture.lists.documents.apply(removed: [documents[7]], inserted: [])
        let lines = try fixture.read()
        #expect(lines.compactMap { $0["params"]?["rev"] }.last == 6)
        #expect(lines.count { $0["method"] == "layout.frames" } == 2)
        // What is no news of the list is none of the layout.
        try fixture.call("items.update", ["sub": 1, "gen": 7])
        #expect(try fixture.read().map { $0["method"] } == ["items.delta"])
    }

    private func expectEmptyFrames(rev: Int) throws {
        let lines = try fixture.read()
        #expect(lines.map { $0["method"] } == ["items.delta", "layout.frames"])
        let params = try #require(lines.last?["params"])
        #expect(params["rev"] == JSONValue(rev))
        #expect(params["frames"] == [] && params["gone"] == [])
    }

    @Test("measured sizes take the place of the estimate in all layouts of that client")
    func measure() throws {
        try fixture.openList(["search": "n1", "window": ["start": 0, "count": .null]])
        try fixture.openLayout("list", id: 2)
        try fixture.openLayout("flow", id: 3)
        try fixture.read()
        let key = documents[0].key
        let sizes: JSONValue = ["sub": 2, "sizes": [[.string(key), 120, 60]]]
        #expect(try fixture.call("layout.measure", sizes) == [:])
        try fixture.read()
        #expect(fixture.frames(2)[key]?.size == Size(width: 400, height: 60))
        #expect(fixture.frames(3)[key]?.size == Size(width: 120, height: 60))
        try fixture.call("layout.measure", sizes)
        #expect(try fixture.read().isEmpty, "the same sizes again are no news")
        try fixture.closeLayout(2)
        try fixture.openLayout("flow", id: 4)
        try fixture.read()
        #expect(fixture.frames(4) == fixture.frames(3))
    }

    @Test("bounds and options change what they say, and leave the rest")
    func update() throws {
        try fixture.openList()
        try fixture.openLayout("grid", ["cell": [90, 30], "spacing": [10, 5]])
        try fixture.read()
        try fixture.call("layout.update", ["sub": 2, "options": ["spacing": [10, 20]]])
        try fixture.read()
        #expect(fixture.frames()[documents[3].key] == Rect(x: 0, y: 50, width: 90, height: 30))
        try fixture.call("layout.update", ["sub": 2, "bounds": [190, 1000]])
        try fixture.read()
        #expect(fixture.frames()[documents[1].key] == Rect(x: 0, y: 50, width: 90, height: 30))
        #expect(fixture.layouts[2]?.content == Size(width: 190, height: 1000))
        try fixture.call("layout.update", ["sub": 2, "bounds": [190, 800]])
        let lines = try fixture.read()
        #expect(lines.count == 1)
        #expect(lines.first?["params"]?["frames"] == [])
        #expect(fixture.layouts[2]?.content == Size(width: 190, height: 800))
        try fixture.call("layout.update", ["sub": 2, "options": ["minWidth": 50]])
        try fixture.read()
        #expect(fixture.frames()["new"]?.size.width == 56.65625)
    }

    @Test("many frames come in several lines, and a slow reader gets each frame once")
    func slow() throws {
        fixture.lists.add((0..<6000).map { "m\($0)" })
        try fixture.openList()
        fixture.lists.loop.turn()
        try fixture.openLayout("list")
        // The list has more rows than are read in one turn.
        var reads = 0
        while fixture.layouts[2]?.lineCount == 0 {
            try fixture.read(lines: 1)
            fixture.lists.loop.turn()
            reads += 1
            try #require(reads < 100)
        }
        let first = try #require(fixture.layouts[2]?.frameCount)
        #expect(first < 3000, "a line is no longer than it should be")
        // All but the first line waits while the rows change again and again.
        fixture.lists.documents.apply(removed: [documents[0]], inserted: [])
        fixture.lists.documents.apply(removed: [documents[1]], inserted: [])
        try fixture.read()
        #expect(fixture.frames().count == 6009)
        #expect(fixture.layouts[2]?.frameCount ?? 0 <= 6011 + first)
        #expect(!fixture.session.hasWork)
        let frames = fixture.frames()
        for (index, key) in fixture.keys.enumerated() {
            #expect(frames[key]?.minY == Double(index) * 44)
        }
    }

    @Test("when its list is closed a layout says so, and its id is free from then on")
    func listClosed() throws {
        try fixture.openList()
        try fixture.openLayout("list")
        try fixture.read()
        try fixture.call("items.close", ["sub": 1])
        #expect(fixture.refusal("layout.update", ["sub": 2])?.kind == .noSuchSubscription)
        #expect(fixture.refusal("layout.close", ["sub": 2])?.kind == .noSuchSubscription)
        try fixture.read()
        #expect(fixture.layouts[2]?.closed?.reason == "items")
        #expect(fixture.session.stream(2) == nil)
        #expect(fixture.session.stream(1) == nil)
        try fixture.openList()
        try fixture.openLayout("list")
        try fixture.read()
        #expect(fixture.frames().count == 11)
    }

    @Test("a closed layout sends nothing", arguments: ["list", "force"])
    func closed(_ kind: String) throws {
        try fixture.openList()
        try fixture.openLayout(kind)
        try fixture.read()
        try fixture.closeLayout(2)
        fixture.lists.documents.apply(removed: [documents[0]], inserted: [])
        for _ in 0..<10 {
            fixture.loop.advance(by: .milliseconds(50))
            try fixture.read()
        }
        #expect(fixture.refusal("layout.close", ["sub": 2])?.kind == .noSuchSubscription)
    }

    @Test("ids that are no list can't be laid out, ids that are no layout not changed")
    func others() throws {
        try fixture.openList()
        let none: JSONValue = ["items": 7, "kind": "list", "bounds": [1, 1]]
        #expect(fixture.refusal("layout.open", none)?.kind == .noSuchSubscription)
        for method in ["update", "measure", "push", "close"] {
            let error = fixture.refusal("layout.\(method)", ["sub": 1, "sizes": []])
            #expect(error?.kind == .noSuchSubscription, "\(method)")
        }
        try fixture.openLayout("list")
        let twice: JSONValue = ["items": 1, "kind": "list", "bounds": [1, 1]]
        #expect(fixture.refusal("layout.open", twice, id: 2)?.kind == .conflict)
        #expect(fixture.refusal("layout.open", twice, id: 1)?.kind == .conflict)
        let itself: JSONValue = ["items": 2, "kind": "list", "bounds": [1, 1]]
        #expect(fixture.refusal("layout.open", itself)?.kind == .noSuchSubscription)
    }

    @Test("layouts and items are limited, and a list that grows beyond ends its layout")
    func limits() throws {
        var limits = LayoutLimits()
        limits.layouts = 2
        limits.items = 12
        limits.allItems = 25
        let fixture = try LayoutFixture(limits: limits)
        fixture.lists.add((0..<11).map { "a\($0)" })
        try fixture.openList()
        try fixture.openLayout("list", id: 2)
        try fixture.openLayout("force", id: 3)
        let third: JSONValue = ["items": 1, "kind": "list", "bounds": [1, 1]]
        let refused = fixture.refusal("layout.open", third)
        #expect(refused?.kind == .limitExceeded)
        #expect(refused?.limit == 2)
        try fixture.rest(3)
        fixture.lists.add(["b"])
        try fixture.run { fixture.layouts.values.allSatisfy { $0.closed != nil } }
        #expect(fixture.layouts[2]?.closed?.reason == "limit")
        let long = fixture.refusal("layout.open", third)
        #expect(long?.kind == .limitExceeded)
        #expect(long?.limit == 12)
    }

    @Test("an empty list has an empty layout, which is reported", arguments: ["grid", "force"])
    func empty(_ kind: String) throws {
        try fixture.openList(["search": "nothing has this name"])
        try fixture.openLayout(kind)
        try fixture.run { fixture.layouts[2]?.lineCount == 1 }
        #expect(fixture.frames().isEmpty)
        #expect(fixture.layouts[2]?.content == Size(width: 400, height: 300))
    }
}
