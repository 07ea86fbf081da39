// Lists, their layouts, and a client that applies what it is sent.

import DataBus
import JSONText
import Layouts
import LayoutsPlugin
import Observables
import PickerModel
import PluginInterface
import TestSupport
import Testing
import WireProtocol

/// The items plugin and the layouts plugin on a set of documents that the test changes.
final class LayoutFixture {
    let lists: ListFixture
    let bus = EventBus()
    private let plugin: LayoutsPlugin
    private var connection: Connection?
    /// The data of each event `layout.finished`.
    private(set) var finished: [JSONValue] = []
    private(set) var list: ListCopy?
    private(set) var layouts: [RequestID: LayoutCopy] = [:]

    init(limits: LayoutLimits = LayoutLimits()) throws {
        lists = try ListFixture()
        plugin = LayoutsPlugin(limits: limits)
        try plugin.activate(
            in: PluginContext(
                plugin: plugin.manifest, loop: lists.loop, bus: bus,
                documents: lists.documents, settings: PluginSettings(roots: []),
                registry: lists.registry, report: { _ in }))
        connection = bus.subscribeToAll { [unowned self] sent in
            guard let event = sent.event as? WireEvent, event.topic == "layout.finished" else {
                return
            }
            finished.append((try? event.data?.value()) ?? .null)
        }
    }

    deinit { plugin.deactivate() }

    var loop: FakeLoop { lists.loop }
    var session: FakeSession { lists.session }

    @discardableResult
    func call(_ method: String, _ params: JSONValue, id: RequestID = 99) throws -> JSONValue {
        try session.call(method, params, id: id).get()
    }

    /// The error of a call.
    func refusal(_ method: String, _ params: JSONValue, id: RequestID = 99) -> ProtocolError? {
        if case .failure(let error) = session.call(method, params, id: id) { return error }
        return nil
    }

    /// Opens the list of this client, under the id 1.
    func openList(_ params: JSONObject = ["window": ["start": 0, "count": .null]]) throws {
        try call("items.open", .object(params), id: 1)
        list = ListCopy(sub: 1)
    }

    func openLayout(
        _ kind: String, _ options: JSONObject = [:], bounds: JSONValue = [400, 300],
        id: RequestID = 2
    ) throws {
        let reply = try call(
            "layout.open",
            ["items": 1, "kind": .string(kind), "bounds": bounds, "options": .object(options)],
            id: id)
        #expect(reply == ["sub": id.value])
        layouts[id] = LayoutCopy(sub: id, isForce: kind == "force")
    }

    func closeLayout(_ id: RequestID) throws {
        #expect(try call("layout.close", ["sub": id.value]) == [:])
        layouts[id] = nil
    }

    /// Reads and applies at most this many lines.
    @discardableResult
    func read(lines limit: Int = .max) throws -> [JSONValue] {
        let lines = session.read(lines: limit)
        #expect(session.longestLine < 1 << 20)
        for line in lines {
            let id = RequestID(JSONView(line["params"]?["sub"] ?? .null))
            if id == 1 {
                for copy in layouts.values { try copy.checkBeforeRows(line) }
                try list?.take(line)
                let isWhole = list?.isWhole ?? false
                for id in layouts.keys where isWhole { layouts[id]?.noteRows(line) }
            } else if let id, layouts[id] != nil {
                try layouts[id]?.take(line, rowsAt: list?.rev ?? -1)
            } else {
                Issue.record("a line of nothing that is open: \(line)")
            }
        }
        return lines
    }

    /// Reads all there is until the condition holds, letting time pass and workers work.
    func run(until condition: () throws -> Bool) throws {
        let holds = try waitUntil {
            try read()
            if try condition() { return true }
            loop.advance(by: .milliseconds(50))
            try read()
            return try condition()
        }
        #expect(holds, "it never comes to that")
    }

    /// Runs until the force layout has told that it rests, once more than before.
    func rest(_ id: RequestID = 2) throws {
        let before = layouts[id]?.finished.count ?? 0
        try run { (layouts[id]?.finished.count ?? 0) > before }
    }

    /// Whether the client has all frames, of cells that rest.
    var isAtRest: Bool {
        var writer = JSONWriter()
        writer.object { lists.registry.writeInfo(into: &$0) }
        let info = try? JSONValue(
            parsing: writer.finish(), limits: JSONLimits(depth: 9, bytes: 1 << 20))
        return info?["layouts"]?["moving"] == 0 && !session.hasWork
    }

    var keys: [String] { list?.rows.map(\.key) ?? [] }

    func frames(_ id: RequestID = 2) -> [String: Rect] { layouts[id]?.frames ?? [:] }
}

/// A client's copy of one layout, which validates all messages.
struct LayoutCopy {
    let sub: RequestID
    let isForce: Bool
    private(set) var frames: [String: Rect] = [:]
    private(set) var content = Size.zero
    private(set) var rev = -1
    private(set) var finished: [LayoutFinished] = []
    private(set) var closed: LayoutClosed?
    private(set) var lastTick: Int?
    /// How many frames came, and in how many lines.
    private(set) var frameCount = 0
    private(set) var lineCount = 0
    /// The revision whose frames must come before the next rows, if there is one.
    private var owedRev: Int?

    init(sub: RequestID, isForce: Bool) {
        self.sub = sub
        self.isForce = isForce
    }

    /// Rows are about to change.
    func checkBeforeRows(_ line: JSONValue) throws {
        guard !isForce, closed == nil, let owedRev, line["method"] == "items.delta" else { return }
        #expect(rev == owedRev, "rows changed before the frames of revision \(owedRev) came")
    }

    /// Rows have changed.
    mutating func noteRows(_ line: JSONValue) {
        owedRev = nil
        guard line["method"] == "items.delta", let params = line["params"] else { return }
        owedRev = params["to"]?.integerValue.map { Int($0) }
    }

    mutating func take(_ line: JSONValue, rowsAt rowRev: Int) throws {
        let params = try #require(line["params"])
        #expect(closed == nil, "a line after the last one")
        switch line["method"]?.stringValue {
        case "layout.frames":
            for name in ["sub", "items", "rev", "tick", "movement", "content", "frames", "gone"] {
                #expect(params[name] != nil, "there is no '\(name)'")
            }
            try take(LayoutFrames(decoding: params), rowRev)
        case "layout.finished":
            #expect(isForce)
            finished.append(try LayoutFinished(decoding: params))
        case "layout.closed": closed = try LayoutClosed(decoding: params)
        default: Issue.record("not a notification of a layout: \(line)")
        }
    }

    private mutating func take(_ message: LayoutFrames, _ rowRev: Int) throws {
        #expect(message.items == 1)
        #expect(message.rev >= rev && message.rev <= rowRev, "\(rev) \(message.rev) \(rowRev)")
        if !isForce {
            #expect(message.rev == rowRev)
            #expect(message.tick == 0 && message.movement == 0)
        }
        rev = message.rev
        lastTick = message.tick
        lineCount += 1
        frameCount += message.frames.count
        for key in message.gone { frames[key] = nil }
        for frame in message.frames {
            let rect = Rect(x: frame.x, y: frame.y, width: frame.width, height: frame.height)
            #expect(!message.gone.contains(frame.key), "a key is there and gone")
            if !isForce { #expect(frames[frame.key] != rect, "a frame that did not change") }
            frames[frame.key] = rect
        }
        content = Size(width: message.contentWidth, height: message.contentHeight)
    }
}
