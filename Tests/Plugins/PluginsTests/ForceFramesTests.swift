// Force layouts, whose cells are moved by a real worker thread.

import JSONText
import Layouts
import LayoutsPlugin
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct ForceFramesTests {
    private let fixture: LayoutFixture
    private let documents: [Document]

    init() throws {
        fixture = try LayoutFixture()
        documents = fixture.lists.add((100..<140).map { "n\($0)" })
    }

    /// The frames of a layout of its own, of the same items at once.
    private func plain(
        _ keys: [String], _ options: ForceOptions = ForceOptions()
    ) throws -> [String: Rect] {
        let layout = try ForceLayout<String>(
            bounds: Rect(x: 0, y: 0, width: 400, height: 300), options: options, threads: 2)
        try layout.insert(keys)
        layout.run()
        var frames: [String: Rect] = [:]
        layout.forEachFrame { frames[$0] = $1 }
        return frames
    }

    @Test("frames stream while cells move, and end with those of a layout of its own, to the bit")
    func stream() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["start": "random", "seed": 7])
        var lots = 0
        var ticks: [Int] = []
        try fixture.run {
            let lot = fixture.layouts[2]?.lineCount ?? 0
            if lot > lots, let tick = fixture.layouts[2]?.lastTick { ticks.append(tick) }
            lots = lot
            return fixture.layouts[2]?.finished.count == 1
        }
        #expect(ticks.first == 0, "the first frames are those of the start")
        #expect(ticks == ticks.sorted())
        #expect(lots > 5)
        var options = ForceOptions()
        options.start = .random
        options.seed = 7
        #expect(try fixture.frames() == plain(fixture.keys, options))
        let told = try #require(fixture.layouts[2]?.finished.first)
        #expect(told.ticks > lots && told.isAtRest)
        #expect(fixture.finished.count == 1)
        #expect(fixture.finished.first?["ticks"] == JSONValue(told.ticks))
        #expect(fixture.finished.first?["cells"] == 41)
        #expect(fixture.isAtRest)
        #expect(fixture.loop.nextTimer == nil, "at rest nothing is awaited")
    }

    @Test(
        "cells at rest stay so after a change that moves none, which is reported",
        arguments: ["stream", "final"])
    func revisions(mode: String) throws {
        try fixture.openList(["window": ["start": 0, "count": 5]])
        try fixture.openLayout("force", ["mode": .string(mode)])
        try fixture.rest()
        try fixture.run { fixture.isAtRest }
        let before = try #require(fixture.layouts[2])
        for number in 0..<3 {
            fixture.lists.documents.apply(removed: [documents[39 - number]], inserted: [])
            try fixture.run { fixture.layouts[2]?.rev == 2 + number }
        }
        let after = try #require(fixture.layouts[2])
        #expect(after.lineCount == before.lineCount + 3)
        #expect(after.frameCount == before.frameCount && after.lastTick == before.lastTick)
        #expect(after.finished.count == 1 && fixture.isAtRest)
        #expect(after.frames == before.frames)
    }

    @Test("changes outside the window while cells move are reported with the frames")
    func revisionsOnTheWay() throws {
        try fixture.openList(["window": ["start": 0, "count": 20]])
        try fixture.openLayout("force", ["start": "random"])
        for number in 0..<12 {
            fixture.lists.documents.apply(removed: [documents[39 - number]], inserted: [])
            fixture.loop.advance(by: .milliseconds(30))
            try fixture.read()
        }
        try fixture.rest()
        try fixture.run { fixture.isAtRest }
        #expect(fixture.list?.rev == 13 && fixture.layouts[2]?.rev == 13)
        #expect(try fixture.frames() == plain(fixture.keys, Self.randomStart))
    }

    private static var randomStart: ForceOptions {
        var options = ForceOptions()
        options.start = .random
        return options
    }

    @Test("new cells appear at the start that was asked for")
    func start() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["start": [40, 70], "intervalMs": 60_000])
        try fixture.run { fixture.layouts[2]?.lineCount ?? 0 > 0 }
        #expect(fixture.layouts[2]?.lastTick == 0)
        #expect(
            fixture.frames().values.allSatisfy {
                $0.center.distance(to: Point(x: 40, y: 70)) < 0.1
            })
    }

    @Test("with mode final there is nothing before the end")
    func final() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["mode": "final"])
        try fixture.rest()
        #expect(fixture.layouts[2]?.lineCount == 1)
        #expect(fixture.layouts[2]?.frameCount == 41)
        #expect(try fixture.frames() == plain(fixture.keys))
    }

    @Test("a slow reader gets the current frames, not the past ones")
    func slow() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["start": "random"])
        while fixture.layouts[2]?.lineCount == 0 {
            fixture.loop.run { fixture.session.hasWork }
            try fixture.read(lines: 1)
        }
        let before = try #require(fixture.layouts[2]?.frameCount)
        // The rest of the way nothing is read; the cells come to rest all the same.
        let rests = waitUntil {
            fixture.loop.advance(by: .milliseconds(50))
            return fixture.finished.count == 1
        }
        #expect(rests)
        try fixture.run { fixture.isAtRest }
        #expect(try #require(fixture.layouts[2]?.frameCount) <= before + 2 * 41)
        #expect(fixture.layouts[2]?.finished.count == 1)
        var options = ForceOptions()
        options.start = .random
        #expect(try fixture.frames() == plain(fixture.keys, options))
    }

    @Test("a removed or added item moves the others a little from their positions")
    func warm() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["mode": "final"])
        try fixture.rest()
        let before = fixture.frames()
        fixture.lists.documents.apply(removed: [documents[7]], inserted: [])
        try fixture.rest()
        let after = fixture.frames()
        #expect(after.count == 40)
        #expect(after[documents[7].key] == nil)
        let moves = after.map { $1.center.distance(to: before[$0]?.center ?? .zero) }
        #expect(moves.reduce(0, +) / 40 < 20, "they did not begin anew")
        fixture.lists.documents.apply(removed: [], inserted: [documents[7]])
        try fixture.rest()
        #expect(fixture.frames().count == 41)
    }

    @Test("another order of the same items disturbs nothing")
    func order() throws {
        try fixture.openList()
        try fixture.openLayout("force", ["mode": "final"])
        try fixture.rest()
        try fixture.call("items.update", ["sub": 1, "sort": "-name"])
        try fixture.run { fixture.isAtRest }
        #expect(fixture.layouts[2]?.frameCount == 41)
        #expect(fixture.layouts[2]?.finished.count == 1)
    }

    @Test("a push moves its cell once by its force, and all come to rest again")
    func push() throws {
        try fixture.openList()
        try fixture.openLayout("force")
        try fixture.rest()
        let key = documents[3].key
        let before = try #require(fixture.frames()[key])
        try fixture.call("layout.push", ["sub": 2, "key": .string(key), "force": [100, 0]])
        try fixture.run { (fixture.frames()[key]?.minX ?? 0) > before.minX + 30 }
        try fixture.rest()
        #expect(fixture.finished.count == 2)
    }

    @Test("bounds and options change on the way, from where the cells are")
    func update() throws {
        try fixture.openList()
        try fixture.openLayout("force")
        try fixture.run { fixture.layouts[2]?.lastTick ?? 0 > 2 }
        try fixture.call(
            "layout.update", ["sub": 2, "bounds": [1000, 800], "options": ["cell": [8, 6]]])
        try fixture.run { fixture.isAtRest }
        let frames = fixture.frames().values
        #expect(frames.allSatisfy { $0.size == Size(width: 8, height: 6) })
        let middle = frames.reduce(0) { $0 + $1.center.x } / Double(frames.count)
        #expect(abs(middle - 500) < 0.5)
        #expect(fixture.layouts[2]?.content == Size(width: 1000, height: 800))
        let told = fixture.finished.count
        try fixture.call("layout.update", ["sub": 2, "options": ["cell": [8, 6]]])
        #expect(fixture.isAtRest, "what is no change disturbs nothing")
        #expect(fixture.finished.count == told)
    }

    @Test("the same history has the same frames, to the bit")
    func history() throws {
        func run() throws -> [[String: Rect]] {
            let fixture = try LayoutFixture()
            let documents = fixture.lists.add((0..<200).map { "d\($0)" })
            try fixture.openList()
            try fixture.openLayout("force", ["mode": "final", "charge": "auto"])
            var states: [[String: Rect]] = []
            func note() throws {
                try fixture.rest()
                states.append(fixture.frames())
            }
            try note()
            fixture.lists.documents.apply(removed: Array(documents[20..<30]), inserted: [])
            try note()
            try fixture.call("layout.update", ["sub": 2, "bounds": [700, 200]])
            try note()
            fixture.lists.documents.apply(removed: [], inserted: Array(documents[22..<26]))
            try note()
            let push: JSONObject = ["sub": 2, "force": [30, 40]]
            for document in documents[..<3] {
                var params = push
                params["key"] = .string(document.key)
                try fixture.call("layout.push", .object(params))
            }
            try fixture.run { fixture.isAtRest }
            return states
        }
        #expect(try run() == run())
    }

    @Test("many layouts are opened, changed and closed at any moment, and share the workers")
    func races() throws {
        try withSeed { random in
            try fixture.openList()
            for round in 0..<60 {
                let id = RequestID.integer(Int64.random(in: 2...9, using: &random))
                if fixture.layouts[id] == nil {
                    try fixture.openLayout(
                        "force", random.chance(0.5) ? ["mode": "final"] : [:], id: id)
                } else if random.chance(0.4) {
                    try fixture.closeLayout(id)
                } else {
                    try fixture.call(
                        "layout.update",
                        ["sub": id.value, "bounds": [JSONValue(200 + round), 300]])
                }
                if random.chance(0.3) {
                    fixture.lists.add(["x\(round)"])
                }
                fixture.loop.advance(by: .milliseconds(Int.random(in: 0...60, using: &random)))
                try fixture.read(lines: Int.random(in: 0...3, using: &random))
            }
            try fixture.run { fixture.isAtRest }
            for (id, copy) in fixture.layouts {
                #expect(Set(copy.frames.keys) == Set(fixture.keys), "\(id)")
                try fixture.closeLayout(id)
            }
            #expect(fixture.loop.nextTimer == nil)
        }
    }

    @Test("thousands of cells come in lines of a bounded length")
    func large() throws {
        fixture.lists.add((0..<4000).map { "m\($0)" })
        try fixture.openList()
        try fixture.openLayout("force", ["intervalMs": 60_000])
        try fixture.run { fixture.frames().count == 4041 }
        #expect(fixture.frames().count == 4041)
        #expect(fixture.layouts[2]?.lineCount ?? 0 > 1)
        #expect(fixture.session.longestLine < 300 << 10)
    }
}
