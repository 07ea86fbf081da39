// Force layouts that come and go faster than their threads get to them, and what a push costs.

import JSONText
import LayoutsPlugin
import PickerModel
import TestSupport
import Testing
import WireProtocol

@Suite struct ForceLimitTests {
    @Test(
        "orders under way are three times the layouts there may be; one more layout is refused for now"
    )
    func orders() throws {
        var limits = LayoutLimits()
        limits.layouts = 2
        let fixture = try LayoutFixture(limits: limits)
        fixture.lists.add((0..<5).map { "f\($0)" })
        try fixture.openList()
        try fixture.read()
        // No answer is taken meanwhile: the loop stands still.
        for _ in 0..<6 {
            try fixture.openLayout("force")
            try fixture.closeLayout(2)
        }
        let params: JSONValue = ["items": 1, "kind": "force", "bounds": [400, 300]]
        let error = fixture.refusal("layout.open", params, id: 2)
        #expect(error?.kind == .overloaded && error?.retryAfterMs == 1000)
        #expect(error?.message.contains("too many force layouts") == true)
        // Layouts of other kinds have no threads.
        try fixture.openLayout("list", id: 3)
        let isOpen = waitUntil {
            fixture.loop.turn()
            return fixture.refusal("layout.open", params, id: 2) == nil
        }
        #expect(isOpen, "it is accepted once orders have been answered")
    }

    @Test("a push costs the same in a layout of many items as in one of few")
    func costOfPush() throws {
        func cost(_ count: Int) throws -> Cost {
            let fixture = try LayoutFixture()
            fixture.session.looksAtLines = false
            let documents = fixture.lists.add((0..<count).map { "f\($0)" })
            try fixture.openList()
            try fixture.call(
                "layout.open", ["items": 1, "kind": "force", "bounds": [400, 300]], id: 2)
            // A list of many is sorted in slices before it is sent.
            for _ in 0..<3 {
                _ = fixture.session.read()
                fixture.loop.turn()
            }
            let push: JSONValue = [
                "sub": 2, "key": .string(documents[count - 1].key), "force": [1, 1],
            ]
            try fixture.call("layout.push", push)
            return try Cost.of { try fixture.call("layout.push", push) }
        }
        let few = try cost(10)
        let many = try cost(5000)
        #expect(many.isAbout(few), "\(many), not \(few)")
    }
}
