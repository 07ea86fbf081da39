import JSONText
import PickerClient
import TestSupport
import Testing
import WireProtocol

@Suite struct LiveLayoutTests {
    /// A list with a layout, opened on a server by script.
    private final class Scene {
        let bench: Bench
        let connection: PickerConnection
        let list: LiveList
        let layout: LiveLayout
        var changes = 0
        var finishes: [Bool] = []
        var errors: [ClientError] = []

        init(_ query: LayoutQuery = LayoutQuery(.flow, width: 300, height: 200)) throws {
            bench = try Bench()
            connection = try bench.connect()
            list = LiveList(ListQuery())
            layout = LiveLayout(of: list, query)
            layout.onChange = { [weak self] in self?.changes += 1 }
            layout.onFinish = { [weak self] in self?.finishes.append($0) }
            layout.onError = { [weak self] in self?.errors.append($0) }
            list.attach(to: connection)
            #expect(until { self.opens == 1 })
        }

        var opens: Int { bench.server.methods.count { $0 == "layout.open" } }
        var client: FakeClient { bench.server.clients[0] }
        var open: RequestEnvelope {
            get throws { try #require(bench.server.requests.last { $0.method == "layout.open" }) }
        }
        var sub: RequestID { get throws { try #require(try open.id) } }
        var items: RequestID { get throws { try open.reader().requestID("items") } }

        func until(_ condition: () -> Bool) -> Bool { bench.loop.reach(condition) }

        func frames(
            _ frames: [String: [Double]], rev: Int = 1, gone: [String] = []
        ) throws {
            client.notify(
                LayoutFrames(
                    sub: try sub, items: try items, rev: rev, tick: 3, movement: 1.5,
                    contentWidth: 300, contentHeight: 250,
                    frames: frames.map {
                        .init(key: $0, x: $1[0], y: $1[1], width: $1[2], height: $1[3])
                    }, gone: gone))
        }
    }

    @Test("Cells at rest stay so with a revision that moves none, and only then")
    func revisions() throws {
        let scene = try Scene(LayoutQuery(.force, width: 300, height: 200))
        func finish() throws {
            scene.client.notify(
                LayoutFinished(
                    sub: try scene.sub, rev: scene.layout.rev, ticks: 3, movement: 0.1,
                    isAtRest: true))
            #expect(scene.until { scene.layout.isFinished })
        }
        try scene.frames(["a": [1, 2, 3, 4]])
        try finish()
        try scene.frames([:], rev: 2)
        #expect(scene.until { scene.layout.rev == 2 })
        #expect(scene.layout.isFinished && scene.layout.frames.count == 1)
        try scene.frames(["b": [1, 2, 3, 4]], rev: 3)
        #expect(scene.until { scene.layout.rev == 3 })
        #expect(!scene.layout.isFinished)
        try finish()
        try scene.frames([:], rev: 4, gone: ["b"])
        #expect(scene.until { scene.layout.rev == 4 })
        #expect(!scene.layout.isFinished)
    }

    @Test("A layout is opened after its list, with its query")
    func opening() throws {
        let options = try RawJSON(#"{"align":"center"}"#)
        let scene = try Scene(LayoutQuery(.flow, width: 300, height: 200, options: options))
        #expect(scene.bench.server.methods == ["items.open", "layout.open"])
        #expect(try scene.items == scene.bench.server.requests[0].id)
        var params = try scene.open.paramsValue()
        #expect(params["bounds"] == [300, 200])
        #expect(params["kind"] == "flow")
        #expect(params["options"] == ["align": "center"])
        // One that is made when the list is there already is opened at once.
        let second = LiveLayout(of: scene.list, LayoutQuery(.force, width: 1, height: 1))
        #expect(scene.until { scene.opens == 2 })
        params = try scene.open.paramsValue()
        #expect(params["items"] == scene.bench.server.requests[0].id?.value)
        second.close()
        #expect(scene.until { scene.bench.server.methods.last == "layout.close" })
    }

    @Test("The newest frame of each key counts; removed items have none")
    func frames() throws {
        let scene = try Scene()
        try scene.frames(["a": [0, 0, 10, 10], "b": [20, 0, 10, 10]])
        try scene.frames(["b": [5, 6, 7, 8.5], "c": [1, 1, 1, 1]], rev: 2, gone: ["a"])
        #expect(scene.until { scene.changes == 2 })
        #expect(
            scene.layout.frames == [
                "b": LayoutFrame(x: 5, y: 6, width: 7, height: 8.5),
                "c": LayoutFrame(x: 1, y: 1, width: 1, height: 1),
            ])
        #expect(scene.layout.rev == 2)
        #expect(scene.layout.tick == 3 && scene.layout.movement == 1.5)
        #expect(scene.layout.contentWidth == 300 && scene.layout.contentHeight == 250)
        #expect(!scene.layout.isFinished)
        scene.client.notify(
            LayoutFinished(sub: try scene.sub, rev: 2, ticks: 9, movement: 0.1, isAtRest: false))
        #expect(scene.until { scene.layout.isFinished })
        #expect(scene.finishes == [false])
        #expect(scene.layout.tick == 9)
    }

    @Test("Bounds, options, sizes and pushes are sent to the daemon correctly")
    func calls() throws {
        let scene = try Scene()
        scene.layout.update(width: 10, height: 20, options: try RawJSON(#"{"spacing":[1,2]}"#))
        scene.layout.measure([(key: "a", width: 3, height: 4.5)])
        scene.layout.push(key: "a", dx: -1, dy: 2)
        #expect(scene.until { scene.bench.server.methods.count == 5 })
        let sub = try scene.sub.value
        let sent = try scene.bench.server.requests.suffix(3).map { try $0.paramsValue() }
        #expect(sent[0] == ["bounds": [10, 20], "options": ["spacing": [1, 2]], "sub": sub])
        #expect(sent[1] == ["sizes": [["a", 3, 4.5]], "sub": sub])
        #expect(sent[2] == ["key": "a", "force": [-1, 2], "sub": sub])
        #expect(scene.layout.query.options.text == #"{"spacing":[1,2]}"#)
    }

    @Test("What a layout is opened with again is what the daemon agreed to")
    func agreed() throws {
        let scene = try Scene(
            LayoutQuery(
                .grid, width: 300, height: 200,
                options: try RawJSON(#"{"cell":[9,9],"spacing":[1,1]}"#)))
        scene.layout.update(width: 10, height: 20, options: try RawJSON(#"{"minWidth":7}"#))
        // The two can't be given together; the later stands.
        let agreed = scene.layout.query
        #expect(agreed.options.text == #"{"spacing":[1,1],"minWidth":7}"#)
        #expect(scene.until { scene.bench.server.methods.count == 3 })
        scene.bench.server.respond = {
            $1.refuse($0, .invalidParams(at: "options.minWidth", "too small"))
        }
        var refusals = 0
        scene.layout.update(width: 10, height: 20, options: try RawJSON(#"{"minWidth":-1}"#))?
            .then { if case .failure = $0 { refusals += 1 } }
        #expect(scene.layout.query != agreed)
        #expect(scene.until { refusals == 1 })
        #expect(scene.layout.query == agreed)
    }

    @Test(
        "When the list is opened anew, the layout is too; the old frames stay until there are new")
    func reopening() throws {
        let scene = try Scene()
        try scene.frames(["a": [0, 0, 10, 10]])
        #expect(scene.until { scene.changes == 1 })
        let old = try scene.items
        // A delta without the rows it changes: the two sides disagree.
        scene.client.notify(
            ItemsDelta(sub: old, gen: 1, from: 5, to: 6, token: "e:6", total: 1))
        #expect(scene.until { scene.opens == 2 })
        #expect(try scene.items != old)
        #expect(scene.layout.frames.count == 1)
        try scene.frames(["b": [1, 1, 1, 1]])
        #expect(scene.until { scene.changes == 2 })
        #expect(Set(scene.layout.frames.keys) == ["b"])
        #expect(scene.errors == [])
    }

    @Test("A layout that the daemon refuses or closes says why, once")
    func errors() throws {
        let scene = try Scene()
        scene.client.notify(
            LayoutClosed(
                sub: try scene.sub, items: try scene.items, reason: "limit", message: "too long"))
        #expect(scene.until { scene.errors.count == 1 })
        #expect(scene.errors.first?.message == "too long")
        #expect(scene.layout.push(key: "a", dx: 1, dy: 1) == nil)
        scene.bench.server.respond = { request, client in
            if request.method == "layout.open" {
                client.refuse(request, .invalidParams(at: "options.x", "no option x"))
            } else {
                client.reply(request, [:])
            }
        }
        let refused = LiveLayout(of: scene.list, LayoutQuery(.list, width: 1, height: 1))
        var said: [ClientError] = []
        refused.onError = { said.append($0) }
        #expect(scene.until { said.count == 1 })
        #expect(said.first?.refusal?.at == "options.x")
    }

    @Test("Invalid frames end the layout")
    func nonsense() throws {
        let scene = try Scene()
        let sub = try scene.sub
        scene.client.send(
            WireLine.request(
                id: nil, method: "layout.frames",
                params: [
                    "sub": sub.value, "items": 1, "rev": 1, "content": [1, 1], "frames": [[1]],
                ]))
        #expect(scene.until { scene.errors.count == 1 })
        #expect(scene.errors.first?.code == .badMessage)
        #expect(scene.until { scene.bench.server.methods.last == "layout.close" })
    }
}
