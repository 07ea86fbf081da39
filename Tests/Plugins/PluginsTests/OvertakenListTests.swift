// What a client is sent that has asked for other rows since its rows were read.

import JSONText
import ListRequests
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin

@Suite struct OvertakenListTests {
    /// A list of the names of 30 documents, which is read in slices, and whose orders are made in slices.
    private static func opened() throws -> (ListFixture, ListCopy) {
        var limits = SurveyLimits()
        limits.rowsAtOnce = 4
        limits.slice = 1
        limits.stepsPerClockCheck = 1
        limits.direct = 0
        limits.sortedAtOnce = 0
        let fixture = try ListFixture(limits: limits)
        fixture.add((10..<40).map { "n\($0).md" })
        let all: JSONValue = ["window": ["start": 0, "count": .null]]
        _ = try fixture.session.call("items.open", all, id: 1).get()
        var copy = ListCopy(sub: 1)
        for line in fixture.read() { try copy.take(line) }
        #expect(copy.isComplete && copy.total == copy.rows.count && copy.total == 31)
        return (fixture, copy)
    }

    @Test("a delta found in slices is not complete if the client has asked for other rows since")
    func comparedRows() throws {
        var (fixture, copy) = try Self.opened()
        fixture.add((10..<30).map { "n\($0).txt" })
        #expect(fixture.session.read().isEmpty && !fixture.session.hasWork)
        while !fixture.session.hasWork, !fixture.loop.isIdle { fixture.loop.runOne() }
        // The difference is known, and there was no room for it yet.
        let other: JSONValue = ["sub": 1, "gen": 1, "sort": "-name"]
        _ = try fixture.session.call("items.update", other, id: 2).get()
        var lines = fixture.session.read(lines: 1)
        for line in lines { try copy.take(line) }
        #expect(lines.first?["method"] == "items.delta" && copy.total == 51)
        #expect(copy.gen == 0 && !copy.isComplete)
        lines = fixture.read()
        for line in lines { try copy.take(line) }
        #expect(copy.gen == 1 && copy.isComplete && copy.total == 51)
    }
}
