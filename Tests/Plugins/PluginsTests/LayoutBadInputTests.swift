// Whatever a client says that can't be: an error with the place, and nothing else changes.

import JSONText
import Layouts
import LayoutsPlugin
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct LayoutBadInputTests {
    /// Parameters beside `items`, and the place that is at fault.
    private static let wrong: [(String, String)] = [
        (#"{"kind":"list"}"#, "bounds"),
        (#"{"kind":"list","bounds":[0,10]}"#, "bounds[0]"),
        (#"{"kind":"list","bounds":[10,-1]}"#, "bounds[1]"),
        (#"{"kind":"list","bounds":[10,"NaN"]}"#, "bounds[1]"),
        (#"{"kind":"list","bounds":[1e999,10]}"#, "bounds[0]"),
        (#"{"kind":"list","bounds":[1e308,10]}"#, "bounds[0]"),
        (#"{"kind":"list","bounds":[10]}"#, "bounds"),
        (#"{"kind":"list","bounds":{"w":1}}"#, "bounds"),
        (#"{"bounds":[10,10]}"#, "kind"),
        (#"{"kind":"gird","bounds":[10,10]}"#, "kind"),
        (#"{"kind":7,"bounds":[10,10]}"#, "kind"),
        (#"{"kind":"list","bounds":[9,9],"options":[1]}"#, "options"),
        (#"{"kind":"list","bounds":[9,9],"options":{"rowheight":1}}"#, "options.rowheight"),
        (#"{"kind":"list","bounds":[9,9],"options":{"cell":[1,1]}}"#, "options.cell"),
        (#"{"kind":"list","bounds":[9,9],"options":{"rowHeight":-1}}"#, "options.rowHeight"),
        (#"{"kind":"list","bounds":[9,9],"options":{"insets":[1,2,3]}}"#, "options.insets"),
        (#"{"kind":"list","bounds":[9,9],"options":{"insets":[1,2,3,1e8]}}"#, "options.insets[3]"),
        (#"{"kind":"grid","bounds":[9,9],"options":{"cell":[1,-1]}}"#, "options.cell[1]"),
        (#"{"kind":"grid","bounds":[9,9],"options":{"minWidth":0}}"#, "options.minWidth"),
        (
            #"{"kind":"grid","bounds":[9,9],"options":{"minWidth":9,"cell":[1,1]}}"#,
            "options.minWidth"
        ),
        (#"{"kind":"flow","bounds":[9,9],"options":{"align":"left"}}"#, "options.align"),
        (#"{"kind":"flow","bounds":[9,9],"options":{"spacing":3}}"#, "options.spacing"),
        (
            #"{"kind":"flow","bounds":[9,9],"options":{"estimated":[1e308,1]}}"#,
            "options.estimated[0]"
        ),
        (#"{"kind":"force","bounds":[9,9],"options":{"stiffness":0}}"#, "options.stiffness"),
        (#"{"kind":"force","bounds":[9,9],"options":{"charge":-3}}"#, "options.charge"),
        (#"{"kind":"force","bounds":[9,9],"options":{"charge":"Auto"}}"#, "options.charge"),
        (#"{"kind":"force","bounds":[9,9],"options":{"cell":["NaN",1]}}"#, "options.cell[0]"),
        (#"{"kind":"force","bounds":[9,9],"options":{"threshold":-0.1}}"#, "options.threshold"),
        (#"{"kind":"force","bounds":[9,9],"options":{"start":"left"}}"#, "options.start"),
        (#"{"kind":"force","bounds":[9,9],"options":{"start":[1,1e10]}}"#, "options.start[1]"),
        (#"{"kind":"force","bounds":[9,9],"options":{"seed":-1}}"#, "options.seed"),
        (#"{"kind":"force","bounds":[9,9],"options":{"intervalMs":1}}"#, "options.intervalMs"),
        (#"{"kind":"force","bounds":[9,9],"options":{"mode":"fast"}}"#, "options.mode"),
        (#"{"kind":"force","bounds":[9,9],"options":{"chargee":3}}"#, "options.chargee"),
    ]

    private func parse(_ text: String) throws -> JSONObject {
        try #require(try JSONValue(parsing: Array(text.utf8)).objectValue)
    }

    @Test("an invalid layout is refused with the place of the fault", arguments: wrong)
    func open(_ text: String, _ place: String) throws {
        let fixture = try LayoutFixture()
        try fixture.openList()
        var params = try parse(text)
        params["items"] = 1
        let error = fixture.refusal("layout.open", .object(params), id: 2)
        #expect(error?.kind == .invalidParams)
        #expect(error?.at == place, "\(error?.message ?? "")")
        #expect(fixture.session.stream(2) == nil)
    }

    @Test("an invalid change changes nothing, not even its valid parts", arguments: wrong)
    func update(_ text: String, _ place: String) throws {
        var params = try parse(text)
        guard let kind = params["kind"]?.stringValue, ["list", "grid", "flow"].contains(kind),
            place != "bounds" || params["bounds"] != nil
        else { return }
        let fixture = try LayoutFixture()
        fixture.lists.add(["a", "b", "c"])
        try fixture.openList()
        try fixture.openLayout(kind)
        try fixture.read()
        params["sub"] = 2
        let error = fixture.refusal("layout.update", .object(params))
        #expect(error?.at == place, "\(error?.message ?? "")")
        #expect(try fixture.read().isEmpty)
        try fixture.call("layout.update", ["sub": 2, "options": [:]])
        #expect(try fixture.read().isEmpty)
    }

    @Test("a misspelt name gets a suggestion")
    func hints() throws {
        let fixture = try LayoutFixture()
        try fixture.openList()
        func message(_ kind: String, _ options: JSONValue) -> String {
            fixture.refusal(
                "layout.open",
                ["items": 1, "kind": .string(kind), "bounds": [9, 9], "options": options]
            )?.message ?? ""
        }
        #expect(message("gird", [:]).hasSuffix("did you mean 'grid'?"))
        #expect(message("force", ["stifness": 1]).hasSuffix("did you mean 'stiffness'?"))
        #expect(message("force", ["interval": 1]).hasSuffix("did you mean 'intervalMs'?"))
        #expect(!message("force", ["zzz": 1]).contains("did you mean"))
        #expect(message("force", ["zzz": 1]).contains("stiffness, charge, cell"))
    }

    /// The sizes of a `layout.measure`, and the place that is at fault.
    private static let sizes: [(String, String)] = [
        (#"[["a",1,1],["b",1]]"#, "sizes[1]"),
        (#"[["a",1,1],["b",-1,1]]"#, "sizes[1][1]"),
        (#"[["a",1,"NaN"]]"#, "sizes[0][2]"),
        (#"[["a",1e999,1]]"#, "sizes[0][1]"),
        (#"[["a",1,1e308]]"#, "sizes[0][2]"),
        (#"[[7,1,1]]"#, "sizes[0][0]"),
        (#"[["a",9,9],["nobody",1,1]]"#, "sizes[1]"),
        (#"{}"#, "sizes"),
    ]

    @Test("invalid sizes are refused with the place, and none is stored", arguments: sizes)
    func measure(_ text: String, _ place: String) throws {
        let fixture = try LayoutFixture()
        let a = fixture.lists.makeDocument("a", key: "a")
        let b = fixture.lists.makeDocument("b", key: "b")
        fixture.lists.documents.apply(removed: [], inserted: [a, b])
        try fixture.openList()
        try fixture.openLayout("flow")
        try fixture.read()
        let error = fixture.refusal(
            "layout.measure",
            ["sub": 2, "sizes": try JSONValue(parsing: Array(text.utf8))])
        #expect(error?.kind == .invalidParams)
        #expect(error?.at == place, "\(error?.message ?? "")")
        #expect(try fixture.read().isEmpty)
    }

    @Test("sizes and pushes of an item that has just left are ignored")
    func justGone() throws {
        let fixture = try LayoutFixture()
        let documents = fixture.lists.add(["a", "b"])
        try fixture.openList()
        try fixture.openLayout("flow", id: 2)
        try fixture.openLayout("force", id: 3)
        try fixture.read()
        fixture.lists.documents.apply(removed: [documents[0]], inserted: [])
        try fixture.read()
        let gone = JSONValue.string(documents[0].key)
        let left = JSONValue.string(documents[1].key)
        let sizes: JSONValue = [[gone, 9, 9], [left, 70, 20]]
        #expect(try fixture.call("layout.measure", ["sub": 2, "sizes": sizes]) == [:])
        #expect(
            try fixture.call("layout.push", ["sub": 3, "key": gone, "force": [1, 1]]) == [:])
        try fixture.read()
        #expect(
            fixture.frames()[documents[1].key]?.size == Size(width: 70, height: 20))
        let unknown = fixture.refusal(
            "layout.push", ["sub": 3, "key": "nobody", "force": [1, 1]])
        #expect(unknown?.kind == .noSuchItem)
    }

    @Test("an invalid push is refused with the place")
    func push() throws {
        let fixture = try LayoutFixture()
        let document = try #require(fixture.lists.add(["a"]).first)
        try fixture.openList()
        try fixture.openLayout("force", id: 2)
        try fixture.openLayout("list", id: 3)
        try fixture.read()
        func place(_ sub: JSONValue, _ force: JSONValue) -> String? {
            fixture.refusal(
                "layout.push", ["sub": sub, "key": .string(document.key), "force": force])?.at
        }
        #expect(place(2, .null) == "force")
        #expect(place(2, [1]) == "force")
        #expect(place(2, [1, "NaN"]) == "force[1]")
        #expect(place(2, [1e10, 1]) == "force[0]")
        #expect(place(3, [1, 1]) == "sub")
    }

    @Test("measured sizes are limited; those of removed items make room")
    func sizeLimit() throws {
        var limits = LayoutLimits()
        limits.sizes = 4
        let fixture = try LayoutFixture(limits: limits)
        let documents = fixture.lists.add(["a", "b", "c", "d", "e"])
        try fixture.openList()
        try fixture.openLayout("flow")
        try fixture.read()
        func measure(_ chosen: ArraySlice<Document>) -> ProtocolError? {
            fixture.refusal(
                "layout.measure",
                ["sub": 2, "sizes": .array(chosen.map { [.string($0.key), 9, 9] })])
        }
        #expect(measure(documents[0...]) != nil)
        #expect(measure(documents[..<4]) == nil)
        #expect(measure(documents[4...])?.kind == .limitExceeded)
        fixture.lists.documents.apply(removed: [documents[0]], inserted: [])
        try fixture.read()
        #expect(measure(documents[4...]) == nil)
        #expect(measure(documents[1..<4]) == nil)
    }
}
