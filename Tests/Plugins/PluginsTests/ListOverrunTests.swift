// Lists of which a change asks too much at once: they are given up, and made anew in slices.

import JSONText
import ListRequests
import PickerModel
import TestSupport
import Testing
import WireProtocol

@testable import ItemsPlugin

@Suite struct ListOverrunTests {
    /// A filter of which thousands of documents can't be asked in one go.
    private static let dear: JSONValue = .array(
        ["anyof"] + (0..<40).map { ["match", JSONValue("*q\($0)*z")] })

    private static func query(_ lines: [JSONValue], _ name: String) -> [JSONValue?] {
        lines.map { $0["params"]?[name] }
    }

    @Test("a change that exceeds the budget of an expensive filter rebuilds the list")
    func overrun() throws {
        let fixture = try ListFixture()
        fixture.add((0..<50).map { "q\($0)z" })
        let params: JSONValue = ["where": Self.dear, "window": ["count": .null]]
        _ = try fixture.session.call("items.open", params, id: 1).get()
        fixture.loop.turn()
        var copy = ListCopy(sub: 1)
        for line in fixture.session.read() { try copy.take(line) }
        let before = copy.total
        #expect(copy.isComplete && before == copy.rows.count)
        // A few are asked in the change itself.
        let queue = try #require(fixture.plugin.builder?.surveys)
        let slices = queue.slices
        fixture.add(["q7 a z", "none"])
        for line in fixture.session.read() { try copy.take(line) }
        #expect(copy.total == before + 1 && queue.slices == slices)
        // Thousands are not: the client keeps what it had until they have been asked in slices.
        fixture.add((0..<3000).map { "q\($0 % 80) \($0)z" })
        let meanwhile = fixture.session.read()
        #expect(Self.query(meanwhile, "complete").allSatisfy { $0 == false })
        #expect(Self.query(meanwhile, "total").allSatisfy { $0 == JSONValue(before + 1) })
        for line in meanwhile { try copy.take(line) }
        #expect(queue.count == 1)
        fixture.loop.turn()
        for line in fixture.session.read() { try copy.take(line) }
        #expect(queue.slices > slices && copy.isComplete)
        let wanted = fixture.documents.documents.count { document in
            (0..<40).contains { number in
                document.name.text.contains("q\(number)") && document.name.text.hasSuffix("z")
            }
        }
        // And the offer of a new document.
        #expect(copy.total == copy.rows.count && [wanted, wanted + 1].contains(copy.total))
        #expect(fixture.loop.isIdle && !fixture.session.hasWork)
    }

    @Test("an unsound list is rebuilt even if none of its rows has changed")
    func silentOverrun() throws {
        let fixture = try ListFixture()
        fixture.add(["q7z"])
        let params: JSONValue = ["where": Self.dear, "window": ["count": .null]]
        _ = try fixture.session.call("items.open", params, id: 1).get()
        fixture.loop.turn()
        #expect(Self.query(fixture.session.read(), "complete").last == true)
        let queue = try #require(fixture.plugin.builder?.surveys)
        fixture.add((0..<3000).map { "none \($0)" })
        var lines = fixture.session.read()
        #expect(queue.count == 1)
        fixture.loop.turn()
        lines += fixture.session.read()
        #expect(lines.isEmpty || Self.query(lines, "complete").last == true)
        #expect(queue.count == 0 && fixture.loop.isIdle && !fixture.session.hasWork)
    }

    @Test("an unsound cached list is rebuilt for the next request")
    func overrunSince() throws {
        var limits = SurveyLimits()
        limits.direct = .max
        let fixture = try ListFixture(limits: limits)
        func total() throws -> Int64? {
            let params: JSONValue = ["where": Self.dear]
            return try fixture.session.call("items.get", params).get()["total"]?.integerValue
        }
        fixture.add((0..<50).map { "q\($0 % 40)z" + "\($0) z" })
        let before = try #require(try total())
        fixture.add((0..<3000).map { "q\($0 % 40) \($0) z" })
        #expect(try total() == before + 3000)
    }
}
