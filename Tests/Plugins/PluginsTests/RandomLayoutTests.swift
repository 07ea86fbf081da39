// Random operations on layouts, compared with a plain layout of the client's rows.

import Glibc
import JSONText
import Layouts
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct RandomLayoutTests {
    private static let rounds = testRounds(25)

    @Test(
        "after random operations an up-to-date client has the frames of a plain layout",
        arguments: ["list", "grid", "flow"])
    func ordered(_ kind: String) throws {
        try withSeed { random in
            for round in 0..<Self.rounds {
                var run = try RandomLayoutRun(kind, &random)
                for _ in 0..<Int.random(in: 10...30, using: &random) { try run.step(&random) }
                try run.settle()
                #expect(run.isSound, "round \(round) of \(kind) with seed \(random.seed)")
                if !run.isSound { return }
            }
        }
    }

    @Test("after random operations a force layout ends with all items at rest")
    func force() throws {
        try withSeed { random in
            for round in 0..<6 {
                var run = try RandomLayoutRun("force", &random)
                for _ in 0..<Int.random(in: 5...15, using: &random) { try run.step(&random) }
                try run.settle()
                #expect(run.isSound, "round \(round) with seed \(random.seed)")
                if !run.isSound { return }
            }
        }
    }
}

/// One layout over one list, and what the client has asked for.
private struct RandomLayoutRun {
    private let fixture = try? LayoutFixture()
    private let kind: String
    private var bounds = Size(width: 400, height: 300)
    private var list = ListOptions()
    private var grid = GridOptions()
    private var flow = FlowOptions()
    private var force = ForceOptions()
    private var sizes: [String: Size] = [:]
    private var lastName = 0
    private(set) var isSound = true

    init(_ kind: String, _ random: inout SeededRandom) throws {
        self.kind = kind
        try change(&random, count: Int.random(in: 0...30, using: &random))
        let fixture = try scene
        try fixture.openList()
        if random.chance(0.5) { try fixture.read() }
        // Full speed, so that many rounds take little time.
        try fixture.openLayout(
            kind, kind == "force" && random.chance(0.5) ? ["mode": "final"] : [:])
    }

    private var scene: LayoutFixture {
        get throws { try #require(fixture) }
    }

    mutating func step(_ random: inout SeededRandom) throws {
        let fixture = try scene
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: try change(&random, count: Int.random(in: 1...6, using: &random))
        case 4: try change(&random, count: 40)
        case 5: try updateList(&random)
        case 6, 7: try updateLayout(&random)
        case 8: try measure(&random)
        case 9: try fixture.read(lines: Int.random(in: 0...2, using: &random))
        case 10: fixture.loop.advance(by: .milliseconds(Int.random(in: 0...80, using: &random)))
        default:
            if kind == "force" { try fixture.read() } else { try settle() }
        }
    }

    // MARK: Steps

    private mutating func change(_ random: inout SeededRandom, count: Int) throws {
        let lists = try scene.lists
        var known = lists.documents.documents.sorted { $0.key < $1.key }
        var removed: [Document] = []
        var inserted: [Document] = []
        for _ in 0..<count {
            lastName += 1
            let name = "\(["a", "b", "c"].randomElement(using: &random) ?? "")\(lastName)"
            guard let old = known.randomElement(using: &random), random.chance(0.6) else {
                inserted.append(lists.makeDocument(name))
                continue
            }
            known.removeAll { $0 == old }
            removed.append(old)
            if random.chance(0.5) { inserted.append(old.with(root: "/r", path: FileName(name))) }
        }
        lists.documents.apply(removed: removed, inserted: inserted)
    }

    private func updateList(_ random: inout SeededRandom) throws {
        let choices: [JSONObject] = [
            ["search": "a"], ["search": .null], ["sort": "-name"], ["sort": "name"],
            ["window": ["start": 3, "count": 7]], ["window": ["start": 0, "count": .null]],
        ]
        guard var params = choices.randomElement(using: &random) else { return }
        params["sub"] = 1
        try scene.call("items.update", .object(params))
    }

    private mutating func updateLayout(_ random: inout SeededRandom) throws {
        var options: JSONObject = [:]
        let number = Double(Int.random(in: 1...200, using: &random)) / 4
        switch kind {
        case "list":
            list.rowHeight = number
            options["rowHeight"] = .double(number)
        case "grid" where random.chance(0.5):
            grid.cell = .atLeast(width: number + 1)
            options["minWidth"] = .double(number + 1)
        case "grid":
            grid.cell = .fixed(Size(width: number, height: 10))
            options["cell"] = [.double(number), 10]
        case "flow":
            flow.alignment = .justified
            flow.itemSpacing = number
            options["align"] = "justified"
            options["spacing"] = [.double(number), 10]
        default:
            force.charge = .fixed(number)
            options["charge"] = .double(number)
        }
        var params: JSONObject = ["sub": 2, "options": .object(options)]
        if random.chance(0.5) {
            bounds.width = Double(Int.random(in: 40...900, using: &random))
            params["bounds"] = [.double(bounds.width), .double(bounds.height)]
        }
        try scene.call("layout.update", .object(params))
    }

    private mutating func measure(_ random: inout SeededRandom) throws {
        let fixture = try scene
        // What the client has, some of which may have gone in the meantime.
        var measured: [JSONValue] = []
        for key in fixture.frames().keys.sorted() where random.chance(0.2) {
            let size = Size(
                width: Double(Int.random(in: 0...400, using: &random)) / 2,
                height: Double(Int.random(in: 0...100, using: &random)))
            measured.append([.string(key), .double(size.width), .double(size.height)])
            // Half a pixel is the least that counts.
            if let known = sizes[key], abs(known.width - size.width) < 0.5,
                abs(known.height - size.height) < 0.5
            {
                continue
            }
            // The list may be ahead of the client: of an item that has left nothing is kept.
            if currentKeys(fixture).contains(key) { sizes[key] = size }
        }
        try fixture.call("layout.measure", ["sub": 2, "sizes": .array(measured)])
    }

    /// The keys that the layout has: those of the rows that were sent.
    private func currentKeys(_ fixture: LayoutFixture) -> Set<String> { Set(fixture.keys) }

    // MARK: Checks

    mutating func settle() throws {
        let fixture = try scene
        if kind == "force" {
            try fixture.run { fixture.isAtRest }
            check(Set(fixture.frames().keys) == Set(fixture.keys), "other items than in the list")
            checkRest(fixture)
        } else {
            try fixture.read()
            try checkOrdered(fixture)
        }
    }

    private mutating func checkOrdered(_ fixture: LayoutFixture) throws {
        let keys = fixture.keys
        let window = Rect(origin: .zero, size: bounds)
        let plain: any OrderedLayout =
            switch kind {
            case "list": try ListLayout(bounds: window, options: list)
            case "grid": try GridLayout(bounds: window, options: grid)
            default: try FlowLayout(bounds: window, options: flow)
            }
        try plain.insert(keys.map { sizes[$0] }, at: 0)
        let expected = Dictionary(
            uniqueKeysWithValues: zip(keys, plain.frames(in: 0..<keys.count)))
        check(fixture.frames() == expected, "frames differ")
        check(fixture.layouts[2]?.content == plain.contentSize, "the content differs")
        check(!fixture.session.hasWork, "there is more to send")
    }

    private mutating func checkRest(_ fixture: LayoutFixture) {
        let frames = fixture.frames().sorted { $0.key < $1.key }.map(\.value)
        guard case .fixed(let charge) = force.charge, frames.count > 1 else { return }
        let field = ForceField(
            center: Rect(origin: .zero, size: bounds).center, stiffness: force.stiffness,
            charge: charge)
        let centers = frames.map(\.center)
        var sum = 0.0
        var rounding = 0.0
        for index in centers.indices {
            sum += field.force(on: index, among: centers).magnitude
            rounding += roundingError(of: index, among: centers, in: field)
        }
        let count = Double(centers.count)
        let mean = sum / count
        // At rest the mean force is below 1e-4 of the spring's at the rim, as it is for many cells; in a
        // small cluster that is less than what comes of the frames' being rounded.
        let rim = field.charge * cbrt(0.75 * Double.pi * count / field.stiffness)
        let most = 1e-4 * field.stiffness * rim + 2 * rounding / count
        check(mean <= most, "not at rest: \(mean) of \(most)")
        check(frames.allSatisfy { $0.size == Size(width: 20, height: 20) })
    }

    /// By how much the force on a cell is wrong, as a root mean square, when all places are rounded to
    /// hundredths: each is wrong by up to 0.005 in each direction, on its own.
    private func roundingError(
        of index: Int, among centers: [Point], in field: ForceField
    ) -> Double {
        let error = 0.005 * (2.0 / 3).squareRoot()
        var squares = field.stiffness * field.stiffness
        for (other, center) in centers.enumerated() where other != index {
            // The push's slope, of two places that are both wrong.
            let distance = max(error, center.distance(to: centers[index]))
            let slope = 2 * field.charge * field.charge * field.charge
            squares += 2 * (slope / (distance * distance * distance)).squared
        }
        return error * squares.squareRoot()
    }

    private mutating func check(_ holds: Bool, _ comment: Comment? = nil) {
        #expect(holds, comment)
        if !holds { isSound = false }
    }
}

extension Double {
    fileprivate var squared: Double { self * self }
}
